import { labelOf, packedFolders } from 'pegboard/builtin-plugins';
import { isWithin } from 'pegboard/kit';

import type { KnownPlugin } from './known-plugins.ts';
import type { Desk } from './run-command.ts';

/** What of a plugin's parts was mended, left out or can never run, one sentence each; what keeps the plugin itself from loading is not here. */
export async function pluginNotes(plugin: KnownPlugin, { skills, agents, hooks, host, loaded }: Desk): Promise<readonly string[]> {
  const { id, folder, enabled } = plugin;
  if (!enabled) return [];
  const contents = plugin.kind === 'packed' && plugin.read.kind === 'loads' ? plugin.read : undefined;
  const unused = contents ? (await packedFolders()).unusedParts(contents) : [];
  const [written, described] = [await skills.look(), await agents.look()];
  const own = [...written.skills, ...described.agents].filter(({ from }) => from.plugin === id);
  const { places, tools: offered } = host.pool();
  const tools = offered.map(({ name }) => name);
  const native = [...loaded.folders].find(([, at]) => at === folder)?.[0];
  return [
    ...unused.map(({ file, cause }) => `${file}: ${cause}`),
    ...places
      .filter(({ state, source }) => state === 'lost' && (source.owner === native || source.owner === `${native} (running)`))
      .map(({ tool, why }) => `its tool ${tool.name} cannot be called: ${why}; rename it`),
    ...[...written.left, ...described.left]
      .filter(({ file }) => isWithin(folder, file))
      .map(({ file, cause }) => `${file} was left out: ${cause}`),
    ...own.flatMap(({ id: part, file, note }) => (note === undefined ? [] : [`${part} (${file}): ${note}`])),
    ...hooks
      .list(tools)
      .filter(({ hook, never }) => never !== undefined && hook.source.name === id)
      .map(({ hook, never }) => `the hook ${hook.event} \`${labelOf(hook)}\` never runs: ${never ?? ''}`),
  ];
}
