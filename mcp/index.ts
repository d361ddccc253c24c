import { definePlugin, type Plugin, type PluginScope } from 'pegboard';

import { limitsSchema, type Limits } from './limits.ts';
import { resourceTools } from './resources.ts';
import { Servers } from './servers.ts';

export { complaintAbout } from './config.ts';
export { nameServers } from './names.ts';
export { readServerFile } from './server-file.ts';
export type { ServerFile } from './server-file.ts';

export interface McpOptions {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal?: ((server: string, definition: unknown) => string | undefined) | undefined;
}

/**
 * MCP servers as sources of tools: the owner of the point `mcp.server`. Put it among the built-ins, so that the tools for
 * resources are; one for each host, because it holds that host's connections. Its options are the `Limits` of all servers.
 */
export function mcp({ refusal = () => undefined }: McpOptions = {}): Plugin {
  const servers = new Servers(refusal);
  const setup = (scope: PluginScope) => servers.open(scope, scope.options as Limits);
  return definePlugin({ name: 'mcp', tools: resourceTools(servers), options: limitsSchema, setup });
}
