import { definePlugin, type Plugin } from 'pegboard';

import { resourceTools } from './resources.ts';
import { Servers } from './servers.ts';

export { complaintAbout } from './config.ts';
export { listedSources } from './listed-sources.ts';
export type { ListedSource, ToolListing } from './listed-sources.ts';
export { nameServers } from './names.ts';
export { readServerFile } from './server-file.ts';
export type { ServerFile } from './server-file.ts';

export interface McpOptions {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal?: ((server: string, definition: unknown) => string | undefined) | undefined;
}

/**
 * MCP servers as sources of tools: the owner of the point `mcp.server`. Put it among the built-ins, so that the tools for
 * resources are; one for each host, because it holds that host's connections.
 */
export function mcp({ refusal = () => undefined }: McpOptions = {}): Plugin {
  const servers = new Servers(refusal);
  return definePlugin({ name: 'mcp', tools: resourceTools(servers), setup: (scope) => servers.open(scope) });
}
