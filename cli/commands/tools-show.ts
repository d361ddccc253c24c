import { nearest, PegboardError, wireTool, type Place, type Pool } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { findTool } from '../find-tool.ts';
import { toolJson } from '../render/json.ts';
import { textLines } from '../render/terminal.ts';
import type { Command } from '../run-command.ts';
import type { Line } from '../screen.ts';

/** `tools show`: the definition as a model is sent it, and what the host knows beside it. */
export function toolsShow(name: string): Command {
  return async (desk) => {
    const place = await findTool(desk, name);
    if (place === undefined) throw unknownTool(desk.host.pool(), name);
    if (desk.screen.json) desk.screen.value(toolJson(place));
    else desk.screen.print(facts(place));
    return exitCode.done;
  };
}

function unknownTool({ tools }: Pool, name: string): PegboardError<'TOOL_UNKNOWN'> {
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  return new PegboardError('TOOL_UNKNOWN', { tool: name, near: near === undefined ? '' : `; the nearest name is "${near}"` });
}

function facts(place: Place): readonly Line[] {
  const { bytes, tokens, source, builtin, state, why, aliases, ruleNames, kind, annotations } = toolJson(place);
  const { name, title, description, searchHint } = place.tool;
  const fact = (label: string, text: string): Line => [{ text: label.padEnd(13), style: 'dim' }, text];
  return [
    [{ text: name, style: 'bold' }, ...(title === undefined ? [] : [`  ${title}`])],
    fact('source', builtin ? `${source} (built in)` : source),
    fact('state', `${state}: ${why}`),
    fact('size', `${bytes} bytes, about ${tokens} tokens`),
    fact('kind', kind),
    fact('hint', searchHint),
    ...(aliases.length > 0 ? [fact('aliases', aliases.join(', '))] : []),
    fact('rule names', ruleNames.join(', ')),
    ...(annotations === undefined ? [] : [fact('annotations', JSON.stringify(annotations))]),
    '',
    ...textLines(description),
    '',
    ...JSON.stringify(wireTool(place.tool).input_schema, undefined, 2).split('\n'),
  ];
}
