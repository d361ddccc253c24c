import type { Packed } from 'pegboard';

/** Whose a skill is: a folder of the person's or the project's, or a packed folder. */
export type Origin = Packed & { readonly layer: 'home' | 'project' | 'plugin' };

/** A procedure that was written down: what a model or a person can call by name. */
export interface Skill {
  /** `namespace:name`, or the name where there is no namespace. */
  readonly id: string;
  /** What its file calls it, where that is another name. */
  readonly aliases: readonly string[];
  /** A `command` is only typed; a `skill` is offered to the model as well. */
  readonly kind: 'skill' | 'command';
  readonly from: Origin;
  /** The file, or where a text stands. */
  readonly file: string;
  /** What its files are found from; nothing for what is one file. */
  readonly folder: string | undefined;
  /** Its own words, or else how its text begins. */
  readonly description: string;
  /** Whether it says what it is for: what does not is never offered to a model. */
  readonly described: boolean;
  readonly fields: SkillFields;
  readonly body: string;
  /** Something that was mended or left out when its file was read. */
  readonly note: string | undefined;
}

/** What stands before a skill's text, as far as it counts here. */
export interface SkillFields {
  readonly name: string | undefined;
  readonly hint: string | undefined;
  /** Names for the words that are given. */
  readonly arguments: readonly string[];
  /** Rules whose calls need no further permission while it is active. */
  readonly allowed: readonly string[];
  /** Rules whose calls are refused while it is active. */
  readonly disallowed: readonly string[];
  readonly forModel: boolean;
  readonly forPerson: boolean;
  /** The agent that is to carry it out in a conversation of its own. */
  readonly fork: string | undefined;
  readonly shell: 'Bash' | 'PowerShell';
  /** Servers by name that run only while it is active. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** Hooks that count from its first use on, by event. */
  readonly hooks: Readonly<Record<string, unknown>> | undefined;
}

/** Whether a model is told of it. */
export function isOffered({ kind, described, fields, from }: Skill): boolean {
  return kind === 'skill' && described && fields.forModel && from.trusted;
}
