import { estimateTokens, nearest, PegboardError, wireBytes, wireTool, type Source, type SourceNote, type Tool } from 'pegboard';

import type { ConfigRequest } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Command, Desk } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { waitUntil } from '../wait-for-servers.ts';

/** A tool as its server lists it and as a model is sent it, and what was done to it on the way. */
interface Listed {
  /** As the server names it; for one that cannot be named, its place. */
  readonly name: string;
  readonly tool?: Tool | undefined;
  readonly asListed?: unknown;
  readonly notes: readonly SourceNote[];
}

/** `mcp tools`: what a server lists, and what becomes of each. A server that is known is not started. */
export function mcpTools({ name, tool }: ConfigRequest & { readonly kind: 'mcp tools' }): Command {
  return async (desk) => {
    const { screen } = desk;
    const source = await sourceOf(name, desk);
    const all = listedBy(source);
    if (tool !== undefined) {
      const one = all.find((each) => each.name === tool || each.tool?.name === tool);
      if (one === undefined) throw unknownTool(tool, all);
      if (screen.json) screen.value(listedJson(one));
      else screen.print(wholeLines(one));
      return exitCode.done;
    }
    if (screen.json)
      screen.value({ name, source: source.owner, status: source.status, tools: all.map(listedJson), notes: ofServer(source) });
    else screen.print([...tableOf(all, screen.width), ...noteLines(source, all)]);
    return source.status.kind === 'failed' && all.length === 0 ? exitCode.failed : exitCode.done;
  };
}

/** The source of a server by its name in the configuration, once it has listed its tools or cannot. */
async function sourceOf(name: string, desk: Desk): Promise<Source> {
  const find = () => desk.host.pool().sources.find(({ owner, ruleNames = [] }) => [owner, ...ruleNames].includes(`mcp__${name}`));
  await waitUntil(desk, () => find()?.status.kind !== 'connecting');
  const source = find();
  if (source !== undefined) return source;
  const defined = desk.settings().servers.find((server) => server.name === name);
  if (defined !== undefined)
    throw new PegboardError('CLI_USAGE', { cause: `Server "${name}" may not start. \`pegboard mcp get ${name}\` says why.` });
  const known = desk.host
    .pool()
    .sources.flatMap(({ owner, builtin }) => (builtin || !owner.startsWith('mcp__') ? [] : [owner.slice('mcp__'.length)]));
  throw new PegboardError('MCP_NO_SERVER', { server: name, known: known.join(', ') || 'none' });
}

function listedBy({ tools, listed = [], notes }: Source): readonly Listed[] {
  const byName = new Map(tools.map((tool) => [ownName(tool), tool]));
  const seen = new Set<string>();
  return listed.map((given, at): Listed => {
    const own: unknown = typeof given === 'object' && given !== null ? (given as { readonly name?: unknown }).name : undefined;
    const place = `#${at + 1}`;
    const name = typeof own === 'string' && own !== '' ? own : place;
    const tool = seen.has(name) ? undefined : byName.get(name);
    seen.add(name);
    const said = notes.filter(
      (note) => 'tool' in note && [name, place].includes(note.tool) && (note.kind === 'repaired') === (tool !== undefined),
    );
    return { name, tool, asListed: given, notes: said };
  });
}

function ownName({ name, _meta }: Tool): string {
  const meta = _meta?.['pegboard/mcp'] as { readonly tool?: unknown } | undefined;
  return typeof meta?.tool === 'string' ? meta.tool : name;
}

/** What is said of the server and of none of its tools. */
function ofServer({ notes }: Source): readonly SourceNote[] {
  return notes.filter((note) => !('tool' in note));
}

function stateOf({ tool, notes }: Listed): string {
  return tool === undefined ? 'left out' : notes.some(({ kind }) => kind === 'repaired') ? 'repaired' : 'as listed';
}

function listedJson(listed: Listed) {
  const { name, tool, asListed, notes } = listed;
  return {
    name,
    state: stateOf(listed),
    ...(tool === undefined ? {} : { as: tool.name, bytes: wireBytes(tool), tokens: estimateTokens(wireBytes(tool)), sent: wireTool(tool) }),
    listed: asListed,
    notes,
  };
}

const COLUMNS: readonly Column[] = [
  { title: 'tool', holds: 'longest' },
  { title: 'state', leaves: { turn: 3, to: 'below' } },
  { title: '~tokens', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'for a model', leaves: { turn: 1, to: 'nowhere' } },
];

function tableOf(all: readonly Listed[], width: number): readonly Line[] {
  return all.length === 0 ? ['no tools are known'] : tableLines(COLUMNS, all.map(row), width);
}

function row(listed: Listed) {
  const { name, tool } = listed;
  const state = stateOf(listed);
  const style = tool === undefined ? ('red' as const) : state === 'repaired' ? ('yellow' as const) : ('green' as const);
  return [name, { text: state, style }, tool === undefined ? '' : String(estimateTokens(wireBytes(tool))), tool?.name ?? ''];
}

function noteLines(source: Source, all: readonly Listed[]): readonly Line[] {
  const { status } = source;
  const lines = [
    ...(status.kind === 'failed' ? [`it failed: ${status.message}`] : []),
    ...ofServer(source).map(({ why }) => why),
    ...all.flatMap(({ name, notes }) =>
      notes.map(({ kind, why }) => `${name} was ${kind === 'repaired' ? 'repaired' : 'left out'}: ${why}`),
    ),
  ];
  return lines.length === 0 ? [] : ['', ...lines.map((line) => `- ${line}`)];
}

function wholeLines({ name, tool, asListed, notes }: Listed): readonly Line[] {
  const json = (value: unknown) => (JSON.stringify(value, undefined, 2) ?? 'nothing').split('\n');
  return [
    ...notes.map(({ kind, why }) => `${name} was ${kind === 'repaired' ? 'repaired' : 'left out'}: ${why}`),
    [{ text: 'as the server lists it', style: 'bold' }],
    ...json(asListed),
    [{ text: tool === undefined ? 'not sent on' : 'as a model is sent it', style: 'bold' }],
    ...(tool === undefined ? [] : json(wireTool(tool))),
  ];
}

function unknownTool(tool: string, all: readonly Listed[]): PegboardError<'TOOL_UNKNOWN'> {
  const near = nearest(
    tool,
    all.map(({ name }) => name),
  );
  return new PegboardError('TOOL_UNKNOWN', { tool, near: near === undefined ? '' : `; the nearest name is "${near}"` });
}
