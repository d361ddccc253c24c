import { join } from 'node:path';

import { PegboardError, type PluginScope, type ServerOffer } from 'pegboard';
import { ProcessGroups, ProcessLedger } from 'pegboard/kit';

import { answererFor, type Sampler } from './answer/answerer.ts';
import type { Browser } from './auth/consent.ts';
import { provenSender } from './auth/proven-sender.ts';
import { doubled, readOffer, type ReadOffer, type ServerTransport } from './config.ts';
import { Gate } from './gate.ts';
import type { Limits } from './limits.ts';
import { ListCache } from './list-cache.ts';
import { nameServers, namespaceOf } from './names.ts';
import { promptCommands } from './prompt-commands.ts';
import type { ServerPrompt } from './prompts.ts';
import { ROOT_POINT } from './root-point.ts';
import { rootsFor } from './roots.ts';
import { ServerSource, type SourcePlace } from './source.ts';

/** What stands under one name: a server's life, or nothing but the reason why there is none. */
interface Standing {
  readonly wanted: Wanted;
  readonly owner: string;
  readonly source: ServerSource | undefined;
}

/** What the host's maker decides about servers. */
export interface ServerRules {
  /** Why a server may not be started, whoever offers it. */
  readonly refusal: (server: string, definition: unknown) => string | undefined;
  /** In which folder a process works whose definition names none; the host's where it gives none. */
  readonly workFolder: (offer: ServerOffer) => string | undefined;
  /** Who answers servers that may ask for completions of a model. */
  readonly sampler: Sampler | undefined;
  /** Where people can be asked to sign in. */
  readonly browser: Browser | undefined;
  /** Whether each is started and asked anew, whatever is known of it. */
  readonly afresh: boolean;
}

type Wanted = { readonly name: string; readonly part: string; readonly read: Exclude<ReadOffer, { readonly kind: 'disabled' }> };

/** All servers of one host: they come and go as they are offered. A changed definition restarts that server and no other. */
export class Servers {
  readonly #standing = new Map<string, Standing>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #rules: ServerRules;
  #roots: readonly string[] = [];
  /** Those that are offered as commands. */
  #prompts: readonly ServerPrompt[] = [];

  constructor(rules: ServerRules) {
    this.#rules = rules;
  }

  /** Follows the offers until the plugin is taken down, and then ends every server. What a killed host has left running is ended at once. */
  open(scope: PluginScope, limits: Limits): void {
    const ledger = new ProcessLedger({ folder: join(scope.folders.data, 'processes'), now: () => scope.now() });
    const shared = sharedPlace(scope, limits, ledger, this.#rules.afresh);
    const swept = ledger.sweep();
    scope.onClose(async () => {
      await this.#close();
      await swept;
    });
    scope.follow(ROOT_POINT, (folders) => this.#tellRoots([...new Set([scope.cwd, ...folders])]));
    scope.follow('mcp.server', (offers) => {
      const wanted = chooseServers(offers, (offer) => readAllowed(offer, shared.environment, this.#rules), shared.report);
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

  /** Says which servers there are to whoever asked for another. */
  unknown(server: string): PegboardError {
    const known = this.all().map(({ name }) => name);
    return new PegboardError('MCP_NO_SERVER', { server, known: known.join(', ') || 'none' });
  }

  #tellRoots(roots: readonly string[]): void {
    const told = this.all().map((source) => [source, source.roots(this.#roots)] as const);
    this.#roots = roots;
    for (const [source, before] of told) if (before.join('\n') !== source.roots(roots).join('\n')) source.tellRootsChanged();
  }

  #stand(wanted: Wanted, scope: PluginScope, shared: Omit<SourcePlace, 'put' | 'after'>): void {
    const { name, part, read } = wanted;
    const owner = `mcp__${part}`;
    const before = this.#standing.get(name);
    if (before && isSame(before.wanted, wanted)) return;
    if (before) this.#end(name, before, scope);
    const put: SourcePlace['put'] = (set) => {
      if (scope.signal.aborted) return;
      scope.provideFrom(owner, set);
      this.#offerCommands(scope);
    };
    if (read.kind === 'broken') {
      put({ tools: [], status: { kind: 'failed', message: read.error.message }, namespace: namespaceOf(part) });
      scope.report(read.error);
      this.#standing.set(name, { wanted, owner, source: undefined });
      return;
    }
    const sampler = read.config.sampling ? this.#rules.sampler : undefined;
    const roots = () => rootsFor(read.config, scope.cwd, this.#roots);
    const answerer = answererFor({ server: name, asker: scope.asker, ...(read.config.roots?.length === 0 ? {} : { roots }), sampler });
    const after = this.#ending.get(name) ?? Promise.resolve();
    const sender = provenSender(read.config, { ...shared, secrets: scope.secrets, browser: this.#rules.browser });
    const source = new ServerSource(read.config, part, { ...shared, answerer, sender, put, after });
    this.#standing.set(name, { wanted, owner, source });
    for (const { name: member, meant } of read.odd)
      scope.report(new PegboardError('MCP_MEMBER', { server: name, file: read.config.origin, member, meant }));
    source.start();
  }

  /** The prompts of all servers, anew only where they are not the same as before. */
  #offerCommands(scope: PluginScope): void {
    const prompts = this.all().flatMap((source) => source.prompts);
    if (scope.signal.aborted || (prompts.length === this.#prompts.length && prompts.every((each, at) => each === this.#prompts[at])))
      return;
    this.#prompts = prompts;
    scope.contribute('command', this.all().flatMap(promptCommands));
  }

  #end(name: string, { owner, source }: Standing, scope: PluginScope): void {
    this.#standing.delete(name);
    if (!scope.signal.aborted) scope.provideFrom(owner, undefined);
    this.#offerCommands(scope);
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

function sharedPlace(
  scope: PluginScope,
  { listMaxAge, idleStop, connectsAtOnce }: Limits,
  ledger: ProcessLedger,
  afresh: boolean,
): Omit<SourcePlace, 'put' | 'after'> {
  const windows = process.platform === 'win32';
  const now = () => scope.now();
  const { cwd, folders } = scope;
  return {
    cwd,
    windows,
    now,
    idleStop,
    environment: process.env,
    groups: new ProcessGroups({ windows, ledger }),
    gate: new Gate(connectsAtOnce),
    cache: new ListCache({ folder: folders.cache, cwd, path: process.env['PATH'] ?? '', now, listMaxAge, afresh }),
    logFolder: folders.logs,
    report: (cause: unknown) => scope.report(cause),
  };
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
  if (read.kind !== 'server') return read;
  const transport = withWorkFolder(read.config.transport, () => rules.workFolder(offer));
  return { ...read, config: { ...read.config, transport } };
}

/** What runs works where servers do: the server itself, unless its definition names a folder, and the program that prints headers. */
function withWorkFolder(transport: ServerTransport, folder: () => string | undefined): ServerTransport {
  if (transport.kind === 'stdio') return { ...transport, cwd: transport.cwd ?? folder() };
  if (transport.kind !== 'http' || transport.helper === undefined) return transport;
  return { ...transport, helper: { ...transport.helper, cwd: folder() ?? transport.helper.cwd } };
}

/** Whether nothing has changed that makes another server of it. What code gives is the same only as the same object. */
function isSame(before: Wanted, now: Wanted): boolean {
  return instanceOf(before) === instanceOf(now) && textOf(before) === textOf(now);
}

function instanceOf({ read }: Wanted): unknown {
  return read.kind === 'server' && read.config.transport.kind === 'code' ? read.config.transport.instance : undefined;
}

function textOf({ part, read }: Wanted): string {
  if (read.kind === 'broken') return JSON.stringify([part, read.error.message]);
  const { transport, ...rest } = read.config;
  return JSON.stringify([part, rest, transport.kind === 'code' ? 'code' : transport]);
}
