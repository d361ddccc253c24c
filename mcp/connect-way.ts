import { stat } from 'node:fs/promises';

import { PegboardError } from 'pegboard';
import { proxiedFetch, type ProcessEnd } from 'pegboard/kit';

import type { ServerConfig, ServerTransport } from './config.ts';
import type { ConnectPlace } from './connect.ts';
import { serverEnvironment } from './environment.ts';
import { StdioTransport } from './stdio.ts';
import type { Wire } from './wire.ts';

/** A way to a server that nothing has been said on yet. */
export interface Way {
  readonly wire: Wire;
  /** Whether it is a pipe: there a server that does not know a question may say nothing, or end. */
  readonly pipe: boolean;
  /** How the server's process ended, once it has. */
  processEnd(): ProcessEnd | undefined;
  /** How the way ended by itself, in words, once it has. */
  endWords(): string | undefined;
  /** Ends it, and the server's process if there is one. Never rejects. */
  close(): Promise<void>;
}

/** Opens the way to a server: its process, its address, or the server itself where it is in this process. */
export async function openWay(
  { name: server, origin: file, transport, messageBytes }: ServerConfig,
  place: ConnectPlace,
  sse: boolean,
): Promise<Way> {
  switch (transport.kind) {
    case 'stdio': {
      const cwd = transport.cwd ?? place.cwd;
      // The system would blame the command for a folder that is not there.
      if (!(await isFolder(cwd))) throw new PegboardError('MCP_CWD', { server, folder: cwd, file });
      return stdioWay(transport, cwd, messageBytes, place);
    }
    case 'http':
      return httpWay(transport, messageBytes, place.fetch ?? proxiedFetch(place.environment), sse);
    case 'code': {
      const { codeWire, handlerFetch } = await import('./connect-code.ts');
      const { instance } = transport;
      if (typeof instance !== 'function' && 'fetch' in instance)
        return httpWay({ kind: 'http', url: 'http://in-process.invalid/mcp', headers: {} }, messageBytes, handlerFetch(instance), false);
      const wire = typeof instance === 'function' ? await instance() : codeWire(instance);
      return { wire, pipe: true, processEnd: () => undefined, endWords: () => undefined, close: () => wire.close() };
    }
  }
}

function stdioWay(
  { command, args, env }: ServerTransport & { readonly kind: 'stdio' },
  cwd: string,
  mostBytes: number,
  place: ConnectPlace,
): Way {
  const launch = { command, args, cwd, env: serverEnvironment(place.environment, env, place.windows) };
  const wire = new StdioTransport(launch, place.groups, place.log, mostBytes);
  return {
    wire,
    pipe: true,
    processEnd: () => wire.end,
    endWords: () => wire.endWords(),
    close: () => wire.close(),
  };
}

const GOODBYE_MS = 1_000;

async function httpWay(
  transport: ServerTransport & { readonly kind: 'http' },
  mostBytes: number,
  send: typeof fetch,
  sse: boolean,
): Promise<Way> {
  const { httpWire } = await import('./connect-http.ts');
  const wire = await httpWire(transport, mostBytes, sse, send);
  const goodbye = () => wire.leave().catch(() => undefined);
  const close = async () => {
    await Promise.race([goodbye(), new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
    await wire.close();
  };
  return { wire, pipe: false, processEnd: () => undefined, endWords: () => wire.broken(), close };
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
