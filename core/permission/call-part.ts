import type { Ask } from './decision.ts';
import type { Rule } from './rule.ts';

/** What a call consists of where it is more than one thing: a shell command of several commands. */
export interface CallParts {
  readonly parts: readonly CallPart[];
  /**
   * Its certain words, for rules on any tool's arguments; `host` those that name one whatever they look like, `anyHost` whether
   * something else stands where one is named.
   */
  readonly words: { readonly word: readonly string[]; readonly host: readonly string[]; readonly anyHost: boolean };
  /** Why nothing of it may be allowed unasked: it was not understood whole, and there may be more in it. */
  readonly problems: readonly string[];
}

/** One thing a call does. Every open part must be allowed, and any part may be a reason to ask or to deny. */
export interface CallPart {
  /** To be shown. */
  readonly part: string;
  /** `suspected`: perhaps it happens; it can only be a reason to ask or to deny. */
  readonly standing: 'open' | 'suspected';
  /**
   * `reads`: nothing but reading the files it names. `edits`: nothing but changing them. `target`: a file that output goes to, which
   * only rules on files speak of. `runs`: anything, so only a rule allows it.
   */
  readonly nature: 'reads' | 'edits' | 'target' | 'runs';
  readonly files: readonly PartFile[];
  /** What nothing may wave through. */
  readonly guard?: Ask | undefined;
  /** What it destroys, in one line: said with the question, without effect on the decision. */
  readonly warning?: string | undefined;
  /** Why it is not allowed by itself, for people. */
  readonly why?: string | undefined;
  /** Does the text of a content rule cover it? `undefined` where nobody can tell. */
  covers(ruleContent: string, rule: Rule): boolean | undefined;
}

/** A file that a part names, and what happens to it. */
export interface PartFile {
  readonly does: 'reads' | 'writes';
  /** Whether it surely does so, or only may: what a word of an unknown command is for nobody knows. */
  readonly certain: boolean;
  /** The family that grants, then all whose rules restrict. */
  readonly rules: readonly [string, ...string[]];
  readonly place: FilePlace;
}

export type FilePlace =
  /** Absolute; `below`: with everything in it. */
  | { readonly kind: 'path'; readonly path: string; readonly below: boolean }
  /** Absolute, with stars: any of the files that fit. */
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'unknown'; readonly why: string };
