import { PegboardError, type PluginScope, type ServerOffer } from 'pegboard';
import { ProcessGroups } from 'pegboard/kit';

import { doubled, readOffer, type ReadOffer } from './config.ts';
import { ListCache } from './list-cache.ts';
import { nameServers, namespaceOf } from './names.ts';
import { ServerSource, type SourcePlace } from './source.ts';

/** What stands under one name: a server's life, or nothing but the reason why there is none. */
interface Standing {
  /** Everything that makes another server of it. */
  readonly key: string;
  readonly owner: string;
  readonly source: ServerSource | undefined;
}

/** What the host's maker decides about servers. */
export interface ServerRules {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal: (server: string, definition: unknown) => string | undefined;
  /** In which folder a process works whose definition names none; the host's where it gives none. */
  readonly workFolder: (offer: ServerOffer) => string | undefined;
}
type Wanted = { readonly name: string; readonly part: string; readonly read: Exclude<ReadOffer, { readonly kind: 'disabled' }> };

/** All servers of one host: they come and go as they are offered. A changed definition restarts that server and no other. */
export class Servers {
  readonly #standing = new Map<string, Standing>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #rules: ServerRules;

  constructor(rules: ServerRules) {
    this.#rules = rules;
  }

  /** Follows the offers until the plugin is taken down, and then ends every server. */
  open(scope: PluginScope): void {
    const windows = process.platform === 'win32';
    const environment = process.env;
    const shared = {
      cwd: scope.cwd,
      windows,
      environment,
      groups: new ProcessGroups({ windows }),
      cache: new ListCache(scope.folders.cache, scope.cwd, () => scope.now()),
      logFolder: scope.folders.logs,
      report: (cause: unknown) => scope.report(cause),
    };
    scope.onClose(() => this.#close());
    scope.follow('mcp.server', (offers) => {
      const wanted = chooseServers(offers, (offer) => readAllowed(offer, environment, this.#rules), shared.report);
      for (const [name, standing] of this.#standing) if (!wanted.some((each) => each.name === name)) this.#end(name, standing, scope);
      for (const each of wanted) this.#stand(each, scope, shared);
    });
  }

  /** By the name its configuration gives it, or by its part in tools' names. */
  find(name: string): ServerSource | undefined {
    return this.#standing.get(name)?.source ?? this.all().find(({ part }) => part === name);
  }

  all(): readonly ServerSource[] {
    return [...this.#standing.values()].flatMap(({ source }) => source ?? []);
  }

  #stand({ name, part, read }: Wanted, scope: PluginScope, shared: Omit<SourcePlace, 'put' | 'after'>): void {
    const owner = `mcp__${part}`;
    const key = JSON.stringify([part, read.kind === 'server' ? read.config : read.error.message]);
    const before = this.#standing.get(name);
    if (before?.key === key) return;
    if (before) this.#end(name, before, scope);
    const put: SourcePlace['put'] = (set) => {
      if (!scope.signal.aborted) scope.provideFrom(owner, set);
    };
    if (read.kind === 'broken') {
      put({ tools: [], status: { kind: 'failed', message: read.error.message }, namespace: namespaceOf(part) });
      scope.report(read.error);
      this.#standing.set(name, { key, owner, source: undefined });
      return;
    }
    const source = new ServerSource(read.config, part, { ...shared, put, after: this.#ending.get(name) ?? Promise.resolve() });
    this.#standing.set(name, { key, owner, source });
    source.start();
  }

  #end(name: string, { owner, source }: Standing, scope: PluginScope): void {
    this.#standing.delete(name);
    if (!scope.signal.aborted) scope.provideFrom(owner, undefined);
    const ended = (source?.close() ?? Promise.resolve()).then(() => {
      if (this.#ending.get(name) === ended) this.#ending.delete(name);
    });
    this.#ending.set(name, ended);
  }

  async #close(): Promise<void> {
    const sources = this.all();
    this.#standing.clear();
    await Promise.all([...sources.map((source) => source.close()), ...this.#ending.values()]);
  }
}

/** The first offer of a name counts; names are settled for all together, so that they do not depend on who came first. */
function chooseServers(
  offers: readonly ServerOffer[],
  read: (offer: ServerOffer) => ReadOffer,
  report: (cause: unknown) => void,
): readonly Wanted[] {
  const first = new Map<string, ServerOffer>();
  for (const offer of offers) {
    const before = first.get(offer.name);
    if (before) report(doubled(offer.name, offer.origin, before.origin));
    else first.set(offer.name, offer);
  }
  const parts = nameServers(first.keys());
  return [...first].flatMap(([name, offer]) => {
    const understood = read(offer);
    return understood.kind === 'disabled' ? [] : [{ name, part: parts.get(name) ?? name, read: understood }];
  });
}

function readAllowed(offer: ServerOffer, environment: Readonly<Record<string, string | undefined>>, rules: ServerRules): ReadOffer {
  const why = rules.refusal(offer.name, offer.definition);
  if (why !== undefined) return { kind: 'broken', error: new PegboardError('MCP_POLICY', { server: offer.name, file: offer.origin, why }) };
  const read = readOffer(offer, environment);
  if (read.kind !== 'server' || read.config.transport.kind !== 'stdio') return read;
  const transport = { ...read.config.transport, cwd: read.config.transport.cwd ?? rules.workFolder(offer) };
  return { kind: 'server', config: { ...read.config, transport } };
}
