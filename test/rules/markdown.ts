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

/** The arguments of every `pegboard` command in the shell blocks of a page. A line that goes on has a `\` at its end. */
export function pegboardCommands(page: string): readonly (readonly string[])[] {
  return fencesOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.replace(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => /^(?:npx )?pegboard (.*)$/.exec(line.trim())?.[1]?.replace(/\s+#.*$/, ''))
    .flatMap((line) => (line === undefined ? [] : [shellWords(line)]));
}

/** The names a piece of code imports from each public door of pegboard. */
export function pegboardImports(code: string): readonly { readonly from: string; readonly names: readonly string[] }[] {
  return [...code.matchAll(/import \{([^}]*)\} from '(pegboard[\w/-]*)'/g)].map((match) => ({
    from: match[2] ?? '',
    names: (match[1] ?? '').split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
  }));
}
