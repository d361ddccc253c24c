import { join } from 'node:path';

import { PegboardError, errorResult, type SourceFacts, type SourceStatus, type Tool, type ToolContext, type ToolResult } from 'pegboard';

import { adaptResult } from './adapt-result.ts';
import { adaptTools, type AdaptedTools, type ToolHome } from './adapt-tool.ts';
import { coalesce } from './coalesce.ts';
import type { ServerConfig } from './config.ts';
import { said } from './connect-failure.ts';
import { connect, type ConnectPlace, type Connected } from './connect.ts';
import { jsonText } from './json.ts';
import type { Answer, Link, Patience } from './link.ts';
import { causeOf, listAll, type Ask } from './list-all.ts';
import type { ListCache, ServerList } from './list-cache.ts';
import { ServerLog } from './log.ts';
import { namespaceOf } from './names.ts';

/** What a server's life needs around it. */
export interface SourcePlace extends Omit<ConnectPlace, 'signal' | 'log'> {
  /** Puts up the server's whole set. */
  put(set: { readonly tools: readonly Tool[] } & SourceFacts): void;
  report(cause: unknown): void;
  readonly cache: ListCache;
  readonly logFolder: string;
  /** Settles when whoever had this server's name before has ended. */
  readonly after: Promise<void>;
}

const ABSOLUTE_LIMIT_MS = 600_000;
const DEBOUNCE_MS = 100;

/**
 * One server's life. With a list from an earlier start its tools are up at once and it starts at the first call; without one it
 * starts now. A server that ended starts again at the next call, once per call. How it is doing is told with its tools.
 */
export class ServerSource implements ToolHome {
  readonly name: string;
  readonly part: string;
  readonly #config: ServerConfig;
  readonly #place: SourcePlace;
  readonly #log: ServerLog;
  readonly #stop = new AbortController();
  readonly #refresh = coalesce(() => this.#list().catch((cause: unknown) => this.#place.report(cause)), DEBOUNCE_MS);
  #connection: Promise<Connected> | undefined;
  #link: Link | undefined;
  #known: ServerList | undefined;
  #adapted: AdaptedTools = { tools: [], notes: [] };

  constructor(config: ServerConfig, part: string, place: SourcePlace) {
    this.name = config.name;
    this.part = part;
    this.#config = config;
    this.#place = place;
    this.#log = new ServerLog(join(place.logFolder, `${part}.log`));
  }

  /** Whether it said that it has resources; `undefined` until it was asked. */
  get hasResources(): boolean | undefined {
    return this.#known?.resources;
  }

  start(): void {
    const kept = this.#place.cache.read(this.#config.transport);
    if (kept) this.#learn(kept);
    this.#put(kept ? { kind: 'cached' } : { kind: 'connecting' });
    if (!kept) void this.#connected();
  }

  async call(tool: string, wireName: string, input: unknown, context: ToolContext): Promise<ToolResult> {
    const answer = await this.ask('tools/call', { name: tool, arguments: input }, context.signal, (progress) => context.report(progress));
    switch (answer.kind) {
      case 'result':
        return adaptResult(answer.result);
      case 'late':
        return this.#failure(new PegboardError('MCP_TIMEOUT', { server: this.name, tool: wireName, limit: answer.limitMs }));
      case 'lost':
        return this.#failure(new PegboardError('MCP_DOWN', { server: this.name, tool: wireName, cause: answer.message }));
      default:
        return this.#failure(new PegboardError('MCP_CALL', { server: this.name, tool: wireName, cause: causeOf(answer) }));
    }
  }

  /** Sends one request, connecting first where that is needed. Never rejects. */
  async ask(
    method: string,
    params: { readonly [name: string]: unknown },
    signal: AbortSignal,
    progress?: (progress: unknown) => void,
  ): Promise<Answer> {
    const { callLimitMs } = this.#config;
    const patience: Patience = { signal, idleMs: callLimitMs, totalMs: Math.max(callLimitMs, ABSOLUTE_LIMIT_MS), progress };
    const first = await this.#request(method, params, patience);
    if (first.kind !== 'forgotten') return first;
    await this.#drop();
    return this.#request(method, params, patience);
  }

  /** Ends it. Whatever is still under way settles, and nothing is put up any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    const listed = this.#refresh.stop();
    await this.#drop();
    await listed;
    await this.#log.close();
  }

  async #request(method: string, params: { readonly [name: string]: unknown }, patience: Patience): Promise<Answer> {
    // A turn may still hold a tool of a server that was replaced meanwhile.
    if (this.#stop.signal.aborted) return { kind: 'lost', message: 'the server was taken down' };
    const connected = await unlessAborted(this.#connected(), patience.signal);
    if (connected === undefined) return { kind: 'cancelled' };
    if (connected.kind !== 'link') return { kind: 'lost', message: connected.error.message };
    return connected.link.request(method, params, patience);
  }

  #connected(): Promise<Connected> {
    return (this.#connection ??= this.#connect());
  }

  async #connect(): Promise<Connected> {
    await this.#place.after;
    const connected = await connect(this.#config, { ...this.#place, signal: this.#stop.signal, log: this.#log });
    if (connected.kind !== 'link') {
      this.#connection = undefined;
      this.#fail(connected.error);
      return connected;
    }
    const { link } = connected;
    this.#link = link;
    link.listen({ kind: 'tools' }, () => this.#refresh.soon());
    void link.ended.then((words) => this.#lose(link, words));
    void this.#refresh.now();
    return connected;
  }

  #lose(link: Link, words: string): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#connection = undefined;
    const { name: server } = this;
    const log = this.#log.path;
    this.#fail(
      this.#known
        ? new PegboardError('MCP_LOST', { server, end: words, log })
        : new PegboardError('MCP_EXIT', { server, end: words, said: said(this.#log), log }),
    );
  }

  async #drop(): Promise<void> {
    const connected = await this.#connection;
    this.#connection = undefined;
    this.#link = undefined;
    if (connected?.kind === 'link') await connected.link.close();
  }

  /** What is up stays up until the server has said something better. */
  async #list(): Promise<void> {
    const link = this.#link;
    if (link === undefined) return;
    const { connectLimitMs: limit } = this.#config;
    const ask: Ask = (method, params) => link.request(method, params, { signal: this.#stop.signal, idleMs: limit, totalMs: limit });
    const listing =
      link.capabilities['tools'] !== undefined
        ? await listAll(ask, 'tools/list', 'tools')
        : { kind: 'listed' as const, items: [], warnings: ['it declares no tools'] };
    if (link !== this.#link || this.#stop.signal.aborted) return;
    if (listing.kind === 'failed') return this.#keepOld(listing.cause);
    const list = listOf(link, listing.items, listing.warnings);
    const changed = JSON.stringify(list) !== JSON.stringify(this.#known);
    if (changed) this.#learn(list);
    this.#put({ kind: 'ready' });
    if (changed) await this.#place.cache.write(this.#config.transport, list).catch((cause: unknown) => this.#place.report(cause));
  }

  async #keepOld(cause: string): Promise<void> {
    const kept = this.#known ? 'The tools known from before stay.' : 'None of its tools can be used.';
    const error = new PegboardError('MCP_LIST', { server: this.name, cause, kept, log: this.#log.path });
    if (this.#known) {
      this.#place.report(error);
      this.#put({ kind: 'ready' });
      return;
    }
    this.#fail(error);
    await this.#drop();
  }

  #learn(list: ServerList): void {
    this.#known = list;
    this.#adapted = adaptTools(list.tools, this);
  }

  #fail(error: PegboardError): void {
    if (this.#stop.signal.aborted) return;
    this.#put({ kind: 'failed', message: error.message });
    this.#place.report(error);
  }

  #put(status: SourceStatus): void {
    if (this.#stop.signal.aborted) return;
    const warnings = (this.#known?.warnings ?? []).map((why) => ({ kind: 'warning' as const, why }));
    this.#place.put({
      tools: this.#adapted.tools,
      status,
      namespace: namespaceOf(this.part),
      instructions: this.#known?.instructions,
      notes: [...warnings, ...this.#adapted.notes],
    });
  }

  #failure(error: PegboardError): ToolResult {
    return errorResult(error.message);
  }
}

/** What can be kept as text: a definition nested so deeply that it cannot be is left out by itself. */
function listOf({ instructions, capabilities }: Link, items: readonly unknown[], warnings: readonly string[]): ServerList {
  const tools = items.filter((item) => jsonText(item) !== undefined);
  const lost = items.length - tools.length;
  return {
    tools,
    instructions,
    resources: capabilities['resources'] !== undefined,
    warnings: lost === 0 ? warnings : [...warnings, `${lost} of its definitions left out, nested too deeply`],
  };
}

/** `undefined` when the signal comes first. Nothing stays behind on the signal, which outlives many calls. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  let leave: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
