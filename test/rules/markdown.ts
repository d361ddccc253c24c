/** A fenced block of a page: its language, its text, and the line it begins at. */
export interface Fence {
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** All fenced blocks of a page. */
export function fencesOf(page: string): readonly Fence[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    line: page.slice(0, match.index).split('\n').length,
  }));
}

/** A line of shell as words, as far as quotes go. */
function shellWords(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** The arguments of every `pegboard` command in the shell blocks of a page, also behind variables and in a pipe. A line that goes on has a `\` at its end. */
export function pegboardCommands(page: string): readonly (readonly string[])[] {
  return fencesOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => /(?:^|\| )(?:[A-Z_]+=\S+ )*(?:npx )?pegboard(?: (.*))?$/.exec(line.trim())?.[1])
    .flatMap((line) => (line === undefined ? [] : [untilRedirected(shellWords(line.replace(/(?:^|\s+)#.*$/, '')))]));
}

function untilRedirected(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => /^[|>]/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/** The arguments of every `pegboard` command within a sentence. What may be left out stands in brackets there, and a bar between words of which one is taken. */
export function pegboardMentions(page: string): readonly (readonly string[])[] {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`(?:npx )?pegboard ([^`…]+)`/g)].flatMap((match) =>
    eachChoice(shellWords((match[1] ?? '').replace(/[[\]]/g, ''))),
  );
}

function eachChoice(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.findIndex((word) => /^[\w-]+(\|[\w-]+)+$/.test(word));
  if (at < 0) return [words];
  return (words[at] ?? '').split('|').flatMap((word) => eachChoice([...words.slice(0, at), word, ...words.slice(at + 1)]));
}

/** The anchors of a page: its headings, as they are linked to. */
export function anchorsOf(page: string): readonly string[] {
  return [...page.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The names a piece of code imports from each public door of pegboard. */
export function pegboardImports(code: string): readonly { readonly from: string; readonly names: readonly string[] }[] {
  return [...code.matchAll(/import \{([^}]*)\} from '(pegboard[\w/-]*)'/g)].map((match) => ({
    from: match[2] ?? '',
    names: (match[1] ?? '').split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
  }));
}
