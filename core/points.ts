import type { PegboardError } from './errors.ts';
import type { Compactor } from './compaction.ts';
import type { OpenJournal } from './journal.ts';
import type { ImageBlock, TextBlock } from './message.ts';
import type { Pool } from './pool.ts';
import type { Reminder } from './reminders.ts';
import type { Reranker, SearchEvidence } from './search/aids.ts';
import type { ToolResult } from './tool.ts';

/** A server a plugin brings: what to start or reach, in the words of `.mcp.json`. The owner of the point parses it. */
export interface ServerOffer {
  readonly name: string;
  readonly definition: unknown;
  /** Where the definition stands, for messages. */
  readonly origin: string;
  /** Relative paths of the definition start here. */
  readonly folder: string;
  /** Values for `${NAME}` beside the environment's. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

/** In which conversation a command was typed. */
export interface CommandPlace {
  readonly pool: Pool;
  readonly signal: AbortSignal;
  readonly session: string;
  /** A tool, through the whole pipeline. Never throws for what the call did. */
  call(name: string, input: unknown): Promise<ToolResult>;
}

/** A command that a prompt can begin with, as `/name words`. The owner of the point lists and runs it. */
export interface CommandOffer {
  /** Without the slash, and without white space at its ends. */
  readonly name: string;
  readonly description: string;
  /** Other names for it, where no other command goes by them. */
  readonly aliases?: readonly string[] | undefined;
  /** In the order in which words are given for them. */
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** Says what stands in the command's place, or why nothing does. Never rejects. `words` is what stands behind the name. */
  expand(words: string, place: CommandPlace): Promise<CommandText>;
  /** Whether it is of no use with this pool, and need not be shown. */
  hidden?(pool: Pool): boolean;
  /** What the last of the words could become. Never rejects. */
  complete?(words: string, place: { readonly pool: Pool; readonly signal: AbortSignal }): Promise<readonly string[]>;
}

/** What a prompt says that began with a command, or why it says nothing. */
export type CommandText =
  | { readonly kind: 'prompt'; readonly content: readonly (TextBlock | ImageBlock)[] }
  | { readonly kind: 'wrong'; readonly error: PegboardError };

/** Words `@…` of a prompt that stand for something to read. */
export interface MentionOffer {
  /** How what a word names is read; `undefined` for a word of somebody else. */
  find(word: string): Mention | undefined;
  /** What a word that was begun could become. Never rejects. */
  complete?(word: string, place: { readonly pool: Pool; readonly signal: AbortSignal }): Promise<readonly string[]>;
}

/** The call of a tool that reads what a word names, or why it cannot be read. */
export type Mention =
  { readonly kind: 'call'; readonly tool: string; readonly input: unknown } | { readonly kind: 'wrong'; readonly error: PegboardError };

/** What all parts of one packed folder have in common. It only says where they are: the owners of the points below read and parse them. */
export interface Packed {
  /** As people enable it, and as messages name it. */
  readonly plugin: string;
  /** What the names of its parts begin with, before a colon; the empty one for parts that stand alone. */
  readonly namespace: string;
  /** Absolute, without links. */
  readonly root: string;
  /** Absolute, without links: a link of the folder may lead anywhere in here; one that leads elsewhere is not followed. */
  readonly within: string;
  /** For `${NAME}` in its texts; nothing secret. */
  readonly variables: Readonly<Record<string, string>>;
  /** For the processes it starts, secrets included: never shown, never put into a text. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it may run anything. What may not is listed and no more. */
  readonly trusted: boolean;
  /** Tells of something wrong with a part of it, as this plugin's. */
  report(cause: unknown): void;
}

/** A folder that holds a `SKILL.md` is that one skill; any other holds one in each folder directly below. */
export interface SkillFolder {
  readonly from: Packed;
  /** Absolute. */
  readonly path: string;
}

/** Slash commands: every `.md` below a folder, a file, or a text. `fields` is frontmatter given elsewhere, which comes before the file's own. */
export type CommandFolder =
  | { readonly kind: 'folder'; readonly from: Packed; readonly path: string }
  | {
      readonly kind: 'file';
      readonly from: Packed;
      readonly path: string;
      readonly name?: string | undefined;
      readonly fields?: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly kind: 'text';
      readonly from: Packed;
      readonly name: string;
      readonly text: string;
      readonly fields?: Readonly<Record<string, unknown>> | undefined;
    };

/** Agent definitions: every `.md` below a folder, or one file. */
export interface AgentFolder {
  readonly kind: 'folder' | 'file';
  readonly from: Packed;
  /** Absolute. */
  readonly path: string;
}

/** Hooks of a packed folder: the map from events to groups of handlers, as it was read. */
export interface HookConfig {
  readonly from: Packed;
  readonly definition: unknown;
  /** Where the map stands, for messages. */
  readonly origin: string;
  /** The only conversation in which they count. */
  readonly session?: string | undefined;
}

/**
 * The well-known contribution points, as data. Each has one owner that follows it: a plugin, or the host itself where it says so.
 * Plugins add points of their own by declaration merging.
 */
export interface Contributions {
  readonly 'mcp.server': readonly ServerOffer[];
  readonly command: readonly CommandOffer[];
  readonly mention: readonly MentionOffer[];
  readonly 'skill.folder': readonly SkillFolder[];
  readonly 'command.folder': readonly CommandFolder[];
  readonly 'agent.folder': readonly AgentFolder[];
  readonly 'hook.config': readonly HookConfig[];
  /** Read by the host itself, as the next one. */
  readonly 'search.evidence': readonly SearchEvidence[];
  readonly 'search.reranker': readonly Reranker[];
  readonly reminder: readonly Reminder[];
  /** The first one counts. */
  readonly 'session.journal': readonly OpenJournal[];
  /** The first one counts. */
  readonly 'session.compactor': readonly Compactor[];
}

export type Point = keyof Contributions;
type Reader = (all: readonly unknown[]) => void;
interface Follower {
  readonly owner: string;
  readonly read: Reader;
}

/** Who offers what at which point, and who reads it. */
export class Points {
  readonly #offers = new Map<Point, Map<string, readonly unknown[]>>();
  readonly #followers = new Map<Point, readonly Follower[]>();
  readonly #report: (owner: string, cause: unknown) => void;

  /** `report` is told of a reader that fails later on: whoever contributed is not to blame for it. */
  constructor(report: (owner: string, cause: unknown) => void) {
    this.#report = report;
  }

  /** Puts up an owner's whole offer at a point; readers get everything anew. */
  contribute<Name extends Point>(owner: string, point: Name, all: Contributions[Name]): void {
    const owners = this.#offers.get(point) ?? new Map<string, readonly unknown[]>();
    if (all.length === 0 && !owners.has(owner)) return;
    if (all.length > 0) owners.set(owner, all);
    else owners.delete(owner);
    this.#offers.set(point, owners);
    for (const follower of this.#followers.get(point) ?? []) this.#tell(follower, point);
  }

  /** Reads a point now and after each change, until the answer is called. */
  follow<Name extends Point>(owner: string, point: Name, reader: (all: Contributions[Name]) => void): () => void {
    const follower = { owner, read: reader as Reader };
    follower.read(this.#all(point));
    this.#followers.set(point, [...(this.#followers.get(point) ?? []), follower]);
    return () => {
      const others = this.#followers.get(point)?.filter((other) => other !== follower);
      this.#followers.set(point, others ?? []);
    };
  }

  /** Takes down all that an owner offers. */
  withdraw(owner: string): void {
    for (const [point, owners] of this.#offers) if (owners.has(owner)) this.contribute(owner, point, [] as never);
  }

  #tell({ owner, read }: Follower, point: Point): void {
    try {
      read(this.#all(point));
    } catch (cause) {
      this.#report(owner, cause);
    }
  }

  #all(point: Point): readonly unknown[] {
    return [...(this.#offers.get(point)?.values() ?? [])].flat();
  }
}
