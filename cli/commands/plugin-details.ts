import { estimateTokens, wireBytes, type Place, type Pool } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { findPlugin } from '../find-plugin.ts';
import type { KnownPlugin } from '../known-plugins.ts';
import { pluginNotes } from '../plugin-notes.ts';
import type { Line } from '../screen.ts';
import type { Command, Desk } from '../run-command.ts';
import { waitForServers } from '../wait-for-servers.ts';
import { pluginJson } from './plugin-list.ts';
import { counted } from '../render/counted.ts';

/** `plugin details`: what a plugin brings, what it may do, what of it was not loaded and why. One that is not enabled is only looked at. */
export function pluginDetails(name: string): Command {
  return async (desk) => {
    const plugin = await findPlugin(name, desk);
    if (plugin.enabled) await waitForServers(desk);
    const details = await detailsOf(plugin, desk);
    if (desk.screen.json) desk.screen.value(details);
    else desk.screen.print(drawn(details));
    return exitCode.done;
  };
}

type Details = Awaited<ReturnType<typeof detailsOf>>;

async function detailsOf(plugin: KnownPlugin, desk: Desk) {
  const known = pluginJson(plugin);
  const contents = plugin.kind === 'packed' && plugin.read.kind === 'loads' ? plugin.read : undefined;
  const { skills } = await desk.skills.look();
  const own = skills.filter(({ from }) => from.plugin === plugin.id);
  const loaded = desk.loaded.plugins.find((each) => desk.loaded.folders.get(each.name) === plugin.folder);
  const servers = (contents?.servers ?? []).map((server) => `plugin:${contents?.name ?? ''}:${server.name}`);
  const tools = toolsOf(desk.host.pool(), loaded?.name, servers);
  const report = desk.host.plugins.find(({ name }) => name === loaded?.name);
  const registered = report?.kind === 'running' ? report.hooks : Object.keys(loaded?.hooks ?? {});
  const events = contents ? contents.hooks.flatMap(({ map }) => Object.keys(map)) : registered;
  const agents = (await desk.agents.look()).agents.filter(({ from }) => from.plugin === plugin.id);
  const problems = desk.problems
    .filter(({ message }) => isAbout(message, plugin, loaded?.name, servers))
    .map(({ code, message }) => ({ kind: 'error', code, message }));
  const unsaid = problems.filter(({ message }) => !known.problems.some((each) => each.message === message));
  return {
    ...known,
    description: contents?.description,
    skills: own.map(({ id }) => id),
    agents: agents.map(({ id }) => id),
    hooks: [...new Set(events)],
    servers: (contents?.servers ?? []).map(({ name, definition }) => ({ name, starts: definition['command'], reaches: definition['url'] })),
    languageServers: contents?.languageServers ?? [],
    tools,
    asks: asksOf(events, contents?.servers.length ?? 0, tools),
    problems: [...known.problems, ...unsaid],
    notes: await pluginNotes(plugin, desk),
  };
}

function toolsOf({ places }: Pool, owner: string | undefined, servers: readonly string[]) {
  const ofServer = ({ tool }: Place) => servers.some((server) => tool.ruleNames.includes(`mcp__${server}`));
  const isOwn = (place: Place) => place.source.owner === owner || place.source.owner === `${owner} (running)` || ofServer(place);
  return places.filter(isOwn).map(({ tool, state }) => {
    const bytes = wireBytes(tool);
    return { name: tool.name, kind: tool.kind, state, bytes, tokens: estimateTokens(bytes) };
  });
}

/** What it may do that a person should know of, in words. */
function asksOf(events: readonly string[], servers: number, tools: ReturnType<typeof toolsOf>): readonly string[] {
  const kinds = [...new Set(tools.map(({ kind }) => kind))].sort();
  return [
    ...(servers > 0 ? [`starts or reaches ${counted(servers, 'server')}`] : []),
    ...(events.length > 0 ? [`is told of ${[...new Set(events)].join(', ')}`] : []),
    ...(kinds.length > 0 ? [`has tools of the kinds ${kinds.join(', ')}`] : []),
  ];
}

function isAbout(message: string, { id, folder }: KnownPlugin, name: string | undefined, servers: readonly string[]): boolean {
  return [`"${id}"`, `"${name}"`, folder, ...servers.map((server) => `"${server}"`)].some((words) => message.includes(words));
}

function drawn(details: Details): readonly Line[] {
  const { name, kind, from, folder, state, version, description } = details;
  const part = (title: string, all: readonly string[]): readonly Line[] =>
    all.length === 0 ? [] : ['', [{ text: title, style: 'bold' }], ...all.map((each) => `- ${each}`)];
  return [
    `${name}${version === undefined ? '' : ` ${version}`} (${kind}, from the ${from}): ${state}`,
    folder,
    ...(description === undefined ? [] : [description]),
    ...part(
      'tools',
      details.tools.map(({ name: tool, kind: does, state: now, tokens }) => `${tool}: ${does}, ${now}, about ${tokens} tokens`),
    ),
    ...part('skills and commands', details.skills),
    ...part('agents', details.agents),
    ...part('hooks', details.hooks),
    ...part(
      'servers',
      details.servers.map(({ name: server, starts, reaches }) => `${server}: ${String(starts ?? reaches ?? '')}`),
    ),
    ...part('language servers (not started by this host)', details.languageServers),
    ...part('asks for', details.asks),
    ...part('problems and notes', [...details.problems.map(({ message }) => message), ...details.notes]),
  ];
}
