import { join } from 'node:path';

import type { Strategy } from 'pegboard';
import { readRegularFile, updateFile } from 'pegboard/kit';

const VERSION = 1;
const MOST_ENDPOINTS = 100;
const STRATEGIES: ReadonlySet<unknown> = new Set(['reference', 'append', 'call']);

/** What was found out about endpoints, by their address: how deferred tools are shown to each. A file that cannot be read knows nothing. */
export class EndpointMemory {
  readonly #file: string;

  /** `folder` holds the file; it need not exist. */
  constructor(folder: string) {
    this.#file = join(folder, 'endpoints.json');
  }

  async strategyOf(address: string): Promise<Strategy | undefined> {
    return parse(await readRegularFile(this.#file).catch(() => undefined)).get(address);
  }

  /** Keeps it; that it could not be kept only costs another look at the next start. */
  async remember(address: string, strategy: Strategy): Promise<void> {
    await updateFile(this.#file, (text) => {
      const known = parse(text);
      known.delete(address);
      const all = [...known, [address, strategy] as const].slice(-MOST_ENDPOINTS);
      return JSON.stringify({ version: VERSION, endpoints: Object.fromEntries(all) });
    }).catch(() => undefined);
  }
}

function parse(text: string | undefined): Map<string, Strategy> {
  try {
    const { version, endpoints } = JSON.parse(text ?? '{}') as {
      readonly version?: unknown;
      readonly endpoints?: Readonly<Record<string, Strategy>>;
    };
    return new Map(version === VERSION ? Object.entries(endpoints ?? {}).filter(([, strategy]) => STRATEGIES.has(strategy)) : []);
  } catch {
    return new Map();
  }
}
