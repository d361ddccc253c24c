import { errorResult, type SourceFacts, type Tool } from 'pegboard';

import { adaptTools } from './adapt-tool.ts';
import { isObject } from './json.ts';
import { isReservedServer, nameServers, namespaceOf, serverRuleNames } from './names.ts';

/** Definitions of tools as one server would list them: a catalogue, or a list that was kept. */
export interface ToolListing {
  /** As a configuration would name it; empty for tools that no server brings. */
  readonly server: string;
  readonly instructions?: string | undefined;
  readonly tools: readonly unknown[];
}

/** The same as a source of a registry. Its tools can be searched and shown; a call says that they are only listed. */
export interface ListedSource extends SourceFacts {
  readonly owner: string;
  readonly tools: readonly Tool[];
  /** The name in the pool of each tool that can be used, by its name in the listing. */
  readonly names: ReadonlyMap<string, string>;
}

/** Sources as servers with these lists would be: same names, same repairs, same tools left out. One for each listing, in that order. */
export function listedSources(listings: readonly ToolListing[]): readonly ListedSource[] {
  const parts = nameServers(listings.map(({ server }) => server).filter((server) => server !== ''));
  return listings.map((listing) => {
    const part = parts.get(listing.server) ?? '';
    const home = { name: listing.server, part };
    const call = async () => errorResult(`The tools of ${listing.server || 'this catalogue'} are only listed; nothing runs behind them.`);
    const { tools, notes } = adaptTools(isReservedServer(listing.server) ? [] : listing.tools, { ...home, call });
    const known = { instructions: listing.instructions, notes };
    if (listing.server !== '')
      return {
        ...known,
        owner: `mcp__${part}`,
        namespace: namespaceOf(part),
        ruleNames: serverRuleNames(home),
        tools,
        names: namesOf(tools),
      };
    const plain = tools.map((tool) => Object.freeze({ ...tool, name: tool.name.slice(namespaceOf('').length) }));
    return { ...known, owner: '', tools: plain, names: namesOf(plain) };
  });
}

function namesOf(tools: readonly Tool[]): ReadonlyMap<string, string> {
  return new Map(
    tools.map(({ name, _meta }) => {
      const listed: unknown = _meta?.['pegboard/mcp'];
      return [isObject(listed) && typeof listed['tool'] === 'string' ? listed['tool'] : name, name];
    }),
  );
}
