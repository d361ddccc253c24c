/**
 * What a shell command is, as data: rules, guards, the read-only set, warnings and the display read this and nobody else parses
 * shell text. `analyse.ts` makes it (`analyseCommand(source, { directory, home })`, synchronous, the parser loads when first used).
 * Whatever cannot be known for certain is said to be unknown, and unknown never allows.
 */
export interface Command {
  /** Byte for byte what was judged, and so what may be run. */
  readonly source: string;
  /** Every simple command in it, wherever it hides, in the order in which it is written. */
  readonly members: readonly Member[];
  /** Why nothing may be allowed of the whole by itself; empty for a command that was understood. Members are then what could be recovered. */
  readonly problems: readonly string[];
}

/** One simple command, or what is judged like one: a function's definition, `[[ … ]]`, a lone redirection. */
export interface Member {
  /**
   * The command word, behind the wrappers of `wrappers`; `undefined` for a member of assignments or redirections only. Compound
   * tests have the name `[[`, arithmetic `((`, definitions `function`.
   */
  readonly name: Word | undefined;
  /** The operands and options behind it, in order; those that redirections took are not among them. */
  readonly args: readonly Word[];
  readonly assignments: readonly Assigned[];
  readonly redirections: readonly Redirection[];
  /** Where relative paths of it start: tracked through `cd`. */
  readonly directory: Directory;
  /** Where it runs instead if a `cd` before it did not work. */
  readonly elsewhere: readonly Directory[];
  /** Names of the wrappers that stood before `name` and change nothing about what it does (`timeout`, `nice`, `command` …), outermost first. */
  readonly wrappers: readonly string[];
  /** `hidden`: what an outer member may run (`sudo …`, `find -exec …`, `sh -c '…'`); it can only be a reason to ask or deny, never grants. */
  readonly standing: 'open' | 'hidden';
  /** What it stands in, outermost first; empty at the top. */
  readonly within: readonly Place[];
  /** What of it nobody may allow by a rule or by themselves, in words; empty for most. */
  readonly doubts: readonly string[];
  /** Whether its standard input is that of the tool (nothing), or comes from a pipe, file or text. */
  readonly input: 'none' | 'given';
  /** As a person wrote it, for showing. */
  readonly source: string;
}

export type Place = 'subshell' | 'group' | 'pipe' | 'condition' | 'loop' | 'case' | 'substitution' | 'function' | 'background' | 'script';

/** Where a member runs: an absolute folder, or nobody knows. */
export type Directory = { readonly kind: 'known'; readonly path: string } | { readonly kind: 'unknown'; readonly why: string };

/** One word of a command after quotes, escapes and known variables are gone. */
export type Word = Text | Names | Unknown;

interface Written {
  /** As it was written, with its quotes. */
  readonly source: string;
  /** Whether any part of it was quoted or escaped. */
  readonly quoted: boolean;
}

/** Exactly one argument, exactly this text. */
export interface Text extends Written {
  readonly kind: 'text';
  readonly text: string;
  /** It came out of a brace, a variable or a tilde and not out of letters that stand there. */
  readonly expanded: boolean;
}

/**
 * Texts out of a known family: file names that fit a glob, or one of several texts (a loop over a list). A pattern's `*`, `?` and
 * `[…]` stand for what a shell makes of them, and a backslash takes the next character as it is; a pattern without them is a text.
 */
export interface Names extends Written {
  readonly kind: 'names';
  readonly patterns: readonly string[];
}

/** Nobody knows what it will be. */
export interface Unknown extends Written {
  readonly kind: 'unknown';
  /** What it begins with for certain: `--output=` of `--output=$file`. */
  readonly prefix: string;
  /** What it most likely is, for restrictions only: a home that `~name` stands for. */
  readonly likely?: string;
  /** Whether it is always one argument (it stood in quotes), or may fall into several or none. */
  readonly count: 'one' | 'any';
  /** In words: `the variable FILE`, `what a command prints`. */
  readonly why: string;
}

/** `NAME=value` before a command, or alone. */
export interface Assigned {
  readonly name: string;
  readonly value: Word;
  /** Everything but `NAME=word`: `+=`, a subscript, an array. */
  readonly plain: boolean;
  readonly source: string;
}

/** What a redirection does; copies and closings of descriptors (`2>&1`) are not kept. */
export type Redirection =
  | { readonly kind: 'reads'; readonly target: Word; readonly source: string }
  | { readonly kind: 'writes'; readonly target: Word; readonly source: string }
  /** A here-document or here-string: text for standard input. */
  | { readonly kind: 'text'; readonly body: Word; readonly source: string };

/** The exact text of a word; `undefined` where it is not one certain text. */
export function textOf(word: Word | undefined): string | undefined {
  return word?.kind === 'text' ? word.text : undefined;
}

/** Whether a word can be an option whatever it turns out to be: what begins with a dash, or could. */
export function mayBeOption(word: Word): boolean {
  switch (word.kind) {
    case 'text':
      return word.text.startsWith('-') && word.text !== '-';
    case 'names':
      return word.patterns.some((pattern) => /^\\?-|^[*?[]/.test(pattern));
    case 'unknown':
      return word.prefix === '' || word.prefix.startsWith('-') || word.count === 'any';
  }
}
