import type { SourceStatus } from 'pegboard';
import { maskSecrets, placeText, type Settings } from 'pegboard/settings';

import { allServers, noServer, type ListedServer } from '../all-servers.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { shellWord } from '../render/shell-word.ts';
import { healthJson, healthLines } from '../render/server-health.ts';
import { serverJson, stateWhy } from '../render/server-json.ts';
import { factLines, serverFacts } from '../render/server-text.ts';
import { wrapped } from '../render/wrapped.ts';
import type { Desk, SettingsCommand, SettingsDesk } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { serverKnowledge, type ServerKnowledge } from '../server-knowledge.ts';
import { waitUntil } from '../wait-for-servers.ts';

/** `mcp list`: the servers of all layers and plugins, what becomes of each, all that decides what it runs and what is known of it. No server is started to find out. */
export async function mcpList(desk: SettingsDesk): Promise<ExitCode> {
  return list(desk, () => undefined);
}

/** `mcp list --check`: the same after each server that may start has been started and asked. It fails if one of them cannot be used. */
export async function mcpListChecked(desk: Desk): Promise<ExitCode> {
  await waitUntil(desk, () => false);
  const statuses = new Map(desk.host.pool().sources.map(({ owner, status }) => [owner, status]));
  // What they have said is on disk then.
  await desk.host.close();
  await list(desk, ({ part }) => statuses.get(`mcp__${part}`));
  return [...statuses.values()].some(({ kind }) => kind === 'failed' || kind === 'connecting') ? exitCode.failed : exitCode.done;
}

/** What a host that has just tried it says of a server. */
type StatusOf = (known: ServerKnowledge) => SourceStatus | undefined;

async function list(desk: SettingsDesk, statusOf: StatusOf): Promise<ExitCode> {
  const { configuration, screen } = desk;
  const servers = await allServers(desk);
  const known = await serverKnowledge(servers, desk);
  const now = Date.now();
  const knownOf = ({ name, state }: ListedServer) => (state.kind === 'ready' ? known.get(name) : undefined);
  const lines = (server: ListedServer): readonly Line[] => {
    const each = knownOf(server);
    return [...facts(server, configuration.settings, screen.width), ...(each ? healthLines(each, statusOf(each), now, screen.width) : [])];
  };
  const json = (server: ListedServer) => {
    const each = knownOf(server);
    return { ...serverJson(server, configuration.settings), ...(each ? healthJson(each, statusOf(each)) : {}) };
  };
  if (screen.json) screen.value(servers.map(json));
  else if (servers.length === 0)
    screen.print(['No server is defined here. `pegboard mcp add` adds one, `pegboard mcp import` those of another program.']);
  else screen.print(servers.flatMap(lines));
  return exitCode.done;
}

/** `mcp get`: every definition of one name, the one that counts first. */
export function mcpGet(name: string): SettingsCommand {
  return async (desk) => {
    const { settings } = desk.configuration;
    const all = await allServers(desk);
    const found = all.filter((server) => server.name === name);
    if (found.length === 0) throw noServer(name, all);
    if (desk.screen.json) desk.screen.value(found.map((server) => ({ ...serverJson(server, settings), definition: masked(server) })));
    else desk.screen.print(found.flatMap((server) => [...facts(server, settings, desk.screen.width), ...definitionLines(server)]));
    return exitCode.done;
  };
}

/** Whoever has not said yes yet sees what could decide it. */
function masked({ definition, state }: ListedServer): unknown {
  return maskSecrets('mcpServers.server', definition, state.kind === 'waiting' ? 'approval' : 'record');
}

function facts(server: ListedServer, settings: Settings, width: number): readonly Line[] {
  const { name, scope, plugin, state, place } = server;
  const why = stateWhy(server);
  return [
    [
      { text: shellWord(name), style: 'bold' },
      ` ${scope}${plugin === undefined ? '' : ` ${plugin}`}: `,
      { text: state.kind, style: state.kind === 'ready' ? 'green' : 'yellow' },
      why === undefined ? '' : `, ${why}`,
    ],
    `  ${placeText(place)}`,
    ...factLines('    ', serverFacts(server, settings)).flatMap((line) => folded(line, width)),
  ];
}

/** A line of one style broken between words; what stands out keeps its line. */
function folded(line: Line, width: number): readonly Line[] {
  return typeof line === 'string' ? wrapped(line, width, '      ') : [line];
}

function definitionLines(server: ListedServer): readonly Line[] {
  return (JSON.stringify(masked(server), undefined, 2) ?? 'nothing').split('\n').map((line) => `  ${line}`);
}
