import type { AgentDefinition } from 'pegboard/builtin-plugins';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Desk } from '../run-command.ts';

const COLUMNS: readonly Column[] = [
  { title: 'name', holds: 'longest' },
  { title: 'of', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'tools', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'description' },
];

/** `agents list`: the agents that files describe; what was mended or left out is said. */
export async function agentsList({ agents, screen }: Desk): Promise<ExitCode> {
  const { agents: all, left } = await agents.look();
  if (screen.json) {
    screen.value({ agents: all.map(agentJson), left });
    return exitCode.done;
  }
  if (all.length === 0) screen.print(['There are no agents here.']);
  else screen.print(tableLines(COLUMNS, all.map(rowOf), screen.width));
  for (const { id, file, note } of all) if (note !== undefined) screen.warn(`pegboard: ${id} (${file}): ${note}`);
  for (const { file, cause } of left) screen.warn(`pegboard: ${file} was left out: ${cause}`);
  return exitCode.done;
}

function rowOf({ id, from, tools, description }: AgentDefinition): readonly string[] {
  return [id, from.plugin, tools?.join(', ') ?? 'all', description];
}

function agentJson({ id, from, file, description, tools, disallowed, model, note }: AgentDefinition) {
  const said = {
    ...(tools === undefined ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
    ...(note === undefined ? {} : { note }),
  };
  return { name: id, source: from.plugin, file, description, disallowedTools: disallowed, ...said };
}
