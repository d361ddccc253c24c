import { oneLine, type PegboardError } from 'pegboard';

import type { ServerConfig } from './config.ts';
import type { Connected } from './connect.ts';
import { fetchedProgram, type FetchedProgram } from './package-runner.ts';

/** What a start is told by and tells. */
export interface FetchPlace {
  /** Whether this definition has ever led to a server. */
  readonly met: boolean;
  /** What the program printed last, if anything. */
  lastLine(): string | undefined;
  /** Told in words what a start is busy with that takes long. */
  busy(words: string): void;
}

const FIRST_MS = 3_000;
const AGAIN_MS = 5_000;
const SAID_CHARS = 200;

/**
 * Gives a server more time to start where a program may first have to fetch it: the first time, and once after a start that ended in
 * silence, for what was fetched may be gone. To end it earlier would only make it begin again.
 */
export class FirstFetch {
  readonly #config: ServerConfig;
  readonly #runner: FetchedProgram | undefined;
  readonly #place: FetchPlace;
  #due: boolean;

  constructor(config: ServerConfig, place: FetchPlace) {
    this.#config = config;
    this.#runner = fetchedProgram(config.transport);
    this.#place = place;
    this.#due = !place.met;
  }

  /** One start, with as much time as it should have. */
  async start(connect: (config: ServerConfig) => Promise<Connected>): Promise<Connected> {
    const { connectLimitMs, fetchLimitMs } = this.#config;
    const longer = this.#runner !== undefined && this.#due && fetchLimitMs > connectLimitMs;
    const end = longer ? this.#watch(this.#runner, fetchLimitMs) : () => undefined;
    const connected = await connect(longer ? { ...this.#config, connectLimitMs: fetchLimitMs } : this.#config).finally(end);
    this.#due = connected.kind === 'failed' && (this.#due || isSilence(connected.error)) && !(longer && isSilence(connected.error));
    return connected;
  }

  /** Tells once it takes longer than the start of a server that is there already, and again whenever there is something new to say. */
  #watch({ words, fetches }: FetchedProgram, limitMs: number): () => void {
    let told: string | undefined;
    const look = (): void => {
      const last = oneLine(this.#place.lastLine() ?? '', SAID_CHARS);
      const printed = last === '' ? '' : `; it last printed "${last}"`;
      const busy = `${words.join(' ')} may be fetching the ${fetches}, for which it has ${Math.round(limitMs / 1_000)} s${printed}`;
      if (busy !== told) this.#place.busy(busy);
      told = busy;
      timer = setTimeout(look, AGAIN_MS).unref();
    };
    let timer = setTimeout(look, Math.min(FIRST_MS, limitMs / 2)).unref();
    return () => clearTimeout(timer);
  }
}

function isSilence(error: PegboardError): boolean {
  return error.code === 'MCP_SILENT';
}
