import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that listens. */
export interface Listening {
  /** Its origin, without a path. */
  readonly url: string;
  /** Ends it, and whatever is still asked of it. */
  close(): Promise<void>;
}

/** Lets a server listen at a free port of this machine. */
export async function listenHere(server: Server): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}
