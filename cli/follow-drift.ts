import { definePlugin, PegboardError, type Host, type Plugin } from 'pegboard';
import { driftOf, driftText, judgeDrift, readLock, type Settings } from 'pegboard/settings';

import { listedOf, observeServers } from './observe-servers.ts';
import type { Problems } from './problems.ts';

/** What watches over a project's `pegboard.lock`. */
export interface DriftWatch {
  /** Has calls of tools that are not as they were locked asked about, with what is different. */
  readonly plugin: Plugin;
  /** Tells each difference once, now and whenever a server lists anew. */
  follow(host: Host, settings: () => Settings): void;
}

/** Opens the lock of a folder, if it has one that can be read. */
export async function openDriftWatch(folder: string, { report }: Problems): Promise<DriftWatch | undefined> {
  const read = await readLock(folder);
  if (read.kind === 'none') return undefined;
  if (read.kind === 'broken') {
    report({ message: read.error.message, code: read.error.code, blame: 'config' });
    return undefined;
  }
  const { lock } = read;
  let observed = (): ReturnType<typeof listedOf> => ({});
  const look = () => {
    for (const [server, now] of Object.entries(observed())) {
      const servers = Object.fromEntries(Object.entries(lock.servers).filter(([name]) => name === server));
      const drift = driftOf({ servers }, { [server]: now });
      if (drift.length > 0) report(new PegboardError('LOCK_DRIFT', { server, diff: driftText(drift) }));
    }
  };
  const plugin = definePlugin({
    name: 'pegboard-lock',
    hooks: {
      'tool.before': async ({ tool }) => {
        const { kind, why } = judgeDrift(lock, observed(), tool);
        return kind === 'allow' ? undefined : { kind, reason: why };
      },
    },
  });
  const follow = (host: Host, settings: () => Settings) => {
    observed = () => listedOf(observeServers({ host, settings }));
    host.on((event) => {
      if (event.kind === 'source') look();
    });
    look();
  };
  return { plugin, follow };
}
