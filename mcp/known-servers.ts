import { join } from 'node:path';

import type { ServerOffer, SourceNote, Tool } from 'pegboard';

import { adaptTools } from './adapt-tool.ts';
import { readOffer, type ServerTransport } from './config.ts';
import type { Era } from './link.ts';
import { ListCache, type Failure, type Remembered } from './list-cache.ts';
import { nameServers } from './names.ts';

/** What is known of a server without asking it. */
export interface KnownServer {
  readonly name: string;
  /** Its part in tools' names. */
  readonly part: string;
  /** Why it could not be used when it was last tried, if nothing came of that. */
  readonly failure?: Failure | undefined;
  /** What it said of itself when it was last met. */
  readonly met?: Met | undefined;
}

/** A meeting of an earlier start, its tools as a pool would have them. */
interface Met {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly age: Remembered['age'];
  readonly era?: Era | undefined;
  /** How long it took to start, ms. */
  readonly startMs?: number | undefined;
  readonly tools: readonly Tool[];
  readonly notes: readonly SourceNote[];
}

/** Where a host keeps what it knows, and how it reads definitions. */
export interface KnowingPlace {
  readonly home: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As `McpOptions` has it. */
  readonly workFolder: (offer: ServerOffer) => string | undefined;
  readonly now: () => number;
}

/** What is known of each offered server: one for each offer, in that order. Nothing is started or reached. */
export function knownServers(offers: readonly ServerOffer[], place: KnowingPlace): readonly KnownServer[] {
  const { home, cwd, environment, workFolder, now } = place;
  const parts = nameServers(offers.map(({ name }) => name));
  const folder = join(home, 'cache', 'mcp');
  const cache = new ListCache({ folder, cwd, path: environment['PATH'] ?? '', now, listMaxAge: Infinity });
  return offers.map((offer) => {
    const part = parts.get(offer.name) ?? offer.name;
    const known = { name: offer.name, part };
    const read = readOffer(offer, environment);
    if (read.kind === 'broken') return { ...known, failure: { at: now(), message: read.error.message } };
    if (read.kind === 'disabled') return known;
    const transport = placedIn(read.config.transport, workFolder(offer));
    const kept = cache.read(transport);
    return { ...known, failure: cache.failure(transport), met: kept && metOf(kept, offer.name, part) };
  });
}

function placedIn(transport: ServerTransport, folder: string | undefined): ServerTransport {
  return transport.kind === 'stdio' ? { ...transport, cwd: transport.cwd ?? folder } : transport;
}

function metOf({ list, at, age, era, startMs }: Remembered, name: string, part: string): Met {
  // Nothing of this is called: it is only looked at.
  const { tools, notes } = adaptTools(list.tools, { name, part, call: () => Promise.reject(new Error('only known')) });
  return { at, age, era, startMs, tools, notes: [...list.warnings.map((why) => ({ kind: 'warning' as const, why })), ...notes] };
}

/** The files in which what each server of these writes beside the protocol is kept, by its name; the older one first. */
export function logFiles(names: Iterable<string>, home: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...nameServers(names)].map(([name, part]) => [name, ['.log.old', '.log'].map((end) => join(home, 'logs', 'mcp', `${part}${end}`))]),
  );
}
