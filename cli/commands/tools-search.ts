import { PegboardError, type SearchMatch } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { explanationLines } from '../render/explanation.ts';
import { matchJson } from '../render/json.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Command } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** A name that is cut cannot be called. */
const COLUMNS: readonly Column[] = [
  { title: 'name', holds: 'always' },
  { title: 'score', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'source', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'hint', leaves: { turn: 3, to: 'below' } },
];

/** What a search is asked for. */
export interface ToolsSearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Says of each match how its score came about. */
  readonly explain: boolean;
}

/** `tools search`: the best matches, best first. Finding nothing is an answer, not a failure. */
export function toolsSearch({ query, limit, explain }: ToolsSearchRequest): Command {
  if (query.trim() === '') throw new PegboardError('SEARCH_QUERY', { query });
  return async (desk) => {
    const { host, screen } = desk;
    await waitForServers(desk);
    const { matches, missing, verdict } = await host.search(query, { limit, explain });
    if (missing.length > 0) screen.warn(`pegboard: no tool is named ${missing.join(', ')}`);
    if (verdict === 'nothing' && matches.length > 0) screen.tell('Nothing seems to fit; these come nearest.');
    if (screen.json) screen.value(matches.map(matchJson));
    else if (matches.length === 0) screen.print([`No tool fits "${query}". Try other words, or \`pegboard tools list\`.`]);
    else if (explain) screen.print(explained(matches, screen.width));
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

function explained(matches: readonly SearchMatch[], width: number): readonly Line[] {
  return matches.flatMap((match, at) => [...(at > 0 ? [''] : []), ...explanationLines(match, width)]);
}
