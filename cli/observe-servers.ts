import { nameServers } from 'pegboard/mcp';
import type { Observed } from 'pegboard/settings';

import type { Desk } from './run-command.ts';

/** The servers that may start, as they are defined and as far as they have listed their tools. */
export function observeServers({ host, settings }: Pick<Desk, 'host' | 'settings'>): Observed {
  const offers = settings().servers.flatMap(({ state }) => (state.kind === 'ready' ? [state.offer] : []));
  const parts = nameServers(offers.map(({ name }) => name));
  const { sources } = host.pool();
  return Object.fromEntries(
    offers.map(({ name, definition }) => {
      const source = sources.find(({ owner }) => owner === `mcp__${parts.get(name)}`);
      const listed = source?.status.kind === 'ready' || source?.status.kind === 'cached';
      return [name, { definition, ...(listed ? { tools: source.tools } : {}) }];
    }),
  );
}
