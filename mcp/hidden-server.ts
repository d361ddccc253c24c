import { PegboardError, type Pool } from 'pegboard';

import { serverRuleNames } from './names.ts';

/** Why nothing of a server is to be had: a rule denies it, whether or not it has tools, or hides all tools it has. */
export function hiddenBy({ name, part }: { readonly name: string; readonly part: string }, pool: Pool): PegboardError | undefined {
  const places = pool.places.filter(({ source }) => source.owner === `mcp__${part}`);
  const denied = pool.denied([...serverRuleNames({ name, part }), `mcp__${name}`]) !== undefined;
  const hidden = denied || (places.length > 0 && places.every(({ state }) => state === 'hidden'));
  return hidden ? new PegboardError('MCP_HIDDEN', { server: name }) : undefined;
}
