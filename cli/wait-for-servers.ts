import type { Host } from 'pegboard';

import type { Desk } from './run-command.ts';

const LIMIT_MS = 30_000;
const PATIENCE_MS = 1_000;

/** Waits until no server is connecting any more, at most 30 s (design, ruling 9) after the last that fetches what it runs has it; says on stderr whom it waits for, who did not come and who failed. */
export async function waitForServers(desk: Desk): Promise<void> {
  await waitUntil(desk, () => false);
  tellFailures(desk);
}

/** Likewise, but at most 30 s in all, and not `again` for what is still being fetched: for whoever can begin without them. They come when they are ready. */
export async function waitBriefly(desk: Desk, again = false): Promise<void> {
  const enough = () => again && connecting(desk.host).every(({ doing }) => doing !== undefined);
  await wait(desk, enough, () => false);
  tellFailures(desk);
}

/** Waits not longer than until `enough`, and without a word on who failed. */
export async function waitUntil(desk: Desk, enough: () => boolean): Promise<void> {
  await wait(desk, enough, () => connecting(desk.host).some(({ doing }) => doing !== undefined));
}

async function wait({ host, screen, stop }: Desk, enough: () => boolean, more: () => boolean): Promise<void> {
  const notice = setTimeout(
    () =>
      screen.tell(
        `waiting for: ${connecting(host)
          .map(({ owner }) => owner)
          .join(', ')}`,
      ),
    PATIENCE_MS,
  );
  const told = new Map<string, string>();
  const deaf = host.on(() => {
    for (const { owner, doing } of connecting(host)) {
      if (doing === undefined || told.get(owner) === doing) continue;
      told.set(owner, doing);
      screen.tell(`${owner}: ${doing}`);
    }
  });
  const ended = aborted(stop.signal);
  let missing: readonly string[] = [];
  do missing = await Promise.race([host.settled(LIMIT_MS), soon(host, enough), ended]);
  while (missing.length > 0 && more());
  deaf();
  clearTimeout(notice);
  if (missing.length > 0) screen.warn(`pegboard: not ready after ${LIMIT_MS / 1_000} s and left out: ${missing.join(', ')}`);
}

function tellFailures(desk: Desk): void {
  for (const { owner, status } of desk.host.pool().sources) {
    const said = status.kind !== 'failed' || desk.problems.some(({ message }) => message === status.message);
    if (!said) desk.report({ message: `${owner} failed: ${status.message}`, blame: 'run' });
  }
}

function connecting(host: Host): readonly { readonly owner: string; readonly doing?: string | undefined }[] {
  return host.pool().sources.flatMap(({ owner, status }) => (status.kind === 'connecting' ? [{ owner, doing: status.doing }] : []));
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
