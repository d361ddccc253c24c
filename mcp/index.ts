import { definePlugin, type Plugin, type ServerOffer } from 'pegboard';

import { resourceTools } from './resources.ts';
import { Servers } from './servers.ts';

export { judgeCallback, judgeToken } from './auth.ts';
export type { Callback } from './auth.ts';
export { complaintAbout } from './config.ts';
export { judgeVariable } from './environment.ts';
export { judgeName } from './judge-name.ts';
export type { WishedName } from './judge-name.ts';
export { listedSources } from './listed-sources.ts';
export type { ListedSource, ToolListing } from './listed-sources.ts';
export { nameServers } from './names.ts';
export { readServerFile } from './server-file.ts';
export type { ServerFile } from './server-file.ts';
export { judgeRequest, judgeSessionMessage } from './serve/judge-request.ts';
export type { LocalRequest, SessionMessage } from './serve/judge-request.ts';

export interface McpOptions {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal?: ((server: string, definition: unknown) => string | undefined) | undefined;
  /** In which folder a process works whose definition names none; the host's where it gives none. */
  readonly workFolder?: ((offer: ServerOffer) => string | undefined) | undefined;
}

/**
 * MCP servers as sources of tools: the owner of the point `mcp.server`. Put it among the built-ins, so that the tools for
 * resources are; one for each host, because it holds that host's connections.
 */
export function mcp({ refusal = () => undefined, workFolder = () => undefined }: McpOptions = {}): Plugin {
  const servers = new Servers({ refusal, workFolder });
  return definePlugin({ name: 'mcp', tools: resourceTools(servers), setup: (scope) => servers.open(scope) });
}
