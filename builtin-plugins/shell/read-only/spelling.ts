/** What happens to a file that a word names, and whether all that lies below it counts as well. */
export interface Touch {
  readonly does: 'reads' | 'writes' | 'removes';
  readonly reach: 'itself' | 'below' | 'below and behind links';
}

/** Words that name places, and what a command does there. */
export const PLACE_ROLES = {
  file: [{ does: 'reads', reach: 'itself' }],
  tree: [{ does: 'reads', reach: 'below' }],
  /** Links in it are followed. */
  'linked-tree': [{ does: 'reads', reach: 'below and behind links' }],
  write: [{ does: 'writes', reach: 'itself' }],
  'write-below': [{ does: 'writes', reach: 'below' }],
  edit: [
    { does: 'reads', reach: 'itself' },
    { does: 'writes', reach: 'itself' },
  ],
  remove: [{ does: 'removes', reach: 'below' }],
  'remove-itself': [{ does: 'removes', reach: 'itself' }],
  /** `1,5:file`, of which the file is read. */
  'line-range': [{ does: 'reads', reach: 'itself' }],
} as const satisfies Readonly<Record<string, readonly Touch[]>>;

export type PlaceRole = keyof typeof PLACE_ROLES;

/**
 * Words that name no place. `text`: certain, but it may be anything. `shown`: only ever text, so it need not be known. The others must
 * pass a check of their own (`word-checks.ts`).
 */
export type TextRole =
  | 'text'
  | 'shown'
  | 'number'
  | 'suffix'
  | 'sed-script'
  | 'jq-filter'
  | 'printf-format'
  | 'date-format'
  | 'git-format'
  | 'git-order'
  | 'merges-shown'
  | 'submodule-part'
  | 'fresh-name'
  | 'revision';

export type Role = PlaceRole | TextRole;

/** One command's accepted words. Whatever is not here is not accepted. */
export interface Spelling {
  /**
   * The options, spelt exactly, parted by blanks: `-a` and `--all` without value; `-n=number` with a value, glued or the next word;
   * `--color[=text]` with a value only where it is glued; `-I~text` with a value that is always the next word, or several
   * (`--arg~text,text`); `--merged?=text` with the next word as value if there is one; `-#` for a number (`-5`).
   */
  readonly options: string;
  /** What operands are, in order: `text`, `number?` may be missing, `file*` any number of them. */
  readonly operands: readonly (Role | `${Role}?` | `${Role}*`)[];
  /** Where globs and known expansions may stand: anywhere, where they cannot turn into options, or nowhere. */
  readonly globs: 'anywhere' | 'no-options' | 'nowhere';
  /** Words with a dash are text like any other: the command has no options. */
  readonly noOptions?: true;
  /** Options one of which must stand there. */
  readonly requires?: string;
  /** Options whose value stands for the first operand, so that all others move up. */
  readonly standsForFirst?: string;
  /** Options whose value stands for the last operand. */
  readonly standsForLast?: string;
  /** Options with which all that lies below a place is read too. */
  readonly deepens?: string;
  /** It works on the folder it stands in, where no place is named: always, or only with what `deepens`. */
  readonly unnamed?: 'here' | 'here-if-deep';
}

/** How one option takes its value. */
export interface OptionRule {
  readonly takes: 'nothing' | 'value' | 'glued' | 'next' | 'next-if-any';
  readonly roles: readonly Role[];
}

const MARKS: Readonly<Record<string, OptionRule['takes']>> = { '=': 'value', '[=': 'glued', '~': 'next', '?=': 'next-if-any' };

/** What an option of a spelling is, by its exact name. Looked for in the text: a command has few options, a spelling many. */
export function optionRule(options: string, name: string): OptionRule | undefined {
  const all = ` ${options} `;
  // What is written later counts.
  for (let at = all.lastIndexOf(` ${name}`); at !== -1; at = at === 0 ? -1 : all.lastIndexOf(` ${name}`, at - 1)) {
    const [, found, mark, roles] = OPTION.exec(all.slice(at + 1, all.indexOf(' ', at + 1))) ?? [];
    if (found === name)
      return { takes: mark === undefined ? 'nothing' : (MARKS[mark] ?? 'value'), roles: (roles?.split(',') ?? []) as Role[] };
  }
  return undefined;
}

const OPTION = /^(--?[\w-]+|-#|-\.)(?:(\[=|\?=|=|~)([\w,-]+)\]?)?$/;

/** The first option that begins with a text. */
export function optionBegunBy(options: string, text: string): string | undefined {
  const written = options.split(' ').find((option) => option.startsWith(text));
  return written === undefined ? undefined : OPTION.exec(written)?.[1];
}
