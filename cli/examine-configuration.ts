import { driftOf, readLock } from 'pegboard/settings';

import { layerJson } from './commands/config-path.ts';
import { serverJson } from './render/server-json.ts';
import { observeServers } from './observe-servers.ts';
import { leftOutLines } from './render/left-out.ts';
import type { Desk } from './run-command.ts';

/** What `doctor` says of the configuration: what was read, what is left out and why, who may start, and what changed since it was locked. */
export async function examineConfiguration(desk: Desk) {
  const now = desk.settings();
  return {
    project: now.project,
    layers: now.layers.map(layerJson).filter(({ state }) => state !== 'missing'),
    servers: now.servers.map((server) => serverJson(server, now)),
    features: now.values.features,
    preset: now.values.preset,
    mode: now.values.permissions.defaultMode ?? 'default',
    ignored: now.ignored,
    leftOut: leftOutLines(now),
    lock: await examineLock(desk),
  };
}

async function examineLock(desk: Desk) {
  const read = await readLock(desk.settings().project.folder);
  if (read.kind === 'none') return { state: 'none' as const };
  if (read.kind === 'broken') return { state: 'broken' as const, why: read.error.message };
  return { state: 'read' as const, drift: driftOf(read.lock, observeServers(desk)) };
}
