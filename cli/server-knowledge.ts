import { estimateTokens, wireBytes } from 'pegboard';
import type { KnownServer } from 'pegboard/mcp';

import { workFolder } from './work-folder.ts';
import type { ListedServer } from './all-servers.ts';
import type { SettingsDesk } from './run-command.ts';

/** What is known of a server that may start, and of how it would. */
export interface ServerKnowledge extends KnownServer {
  /** What its definitions cost whoever loads all of them. */
  readonly tokens: number;
  /** Whether it works in an empty folder, because nobody trusts the one it is used in. */
  readonly emptyFolder: boolean;
}

/** What is known of all servers that may start, by their names; nothing is started. */
export async function serverKnowledge(
  servers: readonly ListedServer[],
  { configuration }: Pick<SettingsDesk, 'configuration'>,
): Promise<ReadonlyMap<string, ServerKnowledge>> {
  const { knownServers } = await import('pegboard/mcp');
  const { home, cwd, settings } = configuration;
  const offers = servers.flatMap(({ state }) => (state.kind === 'ready' ? [state.offer] : []));
  const folderOf = (offer: (typeof offers)[number]) => workFolder(offer, configuration, settings);
  const environment = { ...process.env, ...settings.ownEnv };
  const known = knownServers(offers, { home, cwd, environment, workFolder: folderOf, now: Date.now });
  return new Map(
    known.map((each, at) => {
      const offer = offers[at];
      const tokens = estimateTokens((each.met?.tools ?? []).reduce((sum, tool) => sum + wireBytes(tool), 0));
      const named = Object(offer?.definition) as { readonly command?: unknown; readonly cwd?: unknown };
      const emptyFolder = offer !== undefined && typeof named.command === 'string' && !named.cwd && folderOf(offer) !== undefined;
      return [each.name, { ...each, tokens, emptyFolder }];
    }),
  );
}
