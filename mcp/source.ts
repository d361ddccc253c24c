import { join } from 'node:path';

import { PegboardError, errorResult, type SourceFacts, type SourceStatus, type Tool, type ToolContext, type ToolResult } from 'pegboard';

import { adaptResult } from './adapt-result.ts';
import { adaptTools, type AdaptedTools, type ToolCall, type ToolHome } from './adapt-tool.ts';
import { asKnown } from './as-known.ts';
import { coalesce } from './coalesce.ts';
import { refusedProof } from './auth/refused-proof.ts';
import type { ServerConfig } from './config.ts';
import { said } from './connect-failure.ts';
import { connect, type Connected, type ConnectPlace } from './connect.ts';
import { FirstFetch } from './first-fetch.ts';
import type { Gate } from './gate.ts';
import { Lifeline, type Fall } from './lifeline.ts';
import type { Answer, Era, Link, Params, Patience } from './link.ts';
import { causeOf } from './list-all.ts';
import type { ListCache, Remembered, ServerList } from './list-cache.ts';
import { listChanges } from './list-changes.ts';
import { listServer } from './list-server.ts';
import { ServerLog } from './log.ts';
import { namespaceOf, serverRuleNames } from './names.ts';
import { adaptPrompts, type AdaptedPrompts, type ServerPrompt } from './prompts.ts';
import { rootsFor } from './roots.ts';
import { unlessAborted } from './unless-aborted.ts';
import { WatchedResources } from './watched-resources.ts';
import { quotingNothing, secretsHider } from './without-secrets.ts';

/** What a server's life needs around it. */
export interface SourcePlace extends Omit<ConnectPlace, 'signal' | 'log' | 'era' | 'fetch'> {
  /** Sends what goes over HTTP, with what proves who asks. */
  readonly sender?: ((log: ServerLog) => typeof fetch) | undefined;
  /** Puts up the server's whole set. */
  put(set: { readonly tools: readonly Tool[] } & SourceFacts): void;
  report(cause: unknown): void;
  now(): number;
  readonly cache: ListCache;
  readonly gate: Gate;
  readonly logFolder: string;
  /** After how long without use a server's process is stopped, ms; 0 for never. */
  readonly idleStop: number;
  /** Settles when whoever had this server's name before has ended. */
  readonly after: Promise<void>;
}

/** What a request may carry beside itself. */
export interface AskExtras {
  readonly progress?: ((progress: unknown) => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether it may be sent once more when its answer was lost. */
  readonly repeatable?: boolean | undefined;
}

/** An answer, or why nothing was asked. */
type Sent = Answer | { readonly kind: 'down'; readonly message: string };

/** A server found other headers than its definitions ask for. */
const HEADER_MISMATCH = -32020;
const REFRESH_WAITS = { firstMs: 100, mostMs: 5_000 };
/** A short command is over by then, and has started nothing. */
const BACKGROUND_MS = 2_000;
/** Started only to be asked for its list, it need not stay as long. */
const UNUSED_MS = 60_000;
const MOST_CHANGED = 20;

/**
 * One server's life. What is known of it from before is up at once and it starts at the first call; without that it starts now, to
 * be asked. How it is doing is told with its tools.
 */
export class ServerSource implements ToolHome {
  readonly name: string;
  readonly part: string;
  readonly #config: ServerConfig;
  readonly #place: SourcePlace;
  readonly #log: ServerLog;
  /** A server may quote in what it says of a failure what it was started with. */
  readonly #hide: (text: string) => string;
  readonly #life: Lifeline;
  readonly #refresh = coalesce(() => this.#list().catch((cause: unknown) => this.#place.report(cause)), REFRESH_WAITS);
  /** Those who wait for it to start. */
  readonly #waiting = new Set<(words: string) => void>();
  readonly watched = new WatchedResources(() => this.#put(this.#status));
  #background: NodeJS.Timeout | undefined;
  #era: Era | undefined;
  #startMs: number | undefined;
  #known: ServerList | undefined;
  #adapted: AdaptedTools = { tools: [], notes: [] };
  #prompts: AdaptedPrompts = { prompts: [], notes: [] };
  #status: SourceStatus = { kind: 'off' };
  /** Whose list is kept: after each start it is written anew, with its date. */
  #kept: Link | undefined;
  /** Of when the list is that was remembered, until the server has said how it is now. */
  #since: number | undefined;
  #notice: string | undefined;
  /** What was last reported: a server that is tried again and again says it once. */
  #told: string | undefined;
  #noted: Promise<void> = Promise.resolve();

  constructor(config: ServerConfig, part: string, place: SourcePlace) {
    this.name = config.name;
    this.part = part;
    this.#config = config;
    this.#place = place;
    this.#hide = secretsHider(config.transport);
    this.#log = new ServerLog(join(place.logFolder, `${part}.log`), this.#hide);
    const fetch = place.sender?.(this.#log);
    const met = place.cache.hasMet(config.transport);
    const fetching = new FirstFetch(config, { met, lastLine: () => this.#log.lastLine(), busy: (words) => this.#busy(words) });
    this.#life = new Lifeline({
      gate: place.gate,
      now: () => place.now(),
      connect: async (signal) => {
        await place.after;
        return fetching.start((now) => connect(now, { ...place, fetch, signal, log: this.#log, era: this.#era }));
      },
      lost: (words) => this.#lost(words),
      opened: (link, ms) => this.#opened(link, ms),
      fell: (fall) => this.#fell(fall),
      kept: () => config.start === 'eager' || this.#known === undefined,
      idleMs: (used) => this.#idleMs(used),
    });
  }

  /** What it declared that it has; `undefined` until it was asked. */
  get capabilities(): Params | undefined {
    return this.#known?.capabilities;
  }

  /** Whether it may have some. */
  get hasResources(): boolean {
    return this.#known === undefined || this.#known.capabilities['resources'] !== undefined;
  }

  get prompts(): readonly ServerPrompt[] {
    return this.#prompts.prompts;
  }

  start(): void {
    const { start, transport } = this.#config;
    const kept = this.#place.cache.read(transport);
    if (kept) this.#remember(kept);
    if (start === 'never') return this.#put({ kind: 'off' });
    const usable = kept !== undefined && kept.age !== 'old';
    this.#put({ kind: usable ? 'cached' : 'connecting' });
    if (start === 'eager' || !usable) void this.#life.open(false);
    else if (kept.age === 'stale') this.#background = setTimeout(() => void this.#life.open(false), BACKGROUND_MS).unref();
  }

  async call({ tool, wireName, input, headers, repeatable }: ToolCall, context: ToolContext): Promise<ToolResult> {
    if (this.#life.mayOpen && this.#status.kind !== 'off') context.report(this.#startWords());
    const params = { name: tool, arguments: input };
    const extras = { progress: (progress: unknown) => context.report(progress), headers, repeatable };
    const answer = await this.#send('tools/call', params, context.signal, extras);
    switch (answer.kind) {
      case 'result':
        this.#use();
        return quotingNothing(adaptResult(answer.result), this.#hide);
      case 'refused':
        // Its definitions are not as they were: the next call goes by the new ones.
        if (answer.code === HEADER_MISMATCH) void this.#refresh.now();
        return failure(new PegboardError('MCP_CALL', { server: this.name, tool: wireName, cause: answer.message }));
      case 'late':
        return failure(new PegboardError('MCP_TIMEOUT', { server: this.name, tool: wireName, limit: answer.limitMs }));
      case 'down':
        return failure(new PegboardError('MCP_DOWN', { server: this.name, tool: wireName, cause: answer.message }));
      case 'lost':
        return failure(new PegboardError('MCP_BROKEN', { server: this.name, tool: wireName, cause: answer.message }));
      case 'unauthorized':
        return failure(refusedProof(this.name, this.#config.transport, answer.challenge));
      default:
        return failure(new PegboardError('MCP_CALL', { server: this.name, tool: wireName, cause: causeOf(answer) }));
    }
  }

  /** Sends one request, connecting first where that is needed. Never rejects. */
  async ask(method: string, params: Params, signal: AbortSignal, extras: AskExtras = {}): Promise<Answer> {
    const answer = await this.#send(method, params, signal, extras);
    return answer.kind === 'down' ? { kind: 'lost', message: answer.message } : answer;
  }

  /** Ends it. Whatever is still under way settles, and nothing is put up any more. */
  async close(): Promise<void> {
    clearTimeout(this.#background);
    const listed = this.#refresh.stop();
    await this.#life.close();
    await listed;
    await this.#noted;
    await this.#log.close();
  }

  /** The folders it is told of, where the host works in these. */
  roots(folders: readonly string[]): readonly string[] {
    return rootsFor(this.#config, this.#place.cwd, folders);
  }

  /** Tells the server that its roots are not as they were, if it is connected and could have asked for them. */
  tellRootsChanged(): void {
    const { link } = this.#life;
    if (link && link.era !== 'modern') link.notify('notifications/roots/list_changed', {});
  }

  async #send(method: string, params: Params, signal: AbortSignal, { progress, headers, repeatable = false }: AskExtras): Promise<Sent> {
    const { start, origin: file, callLimitMs: idleMs, totalLimitMs: totalMs } = this.#config;
    if (start === 'never') return { kind: 'down', message: new PegboardError('MCP_NEVER', { server: this.name, file }).message };
    const patience: Patience = { signal, idleMs, totalMs, progress };
    const first = await this.#request(method, params, patience, headers);
    const again = first.kind === 'forgotten' || (first.kind === 'lost' && repeatable && !signal.aborted);
    const answer = again ? await this.#request(method, params, patience, headers) : first;
    return 'message' in answer ? { ...answer, message: this.#hide(answer.message) } : answer;
  }

  #request(method: string, params: Params, patience: Patience, headers: AskExtras['headers']): Promise<Sent> {
    return this.#life.use(async (): Promise<Sent> => {
      // A turn may still hold a tool of a server that was replaced meanwhile.
      if (this.#life.signal.aborted) return { kind: 'down', message: 'the server was taken down' };
      const { link } = this.#life;
      const connected = link ? ({ kind: 'link', link } as const) : await this.#start(patience);
      if (connected === undefined) return { kind: 'cancelled' };
      if (connected.kind !== 'link') return { kind: 'down', message: connected.error.message };
      const answer = await connected.link.request(method, params, patience, headers);
      if (answer.kind === 'result' || answer.kind === 'refused') this.#life.worked();
      if (answer.kind === 'forgotten') await this.#life.drop(connected.link);
      return answer;
    });
  }

  async #start({ signal, progress }: Patience): Promise<Connected | undefined> {
    if (progress) this.#waiting.add(progress);
    try {
      return await unlessAborted(this.#life.open(true), signal);
    } finally {
      if (progress) this.#waiting.delete(progress);
    }
  }

  #busy(doing: string): void {
    this.#put({ kind: 'connecting', doing });
    for (const tell of this.#waiting) tell(`server "${this.name}": ${doing}`);
  }

  #opened(link: Link, ms: number): void {
    this.#era = link.era;
    this.#startMs = Math.round(ms);
    for (const kind of ['tools', 'prompts'] as const) link.listen({ kind }, () => this.#refresh.soon());
    this.watched.follow(link);
    void this.#refresh.now();
  }

  #fell(fall: Fall): void {
    if (fall.kind === 'idle') return this.#put({ kind: 'cached' });
    const { error, retryAt } = fall;
    this.#put({ kind: 'failed', message: error.message, ...(retryAt === undefined ? {} : { retryAt }) });
    if (this.#life.signal.aborted) return;
    if (error.message !== this.#told) this.#place.report(error);
    this.#told = error.message;
    // That it cannot be kept is no reason for another complaint.
    this.#noted = this.#place.cache.writeFailure(this.#config.transport, error.message).catch(() => undefined);
  }

  /** A process that others might look for costs memory, an address does not. */
  #idleMs(used: boolean): number | undefined {
    const { transport, start, idleStopMs = this.#place.idleStop } = this.#config;
    if (transport.kind !== 'stdio' || start === 'eager' || idleStopMs === 0) return undefined;
    return used ? idleStopMs : Math.min(idleStopMs, UNUSED_MS);
  }

  #lost(end: string): PegboardError {
    const { name: server } = this;
    const log = this.#log.path;
    return this.#known
      ? new PegboardError('MCP_LOST', { server, end, log })
      : new PegboardError('MCP_EXIT', { server, end, said: said(this.#log), log });
  }

  /** What is up stays up until the server has said something better. */
  async #list(): Promise<void> {
    const { link } = this.#life;
    if (link === undefined) return;
    const place = { limitMs: this.#config.connectLimitMs, signal: this.#life.signal, known: this.#known, hide: this.#hide };
    const listing = await listServer(link, place);
    if (link !== this.#life.link) return;
    if (listing.kind === 'failed') return this.#keepOld(link, listing.cause);
    const list = { ...listing.list, tools: asKnown(listing.list.tools, this.#known?.tools ?? []) };
    const changed = JSON.stringify(list) !== JSON.stringify(this.#known);
    this.#compare(list);
    if (changed) this.#learn(list);
    this.#told = undefined;
    this.#put(this.#status.kind === 'ready' ? this.#status : { kind: 'ready' });
    if (changed || this.#kept !== link) await this.#keep(link, list);
  }

  async #keep(link: Link, list: ServerList): Promise<void> {
    this.#kept = link;
    const meeting = { list, era: link.era, startMs: this.#startMs };
    await this.#place.cache.write(this.#config.transport, meeting).catch((cause: unknown) => this.#place.report(cause));
  }

  async #keepOld(link: Link, cause: string): Promise<void> {
    const kept = this.#known ? 'The tools known from before stay.' : 'None of its tools can be used.';
    const error = new PegboardError('MCP_LIST', { server: this.name, cause, kept, log: this.#log.path });
    if (this.#known === undefined) return this.#life.fail(link, error);
    this.#place.report(error);
    this.#put({ kind: 'ready' });
  }

  #remember({ list, era, startMs, at }: Remembered): void {
    this.#era = era;
    this.#startMs = startMs;
    this.#learn(list);
    this.#since = at;
  }

  #learn(list: ServerList): void {
    this.#known = list;
    this.#adapted = adaptTools(list.tools, this);
    this.#prompts = adaptPrompts(list.prompts, this.part);
  }

  #compare(list: ServerList): void {
    if (this.#since === undefined) return;
    const changes = listChanges(this.#known?.tools ?? [], list.tools);
    this.#notice = changes && `its list is not as it was on ${new Date(this.#since).toISOString().slice(0, 10)}: ${changes}`;
    this.#since = undefined;
  }

  #use(): void {
    if (this.#status.kind === 'ready' && !this.#status.used) this.#put({ kind: 'ready', used: true });
  }

  #put(status: SourceStatus): void {
    if (this.#life.signal.aborted) return;
    this.#status = status;
    const warnings = (this.#known?.warnings ?? []).map((why) => ({ kind: 'warning' as const, why }));
    const changed = [...this.watched.changed].slice(0, MOST_CHANGED).map((uri) => `resource ${uri} may have changed since it was read`);
    const notices = [this.#notice ?? [], changed].flat().map((why) => ({ kind: 'notice' as const, why }));
    this.#place.put({
      tools: this.#adapted.tools,
      listed: this.#known?.tools,
      status,
      namespace: namespaceOf(this.part),
      ruleNames: serverRuleNames(this),
      instructions: this.#known?.instructions,
      notes: [...notices, ...warnings, ...this.#adapted.notes, ...this.#prompts.notes],
      firstUseMs: this.#startMs,
    });
  }

  #startWords(): string {
    const before = this.#startMs === undefined ? '' : `; it took ${(this.#startMs / 1_000).toFixed(1)} s the last time`;
    return `starting server "${this.name}"${before}`;
  }
}

function failure(error: PegboardError): ToolResult {
  return errorResult(error.message);
}
