import { PegboardError, type Host } from 'pegboard';
import { driftOf, driftText, readLock, type Settings } from 'pegboard/settings';

import { listedOf, observeServers } from './observe-servers.ts';
import type { Problems } from './problems.ts';

/** Compares what servers list with the project's `pegboard.lock`, now and whenever one lists anew, and tells each difference once. */
export async function followDrift(host: Host, settings: () => Settings, { report }: Problems): Promise<void> {
  const read = await readLock(settings().project.folder);
  if (read.kind === 'none') return;
  if (read.kind === 'broken') return report({ message: read.error.message, code: read.error.code, blame: 'config' });
  const look = () => {
    for (const [server, now] of Object.entries(listedOf(observeServers({ host, settings })))) {
      const servers = Object.fromEntries(Object.entries(read.lock.servers).filter(([name]) => name === server));
      const drift = driftOf({ servers }, { [server]: now });
      if (drift.length > 0) report(new PegboardError('LOCK_DRIFT', { server, diff: driftText(drift) }));
    }
  };
  host.on((event) => {
    if (event.kind === 'source') look();
  });
  look();
}
