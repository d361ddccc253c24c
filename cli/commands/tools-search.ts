import { PegboardError } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { matchJson } from '../render/json.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Command } from '../run-command.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** A name that is cut cannot be called. */
const COLUMNS: readonly Column[] = [
  { title: 'name', holds: 'always' },
  { title: 'score', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'source', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'hint', leaves: { turn: 3, to: 'below' } },
];

/** `tools search`: the best matches, best first. Finding nothing is an answer, not a failure. */
export function toolsSearch(query: string, limit: number): Command {
  if (query.trim() === '') throw new PegboardError('SEARCH_QUERY', { query });
  return async (desk) => {
    const { host, screen } = desk;
    await waitForServers(desk);
    const { matches, missing } = await host.search(query, { limit });
    if (missing.length > 0) screen.warn(`pegboard: no tool is named ${missing.join(', ')}`);
    if (screen.json) screen.value(matches.map(matchJson));
    else if (matches.length === 0) screen.print([`No tool fits "${query}". Try other words, or \`pegboard tools list\`.`]);
    else
      screen.print(
        tableLines(
          COLUMNS,
          matches.map(({ place, score }) => [
            { text: place.tool.name, style: 'bold' },
            score.toFixed(2),
            place.source.owner,
            place.tool.searchHint,
          ]),
          screen.width,
        ),
      );
    return exitCode.done;
  };
}
