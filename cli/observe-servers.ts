import { nameServers } from 'pegboard/mcp';
import type { Source } from 'pegboard';
import type { FoundServer, Observed } from 'pegboard/settings';

import type { Desk } from './run-command.ts';

const LISTED: ReadonlySet<Source['status']['kind']> = new Set(['ready', 'cached', 'off']);

/** The servers of the settings, as they are defined; with their tools where they run and have listed them. */
export function observeServers({ host, settings }: Pick<Desk, 'host' | 'settings'>): Observed {
  const ready = settings().servers.filter(({ state }) => state.kind === 'ready');
  const parts = nameServers(ready.map(({ name }) => name));
  const { sources } = host.pool();
  const toolsOf = (server: FoundServer) => {
    const source = ready.includes(server) ? sources.find(({ owner }) => owner === `mcp__${parts.get(server.name)}`) : undefined;
    return source && LISTED.has(source.status.kind) ? { tools: source.tools } : {};
  };
  return Object.fromEntries(
    countingFirst(settings().servers).map((server) => [server.name, { definition: server.definition, ...toolsOf(server) }]),
  );
}

/** Those whose tools are known. */
export function listedOf(observed: Observed): Observed {
  return Object.fromEntries(Object.entries(observed).filter(([, { tools }]) => tools !== undefined));
}

/** One definition for each name: the one that may start, or else the highest. */
function countingFirst(servers: readonly FoundServer[]): readonly FoundServer[] {
  const byName = new Map<string, FoundServer>();
  for (const server of servers) if (!byName.has(server.name) || server.state.kind === 'ready') byName.set(server.name, server);
  return [...byName.values()];
}
