import type { Tool } from './tool.ts';

/** How a source is doing. Whether its tools can be seen follows from what it has put up, not from this. */
export type SourceStatus =
  /** It runs; `used` once one of its tools was called. */
  | { readonly kind: 'ready'; readonly used?: true | undefined }
  /** Its tools are known from before; it starts when one is called. */
  | { readonly kind: 'cached' }
  /** `doing`: what it is busy with where that takes longer than a start should, in words. */
  | { readonly kind: 'connecting'; readonly doing?: string | undefined }
  /** It is not to be started. */
  | { readonly kind: 'off' }
  /** `retryAt`, by the host's clock: when it is tried next by itself, or at the earliest. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAt?: number | undefined };

/** Something about one tool of a source that people should know. */
export type SourceNote =
  | { readonly kind: 'quarantined'; readonly tool: string; readonly why: string }
  | { readonly kind: 'repaired'; readonly tool: string; readonly why: string }
  | { readonly kind: 'warning'; readonly why: string }
  /** Something happened that nobody need mend. */
  | { readonly kind: 'notice'; readonly why: string };

/** What is known of a source beside its tools. */
export interface SourceFacts {
  readonly status?: SourceStatus | undefined;
  /** Every tool of the source begins with it, and no other owner's tool may: `mcp__github__`. */
  readonly namespace?: string | undefined;
  /** Names in the manner of its namespace by which rules may speak of the whole source, beside the namespace. */
  readonly ruleNames?: readonly string[] | undefined;
  /** What the source says of itself, for the model; untrusted text. */
  readonly instructions?: string | undefined;
  readonly notes?: readonly SourceNote[] | undefined;
  /** The definitions of its tools as it gave them, unread: for whoever wants to compare. */
  readonly listed?: readonly unknown[] | undefined;
  /** How long a first call waits for the source to start, as it was when last measured, ms. */
  readonly firstUseMs?: number | undefined;
}

/** One owner's whole set. */
export interface Source extends SourceFacts {
  readonly owner: string;
  readonly builtin: boolean;
  readonly tools: readonly Tool[];
  readonly status: SourceStatus;
  readonly notes: readonly SourceNote[];
}

/** By code unit, not by locale: the order must be the same on every machine or the prompt cache breaks. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Who has put which tools up. The one source of truth for what is there and how it is doing (design, ruling 7). */
export class Registry {
  readonly #sources = new Map<string, Source>();
  #sorted: readonly Source[] | undefined;
  readonly #changed: (owner: string, redefined: readonly string[]) => void;

  /** `changed` hears of each change, with the names of tools that mean something else than they did just before. */
  constructor(changed: (owner: string, redefined: readonly string[]) => void = () => undefined) {
    this.#changed = changed;
  }

  /** Puts up an owner's whole set at once, so a reader never sees half of a change. */
  replace(owner: string, tools: readonly Tool[], facts: SourceFacts & { readonly builtin?: boolean } = {}): void {
    const { status = { kind: 'ready' }, notes = [], builtin = false, ...rest } = facts;
    const sorted = [...tools].sort((a, b) => byCodeUnit(a.name, b.name));
    const before = this.#sources.get(owner)?.tools ?? [];
    this.#sorted = undefined;
    this.#sources.set(owner, Object.freeze({ ...rest, owner, builtin, status, notes, tools: Object.freeze(sorted) }));
    this.#changed(owner, redefined(before, sorted));
  }

  /** Takes an owner's set down. */
  remove(owner: string): void {
    this.#sorted = undefined;
    if (this.#sources.delete(owner)) this.#changed(owner, []);
  }

  /** All sets as they are now: built-ins first, then by owner. The same list until something changes. */
  sources(): readonly Source[] {
    this.#sorted ??= Object.freeze(
      [...this.#sources.values()].sort((a, b) => Number(b.builtin) - Number(a.builtin) || byCodeUnit(a.owner, b.owner)),
    );
    return this.#sorted;
  }
}

/** Only what a model or a person could have gone by counts. */
function redefined(before: readonly Tool[], now: readonly Tool[]): readonly string[] {
  const known = new Map(before.map((tool) => [tool.name, tool]));
  return now.flatMap((tool) => {
    const was = known.get(tool.name);
    return was === undefined || was === tool || meaning(was) === meaning(tool) ? [] : [tool.name];
  });
}

function meaning({ title, description, inputSchema, outputSchema, annotations }: Tool): string {
  return JSON.stringify([title, description, inputSchema, outputSchema, annotations]);
}
