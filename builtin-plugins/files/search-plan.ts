/** One search for a text in files, decided down to the last option, so that every engine answers it alike. */
export interface SearchPlan {
  /** Absolute. Globs and ignore rules start here. */
  readonly folder: string;
  /** The one file of `folder` to search, if it is not the whole folder. */
  readonly file: string | undefined;
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** May a match reach over line ends, and does "." match them? */
  readonly across: 'no' | 'lines' | 'dots';
  readonly before: number;
  readonly after: number;
  readonly globs: readonly string[];
  readonly type: string | undefined;
  readonly mode: 'content' | 'files_with_matches' | 'count';
  /** No more rows are wanted. */
  readonly mostRows: number;
}

/** One line of an answer. Paths are absolute. */
export type Row =
  | { readonly kind: 'match' | 'context'; readonly path: string; readonly line: number; readonly text: string }
  | { readonly kind: 'gap' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'count'; readonly path: string; readonly count: number };

/** How a search went. `stopped` says why an answer is only a part; `notes` tell of files that could not be searched. */
export type Found =
  | {
      readonly kind: 'found';
      readonly rows: readonly Row[];
      readonly more: boolean;
      readonly stopped?: string;
      readonly notes: readonly string[];
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Bytes of one line that an engine keeps; people see fewer. */
export const LINE_BYTES = 8_000;
/** Bytes of one answer, whatever its rows are. */
export const ANSWER_BYTES = 4_000_000;

/** Several globs given as one text: parted by blanks, or by commas outside braces. */
export function partGlobs(text: string): readonly string[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (/\s/.test(character) || (character === ',' && depth <= 0)) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts.filter(Boolean).map((glob) => (glob.endsWith('/') ? `${glob}**` : glob));
}

/** The sentence for a pattern that no engine takes. */
export function patternSentence(pattern: string, cause: string): string {
  return `The pattern ${JSON.stringify(pattern)} is not a regular expression that can be used: ${cause}. Put a backslash before a character that is meant as itself, such as \\( or \\{.`;
}
