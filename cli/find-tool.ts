import { PegboardError, type Host, type Place } from 'pegboard';

import type { Desk } from './run-command.ts';
import { waitUntil } from './wait-for-servers.ts';

/** Whether a name is settled for good: no server that is still connecting could change whose it is. */
function isSettled(host: Host, name: string): boolean {
  const source = host.pool().place(name)?.source;
  return source !== undefined && (source.builtin || (source.namespace !== undefined && name.startsWith(source.namespace)));
}

const NEVER = 'its definition says `start: "never"`, and nothing is known of it from before';

/** Where a tool stands, once that is known; `undefined` when nobody offers it. Throws MCP_DOWN for a tool of a server that did not start. */
export async function findTool(desk: Desk, name: string): Promise<Place | undefined> {
  const { host } = desk;
  await waitUntil(desk, () => isSettled(host, name));
  const place = host.pool().place(name);
  if (place !== undefined) return place;
  const down = host.pool().sources.find(({ namespace, status }) => {
    const absent = ['failed', 'connecting', 'off'].includes(status.kind);
    return absent && namespace !== undefined && name.startsWith(namespace);
  });
  if (down === undefined) return undefined;
  const cause = down.status.kind === 'failed' ? down.status.message : down.status.kind === 'off' ? NEVER : 'it has not answered yet';
  throw new PegboardError('MCP_DOWN', { server: down.owner, tool: name, cause });
}
