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

/**
 * The well-known contribution points, as data. Each has one owner plugin that follows it; core does nothing with them.
 * Plugins add points of their own by declaration merging.
 */
export interface Contributions {
  readonly 'mcp.server': readonly ServerOffer[];
}

export type Point = keyof Contributions;
type Reader = (all: readonly unknown[]) => void;

/** Who offers what at which point, and who reads it. */
export class Points {
  readonly #offers = new Map<Point, Map<string, readonly unknown[]>>();
  readonly #readers = new Map<Point, Set<Reader>>();

  /** Puts up an owner's whole offer at a point; readers get everything anew. */
  contribute<Name extends Point>(owner: string, point: Name, all: Contributions[Name]): void {
    const owners = this.#offers.get(point) ?? new Map<string, readonly unknown[]>();
    if (all.length > 0) owners.set(owner, all);
    else owners.delete(owner);
    this.#offers.set(point, owners);
    for (const reader of this.#readers.get(point) ?? []) reader(this.#all(point));
  }

  /** Reads a point now and after each change, until the answer is called. */
  follow<Name extends Point>(point: Name, reader: (all: Contributions[Name]) => void): () => void {
    const readers = this.#readers.get(point) ?? new Set<Reader>();
    readers.add(reader as Reader);
    this.#readers.set(point, readers);
    reader(this.#all(point) as unknown as Contributions[Name]);
    return () => void readers.delete(reader as Reader);
  }

  /** Takes down all that an owner offers. */
  withdraw(owner: string): void {
    for (const [point, owners] of this.#offers) if (owners.has(owner)) this.contribute(owner, point, [] as never);
  }

  #all(point: Point): readonly unknown[] {
    return [...(this.#offers.get(point)?.values() ?? [])].flat();
  }
}
