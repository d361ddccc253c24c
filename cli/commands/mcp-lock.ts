import { join } from 'node:path';

import { lockOf, writeLock } from 'pegboard/settings';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { observeServers } from '../observe-servers.ts';
import type { Desk } from '../run-command.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** `mcp lock`: writes `pegboard.lock` of the project, with what the servers and their tools are now. */
export async function mcpLock(desk: Desk): Promise<ExitCode> {
  await waitForServers(desk);
  const { folder } = desk.configuration.settings.project;
  const lock = lockOf(observeServers(desk));
  await writeLock(folder, lock);
  const servers = Object.entries(lock.servers).map(([name, { tools }]) => ({ name, tools: Object.keys(tools).length }));
  if (desk.screen.json) desk.screen.value({ file: join(folder, 'pegboard.lock'), servers });
  else desk.screen.print([`wrote ${join(folder, 'pegboard.lock')}`, ...servers.map(({ name, tools }) => `${name}: ${tools} tools`)]);
  return exitCode.done;
}
