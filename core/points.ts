import type { OpenJournal } from './journal.ts';
import type { Reminder } from './reminders.ts';
import type { Reranker, SearchEvidence } from './search/aids.ts';

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
}

/**
 * The well-known contribution points, as data. Each has one owner that follows it: a plugin, or the host itself where it says so.
 * Plugins add points of their own by declaration merging.
 */
export interface Contributions {
  readonly 'mcp.server': readonly ServerOffer[];
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
