import { definePlugin, type Plugin, type PluginScope, type ServerOffer } from 'pegboard';

import type { Sampler } from './answer/answerer.ts';
import type { Browser } from './auth/consent.ts';
import { limitsSchema, type Limits } from './limits.ts';
import { resourceMentions } from './mentions.ts';
import { resourceTools } from './resources.ts';
import { Servers } from './servers.ts';

export { judgeCallback, judgeToken } from './auth/judge-answer.ts';
export type { Callback } from './auth/judge-answer.ts';
export { signInTo, signOutOf } from './auth/sign-in.ts';
export { complaintAbout } from './config.ts';
export { judgeVariable } from './environment.ts';
export { knownServers, logFiles } from './known-servers.ts';
export type { KnowingPlace, KnownServer } from './known-servers.ts';
export { judgeName } from './judge-name.ts';
export type { WishedName } from './judge-name.ts';
export { listedSources } from './listed-sources.ts';
export type { ListedSource, ToolListing } from './listed-sources.ts';
export { nameServers } from './names.ts';
export { readServerFile } from './server-file.ts';
export type { Browser } from './auth/consent.ts';
export type { SignedIn, SignedOut, SignInDesk } from './auth/sign-in.ts';
export type { Sampler } from './answer/answerer.ts';
export type { ServerFile } from './server-file.ts';
export { judgeRequest, judgeSessionMessage } from './serve/judge-request.ts';
export type { LocalRequest, SessionMessage } from './serve/judge-request.ts';

export interface McpOptions {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal?: ((server: string, definition: unknown) => string | undefined) | undefined;
  /** In which folder a process works whose definition names none; the host's where it gives none. */
  readonly workFolder?: ((offer: ServerOffer) => string | undefined) | undefined;
  /** Servers by name, as in a file of servers; also ones in this process, as `{ instance }`. Relative paths start in the host's folder. */
  readonly servers?: Readonly<Record<string, unknown>> | undefined;
  /** Answers servers that ask for completions of a model and whose definition has `sampling: true`; without it they are refused. */
  readonly sampler?: Sampler | undefined;
  /** Each server is started and asked anew, whatever is known of it: for whoever wants to know how they are. */
  readonly afresh?: boolean | undefined;
  /** Lets people sign in to servers that want it, while this program runs; without it `pegboard mcp login` does. */
  readonly browser?: Browser | undefined;
}

/**
 * MCP servers as sources of tools: the owner of the point `mcp.server`. Put it among the built-ins, so that the tools for
 * resources are; one for each host, because it holds that host's connections. Its options are the `Limits` of all servers.
 */
export function mcp(options: McpOptions = {}): Plugin {
  const { refusal = () => undefined, workFolder = () => undefined, servers: given = {}, sampler, browser, afresh = false } = options;
  const servers = new Servers({ refusal, workFolder, sampler, browser, afresh });
  const setup = (scope: PluginScope) => {
    const offers = Object.entries(given).map(([name, definition]) => ({
      name,
      definition,
      origin: 'the options of mcp()',
      folder: scope.cwd,
    }));
    scope.contribute('mcp.server', offers);
    scope.contribute('mention', [resourceMentions(servers)]);
    servers.open(scope, scope.options as Limits);
  };
  return definePlugin({ name: 'mcp', tools: resourceTools(servers), options: limitsSchema, setup });
}
