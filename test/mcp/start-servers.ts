import { headlessAsker, textOf, type HostEvent, type Plugin, type PluginScope, type Pool, type ServerOffer, type Source } from 'pegboard';
import { mcp } from 'pegboard/mcp';
import { startHost, temporaryFolder, type StartedHost, type StartOptions } from 'pegboard/testing';

/** A host with servers. Everything is allowed; the folder holds home, records and whatever a test puts there. */
export interface RunningServers extends StartedHost {
  readonly folder: string;
  /** Offers these servers from now on, and no others. */
  offer(definitions: Readonly<Record<string, unknown>>): void;
  source(server: string): Source | undefined;
  /** Settles as soon as a look at the pool is as wanted; the test's own time limit ends it otherwise. */
  until(wanted: (pool: Pool) => boolean): Promise<void>;
  /** The text of a call's result. */
  call(tool: string, input?: unknown, options?: { readonly signal?: AbortSignal }): Promise<string>;
  reports(): readonly string[];
}

/** Starts a host and waits until no server is connecting any more. */
export async function startServers(
  definitions: Readonly<Record<string, unknown>>,
  options: StartOptions & { readonly folder?: string; readonly wait?: boolean } = {},
): Promise<RunningServers> {
  const { folder: given, wait = true, ...rest } = options;
  const own = given === undefined ? await temporaryFolder() : undefined;
  const folder = given ?? own?.path ?? '';
  let scope: PluginScope | undefined;
  const offers: Plugin = {
    name: 'offers',
    setup: (opened) => {
      scope = opened;
      scope.contribute('mcp.server', offersOf(definitions, folder));
    },
  };
  const started = await startHost({
    home: `${folder}/home`,
    cwd: folder,
    asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }) },
    builtins: [mcp()],
    ...rest,
    plugins: [offers, ...(rest.plugins ?? [])],
  });
  const { host, events } = started;
  if (wait) await host.settled(20_000);
  return {
    ...started,
    folder,
    offer: (changed) => scope?.contribute('mcp.server', offersOf(changed, folder)),
    source: (server) => host.pool().sources.find(({ owner }) => owner === `mcp__${server}`),
    until: (wanted) =>
      new Promise((resolve) => {
        const look = () => {
          if (!wanted(host.pool())) return;
          stop();
          resolve();
        };
        const stop = host.on(look);
        look();
      }),
    call: async (tool, input = {}, how = {}) => textOf((await host.call(tool, input, how)).result.content),
    reports: () => events.flatMap((event: HostEvent) => (event.kind === 'report' ? [event.message] : [])),
    stop: async () => {
      await started.stop();
      await own?.remove();
    },
  };
}

function offersOf(definitions: Readonly<Record<string, unknown>>, folder: string): readonly ServerOffer[] {
  return Object.entries(definitions).map(([name, definition]) => ({ name, definition, origin: `${folder}/.mcp.json`, folder }));
}
