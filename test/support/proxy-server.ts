import { createServer, request } from 'node:http';
import { connect } from 'node:net';

import { listenHere, type Listening } from './listen-here.ts';

/** An HTTP proxy, and what it was asked for: `CONNECT host:port`, or `GET http://host/path`. */
export interface ProxyServer extends Listening {
  readonly asked: readonly string[];
  /** What came as `proxy-authorization`. */
  readonly proofs: readonly (string | undefined)[];
}

/**
 * Starts a proxy for which every name is one server of this machine, at `target`. With `refuses` it answers with that status and
 * leads nowhere.
 */
export async function proxyServer(target: string, refuses?: number): Promise<ProxyServer> {
  const { hostname, port } = new URL(target);
  const asked: string[] = [];
  const proofs: (string | undefined)[] = [];
  const server = createServer((incoming, answer) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    proofs.push(incoming.headers['proxy-authorization']);
    if (refuses !== undefined) return void answer.writeHead(refuses).end('refused');
    const { pathname, search } = new URL(incoming.url ?? '', target);
    const onward = request({ hostname, port, method: incoming.method, path: pathname + search, headers: incoming.headers }, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers);
      came.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket, head) => {
    asked.push(`CONNECT ${incoming.url}`);
    proofs.push(incoming.headers['proxy-authorization']);
    socket.on('error', () => undefined);
    if (refuses !== undefined) return void socket.end(`HTTP/1.1 ${refuses} Refused\r\n\r\n`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  return { ...(await listenHere(server)), asked, proofs };
}
