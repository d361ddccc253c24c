import { join } from 'node:path';

import { readRegularFile, updateFile } from 'pegboard/kit';

import type { WireForm } from './request-body.ts';

const VERSION = 2;
const MOST_ENDPOINTS = 100;
const STRATEGIES: ReadonlySet<unknown> = new Set(['reference', 'append', 'call']);

/** What was found out about endpoints, by their address: in which form each takes requests. A file that cannot be read knows nothing. */
export class EndpointMemory {
  readonly #file: string;

  /** `folder` holds the file; it need not exist. */
  constructor(folder: string) {
    this.#file = join(folder, 'endpoints.json');
  }

  async formOf(address: string): Promise<WireForm | undefined> {
    return parse(await readRegularFile(this.#file).catch(() => undefined)).get(address);
  }

  /** Keeps it; that it could not be kept only costs another look at the next start. */
  async remember(address: string, form: WireForm): Promise<void> {
    await updateFile(this.#file, (text) => {
      const known = parse(text);
      known.delete(address);
      const all = [...known, [address, form] as const].slice(-MOST_ENDPOINTS);
      return JSON.stringify({ version: VERSION, endpoints: Object.fromEntries(all) });
    }).catch(() => undefined);
  }
}

function parse(text: string | undefined): Map<string, WireForm> {
  try {
    const { version, endpoints } = JSON.parse(text ?? '{}') as {
      readonly version?: unknown;
      readonly endpoints?: Readonly<Record<string, WireForm>>;
    };
    return new Map(version === VERSION ? Object.entries(endpoints ?? {}).filter(([, form]) => isForm(form)) : []);
  } catch {
    return new Map();
  }
}

function isForm(form: Partial<WireForm> | null): boolean {
  return STRATEGIES.has(form?.strategy) && typeof form?.plain === 'boolean';
}
