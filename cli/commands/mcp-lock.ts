import { join } from 'node:path';

import { lockOf, readLock, writeLock, type Lock } from 'pegboard/settings';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { listedOf, observeServers } from '../observe-servers.ts';
import type { Desk } from '../run-command.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** `mcp lock`: writes `pegboard.lock` of the project, with what the servers and their tools are now. One that did not list its tools stays as it was locked. */
export async function mcpLock(desk: Desk): Promise<ExitCode> {
  await waitForServers(desk);
  const { folder } = desk.configuration.settings.project;
  const observed = observeServers(desk);
  const now = lockOf(listedOf(observed)).servers;
  const unlisted = Object.keys(observed).filter((name) => !Object.hasOwn(now, name));
  const before = await lockedBefore(folder);
  const kept = Object.fromEntries(Object.entries(before.servers).filter(([name]) => unlisted.includes(name)));
  await writeLock(folder, { ...before, servers: { ...kept, ...now } });
  const locked = Object.entries(now).map(([name, { tools }]) => ({ name, tools: Object.keys(tools).length }));
  if (desk.screen.json) desk.screen.value({ file: join(folder, 'pegboard.lock'), servers: locked, unlisted });
  else desk.screen.print([`wrote ${join(folder, 'pegboard.lock')}`, ...locked.map(({ name, tools }) => `${name}: ${tools} tools`)]);
  for (const name of unlisted)
    desk.screen.warn(
      `pegboard: server "${name}" did not list its tools and ${Object.hasOwn(kept, name) ? 'stays as it was locked' : 'is not locked'}`,
    );
  return exitCode.done;
}

async function lockedBefore(folder: string): Promise<Lock> {
  const before = await readLock(folder);
  if (before.kind === 'broken') throw before.error;
  return before.kind === 'none' ? { servers: {} } : before.lock;
}
