import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

import { writeFileAtomic } from 'pegboard/kit';

import type { ServerTransport } from './config.ts';
import { isObject } from './json.ts';

/** What a server said of itself when it was last asked. */
export interface ServerList {
  /** As the server listed them: nothing in here was checked. */
  readonly tools: readonly unknown[];
  readonly instructions?: string | undefined;
  /** Whether it has resources to list. */
  readonly resources: boolean;
  /** What was odd about listing: pages that came again, limits that were met. */
  readonly warnings: readonly string[];
}

const VERSION = 1;
const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** The lists of servers between two starts, each under a hash of how its server is reached. */
export class ListCache {
  readonly #folder: string;
  readonly #cwd: string;
  readonly #now: () => number;

  /** `cwd` is where processes work that have no folder of their own. */
  constructor(folder: string, cwd: string, now: () => number) {
    this.#folder = folder;
    this.#cwd = cwd;
    this.#now = now;
  }

  /**
   * The list for this definition if one is there and not older than seven days. It is read at once, so that the tools are there
   * when the first pool is assembled.
   */
  read(transport: ServerTransport): ServerList | undefined {
    try {
      const kept: unknown = JSON.parse(readFileSync(this.#file(transport), 'utf8'));
      if (!isObject(kept) || kept['version'] !== VERSION || typeof kept['at'] !== 'number' || !isObject(kept['list'])) return undefined;
      const age = this.#now() - kept['at'];
      return age >= 0 && age <= MAX_AGE_MS ? listOf(kept['list']) : undefined;
    } catch {
      return undefined;
    }
  }

  async write(transport: ServerTransport, list: ServerList): Promise<void> {
    await writeFileAtomic(this.#file(transport), JSON.stringify({ version: VERSION, at: this.#now(), list }));
  }

  #file(transport: ServerTransport): string {
    return join(
      this.#folder,
      `${createHash('sha256')
        .update(canonical(placed(transport, this.#cwd)))
        .digest('hex')}.json`,
    );
  }
}

function listOf(list: { readonly [key: string]: unknown }): ServerList | undefined {
  const { tools, instructions, resources, warnings } = list;
  if (!Array.isArray(tools)) return undefined;
  return {
    tools,
    ...(typeof instructions === 'string' ? { instructions } : {}),
    resources: resources === true,
    warnings: Array.isArray(warnings) ? warnings.filter((each) => typeof each === 'string') : [],
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
