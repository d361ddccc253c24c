import { endsWithReturns, withReturns } from './text-file.ts';

/** A replacement of text by text. */
export interface Replacement {
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

/** The text with the replacement done, and the lines where it was; or how often the old text is there instead. */
export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string; readonly lines: readonly number[] }
  | { readonly kind: 'missing'; readonly near: number | undefined }
  | { readonly kind: 'several'; readonly lines: readonly number[] };

/**
 * Replaces a text by its exact spelling, and nothing else of the file. Where it is not there to the letter it is looked for with the
 * file's own line ends, and with curly quotes where the file has them; what is put in then gets the same.
 */
export function replaceText(text: string, { old, fresh, all }: Replacement): Replaced {
  for (const { here, wanted } of spellings(text, old)) {
    const starts = occurrences(here, wanted);
    if (starts.length === 0) continue;
    const lines = linesOf(text, starts);
    if (starts.length > 1 && !all) return { kind: 'several', lines };
    return { kind: 'replaced', text: spliced(text, starts, wanted.length, fresh), lines };
  }
  return { kind: 'missing', near: nearLine(text, old) };
}

/** Ways to look for the old text, the plainest first. Folding quotes keeps every position. */
function* spellings(text: string, old: string): Generator<{ readonly here: string; readonly wanted: string }> {
  const wanted = text.includes('\r\n') ? [old, withReturns(old)] : [old];
  for (const each of wanted) yield { here: text, wanted: each };
  if (!/[‘’“”]/.test(text)) return;
  for (const each of wanted) yield { here: straight(text), wanted: straight(each) };
}

function straight(text: string): string {
  return text.replace(/[‘’]/g, "'").replace(/[“”]/g, '"');
}

function occurrences(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) starts.push(at);
  return starts;
}

function spliced(text: string, starts: readonly number[], length: number, fresh: string): string {
  const returns = endsWithReturns(text);
  const parts: string[] = [];
  let from = 0;
  for (const start of starts) {
    parts.push(text.slice(from, start), likeOld(text.slice(start, start + length), fresh, returns));
    from = start + length;
  }
  return [...parts, text.slice(from)].join('');
}

/** New text with the line ends and quotes of what it stands for. */
function likeOld(old: string, fresh: string, returns: boolean): string {
  const ended = old.includes('\n') ? old.includes('\r\n') : returns;
  const lines = ended ? withReturns(fresh) : fresh;
  const double = /[“”]/.test(old) && !old.includes('"');
  const single = /[‘’]/.test(old) && !old.includes("'");
  return lines.replace(/["']/g, (quote, at: number) => {
    if (!(quote === '"' ? double : single)) return quote;
    const opens = at === 0 || /[\s([{—–“‘]/.test(lines[at - 1] ?? '');
    return quote === '"' ? (opens ? '“' : '”') : opens ? '‘' : '’';
  });
}

/** Line numbers from 1, of positions in order. */
function linesOf(text: string, starts: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return starts.map((start) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

/** The line that has the old text's first line but for its blanks, to look at. */
function nearLine(text: string, old: string): number | undefined {
  const plain = (line: string) => line.replace(/\s+/g, ' ').trim();
  const first = old.split('\n').map(plain).find(Boolean);
  if (first === undefined) return undefined;
  const at = text.split('\n').findIndex((line) => plain(line).includes(first));
  return at < 0 ? undefined : at + 1;
}
