import type { JsonObject } from './json.ts';
import type { Wire } from './wire.ts';

/** A server in this process, as an SDK of either line builds it: it takes one end of a wire. */
export interface CodeServer {
  connect(wire: Wire): Promise<void>;
}

/** Gives a way to a server, as the SDKs build them too; a new one for each connection. */
export type OpenWire = () => Wire | Promise<Wire>;

/** A server in this process that answers requests, as `createMcpHandler` of the SDK makes it. */
export interface CodeHandler {
  fetch(request: Request): Promise<Response>;
}

/** Sends to such a server what would go over HTTP. */
export function handlerFetch(handler: CodeHandler): typeof fetch {
  return (url, init) => handler.fetch(new Request(url, init));
}

/** The way to a server in this process. What is sent is copied, so that neither side can reach into the other's objects. */
export function codeWire(server: CodeServer): Wire {
  const here = new Half();
  const there = new Half();
  here.other = there;
  there.other = here;
  const start = here.start.bind(here);
  here.start = async () => {
    await server.connect(there);
    await start();
  };
  return here;
}

class Half implements Wire {
  onmessage: ((message: unknown) => void) | undefined;
  onerror: ((cause: Error) => void) | undefined;
  onclose: (() => void) | undefined;
  other: Half | undefined;
  #closed = false;

  async start(): Promise<void> {
    await Promise.resolve();
  }

  async send(message: JsonObject): Promise<void> {
    if (this.#closed) throw new Error('the server in this process is closed');
    const copy: unknown = JSON.parse(JSON.stringify(message));
    queueMicrotask(() => this.other?.onmessage?.(copy));
    await Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    await this.other?.close();
  }
}
