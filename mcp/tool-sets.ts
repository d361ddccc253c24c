import { errorResult, type SourceFacts, type Tool } from 'pegboard';

import { adaptTools } from './adapt-tool.ts';
import { isReservedServer, nameServers, namespaceOf, serverRuleNames } from './names.ts';

/** A server by what it lists, without a connection. */
export interface ListedServer {
  readonly name: string;
  readonly tools: readonly unknown[];
}

/** One server's tools as a host would have them. */
export interface ToolSet extends SourceFacts {
  /** As the configuration names the server. */
  readonly server: string;
  readonly owner: string;
  readonly tools: readonly Tool[];
}

/** What becomes of several servers' lists: names, rules and what is left out, for trying a policy on servers that do not run. */
export function toolSets(servers: readonly ListedServer[]): readonly ToolSet[] {
  const usable = servers.filter(({ name }) => !isReservedServer(name));
  const parts = nameServers(usable.map(({ name }) => name));
  return usable.map(({ name, tools }) => {
    const part = parts.get(name) ?? name;
    const home = { name, part, call: async () => errorResult('this server does not run') };
    const { tools: adapted, notes } = adaptTools(tools, home);
    return { server: name, owner: `mcp__${part}`, tools: adapted, notes, namespace: namespaceOf(part), ruleNames: serverRuleNames(home) };
  });
}
