import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';

import { writeFileAtomic } from 'pegboard/kit';

import type { ServerTransport } from './config.ts';
import { isObject } from './json.ts';
import type { Era, Params } from './link.ts';
import { packageVersion } from './package-version.ts';

/** What a server said of itself when it was last asked. */
export interface ServerList {
  /** As the server listed them: nothing in here was checked. */
  readonly tools: readonly unknown[];
  readonly prompts: readonly unknown[];
  readonly instructions?: string | undefined;
  /** As it declared them. */
  readonly capabilities: Params;
  /** What was odd about listing: pages that came again, limits that were met. */
  readonly warnings: readonly string[];
  /** For how long it holds, as the server says, ms. */
  readonly freshMs?: number | undefined;
}

/** A list, and how its server was met. */
export interface Meeting {
  readonly list: ServerList;
  readonly era?: Era | undefined;
  /** How long it took to start, ms. */
  readonly startMs?: number | undefined;
}

/** A meeting of an earlier start. */
export interface Remembered extends Meeting {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `old` is too old to be relied on, or of another version of the server's package: it is only better than nothing. */
  readonly age: 'fresh' | 'stale' | 'old';
}

/** Why a server could not be used, and when that was, in milliseconds since 1970. */
export interface Failure {
  readonly at: number;
  readonly message: string;
}

const VERSION = 3;
const OLD_MS = 7 * 24 * 60 * 60 * 1000;
const ERAS: ReadonlySet<unknown> = new Set<Era>(['modern', 'legacy', 'legacy-sse']);

/** What the cache looks at. */
export interface CachePlace {
  readonly folder: string;
  /** Where processes work that have no folder of their own. */
  readonly cwd: string;
  /** Where programs are looked for, as `PATH` has it. */
  readonly path: string;
  readonly now: () => number;
  /** A list that is older is stale, ms. */
  readonly listMaxAge: number;
  /** Nothing counts that is known from before. */
  readonly afresh?: boolean | undefined;
}

/** The lists of servers between two starts, each under a hash of how its server is reached. */
export class ListCache {
  readonly #place: CachePlace;

  constructor(place: CachePlace) {
    this.#place = place;
  }

  /**
   * What is known of the server of this definition. It is read at once, so that the tools are there when the first pool is assembled.
   * A server that code gives cannot be known from before.
   */
  read(transport: ServerTransport): Remembered | undefined {
    if (transport.kind === 'code' || this.#place.afresh) return undefined;
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file(transport), 'utf8'));
      if (!isObject(kept) || kept['version'] !== VERSION || typeof kept['at'] !== 'number') return undefined;
      const { at, list: given, era, startMs } = kept;
      const list = listOf(given);
      if (list === undefined) return undefined;
      return {
        list,
        at,
        age: kept['package'] === this.#package(transport) ? this.#ageOf(at, transport, list) : 'old',
        ...(ERAS.has(era) ? { era: era as Era } : {}),
        ...(typeof startMs === 'number' ? { startMs } : {}),
      };
    } catch {
      return undefined;
    }
  }

  /** Whether this definition has ever led to a server. */
  hasMet(transport: ServerTransport): boolean {
    return transport.kind !== 'code' && existsSync(this.#file(transport));
  }

  async write(transport: ServerTransport, meeting: Meeting): Promise<void> {
    if (transport.kind === 'code') return;
    const kept = { version: VERSION, at: this.#place.now(), package: this.#package(transport), ...meeting };
    await writeFileAtomic(this.#file(transport), JSON.stringify(kept));
    await rm(this.#failureFile(transport), { force: true });
  }

  /** Keeps why a server could not be used, until it is met. */
  async writeFailure(transport: ServerTransport, message: string): Promise<void> {
    if (transport.kind !== 'code') await writeFileAtomic(this.#failureFile(transport), JSON.stringify({ at: this.#place.now(), message }));
  }

  /** Why the server of this definition could not be used the last time, if it could not. */
  failure(transport: ServerTransport): Failure | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#failureFile(transport), 'utf8'));
      const { at, message } = isObject(kept) ? kept : {};
      return typeof at === 'number' && typeof message === 'string' ? { at, message } : undefined;
    } catch {
      return undefined;
    }
  }

  /** A list from the future was written by another clock, and nobody knows when. What a server says of it counts where asking costs no process. */
  #ageOf(at: number, { kind }: ServerTransport, { freshMs = Infinity }: ServerList): Remembered['age'] {
    const age = this.#place.now() - at;
    const most = Math.min(this.#place.listMaxAge, kind === 'http' ? freshMs : Infinity);
    return age > OLD_MS ? 'old' : age < 0 || age > most ? 'stale' : 'fresh';
  }

  #package(transport: ServerTransport): string | undefined {
    return packageVersion(transport, this.#place.cwd, this.#place.path);
  }

  #file(transport: ServerTransport, end = '.json'): string {
    const hash = createHash('sha256').update(canonical(placed(transport, this.#place.cwd)));
    return join(this.#place.folder, `${hash.digest('hex')}${end}`);
  }

  #failureFile(transport: ServerTransport): string {
    return this.#file(transport, '.failed.json');
  }
}

function listOf(given: unknown): ServerList | undefined {
  const { tools, prompts, instructions, capabilities, warnings, freshMs } = isObject(given) ? given : {};
  if (!Array.isArray(tools)) return undefined;
  return {
    tools,
    prompts: Array.isArray(prompts) ? prompts : [],
    ...(typeof instructions === 'string' ? { instructions } : {}),
    capabilities: isObject(capabilities) ? capabilities : {},
    warnings: Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [],
    ...(typeof freshMs === 'number' ? { freshMs } : {}),
  };
}

/** `node ./server.js` is another server in another folder; `npx some-server` is the same everywhere. */
function placed(transport: ServerTransport, cwd: string): ServerTransport {
  if (transport.kind !== 'stdio' || transport.cwd !== undefined) return transport;
  const words = [transport.command, ...transport.args].filter((word) => word !== '' && !isAbsolute(word));
  return words.some((word) => existsSync(resolve(cwd, word))) ? { ...transport, cwd } : transport;
}

/** The order in which somebody wrote their variables and headers makes no other server. */
function canonical(transport: ServerTransport): string {
  return JSON.stringify(transport, (_key, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}
