import type { Host } from 'pegboard';

import type { Desk } from './run-command.ts';

const LIMIT_MS = 30_000;
const PATIENCE_MS = 1_000;

/** Waits until no server is connecting any more, at most 30 s (design, ruling 9); says on stderr whom it waits for, who did not come and who failed. */
export async function waitForServers(desk: Desk): Promise<void> {
  await waitUntil(desk, () => false);
  for (const { owner, status } of desk.host.pool().sources) {
    const said = status.kind !== 'failed' || desk.problems.some(({ message }) => message === status.message);
    if (!said) desk.report({ message: `${owner} failed: ${status.message}`, blame: 'run' });
  }
}

/** Likewise, but not longer than until `enough`, and without a word on who failed. */
export async function waitUntil({ host, screen, stop }: Desk, enough: () => boolean): Promise<void> {
  const notice = setTimeout(() => screen.tell(`waiting for: ${connecting(host).join(', ')}`), PATIENCE_MS);
  const missing = await Promise.race([host.settled(LIMIT_MS), soon(host, enough), aborted(stop.signal)]);
  clearTimeout(notice);
  if (missing.length > 0) screen.warn(`pegboard: not ready after ${LIMIT_MS / 1_000} s and left out: ${missing.join(', ')}`);
}

function connecting(host: Host): readonly string[] {
  return host
    .pool()
    .sources.filter(({ status }) => status.kind === 'connecting')
    .map(({ owner }) => owner);
}

function soon(host: Host, enough: () => boolean): Promise<readonly string[]> {
  if (enough()) return Promise.resolve([]);
  return new Promise((resolve) => {
    const deaf = host.on(() => {
      if (!enough()) return;
      deaf();
      resolve([]);
    });
  });
}

function aborted(signal: AbortSignal): Promise<readonly string[]> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve([]);
    else signal.addEventListener('abort', () => resolve([]), { once: true });
  });
}
