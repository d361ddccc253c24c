import { join } from 'node:path';

import type { BackgroundTask } from './background.ts';
import { PegboardError, causeText, type ErrorCode } from './errors.ts';
import { HookBus } from './hooks.ts';
import { fillOptions, type HostOptions } from './host-options.ts';
import { loadOrder } from './load-order.ts';
import type { RunEvent, RunOptions } from './loop.ts';
import type { Explanation } from './permission/explain.ts';
import { words } from './permission/part-rules.ts';
import { Points, type Contributions } from './points.ts';
import { startPlugin, type Board, type RunningPlugin } from './plugin-run.ts';
import type { Plugin } from './plugin.ts';
import { RuleBook } from './permission/rule-book.ts';
import type { Rule, RuledTool } from './permission/rule.ts';
import { PoolMemory } from './pool-memory.ts';
import { assemblePool, type Pool, type Turn } from './pool.ts';
import { Registry } from './registry.ts';
import type { Reminder } from './reminders.ts';
import type { Outcome } from './schedule/call.ts';
import type { SearchAids } from './search/aids.ts';
import { ToolIndex, type SearchAnswer, type SearchOptions } from './search/index.ts';
import { DEFAULT_CONTEXT_TOKENS, Session, type CallEvent } from './session.ts';
import type { SessionHost, SessionOptions } from './session-host.ts';

/** How the start of one plugin went. */
export type PluginReport = { readonly name: string; readonly builtin: boolean; readonly ms: number } &
  /** `hooks` are those it has handlers for, listed or registered while it started. */
  ({ readonly kind: 'running'; readonly hooks: readonly string[] } | { readonly kind: 'failed'; readonly message: string });

/** What a host tells whoever listens. */
export type HostEvent =
  | { readonly kind: 'plugin'; readonly report: PluginReport }
  /** Something went wrong and stopped nothing. */
  | { readonly kind: 'report'; readonly plugin: string; readonly message: string; readonly code?: ErrorCode | undefined }
  /** A source's tools or status changed. */
  | { readonly kind: 'source'; readonly owner: string }
  /** Tools of a source are defined in another way than before: whoever approved them approved something else. */
  | { readonly kind: 'redefined'; readonly owner: string; readonly tools: readonly string[] }
  | { readonly kind: 'task'; readonly session: string; readonly task: BackgroundTask }
  | (CallEvent & { readonly session: string });

/** A started host. */
export interface Host {
  readonly cwd: string;
  readonly home: string;
  /** One line per plugin, in load order. */
  readonly plugins: readonly PluginReport[];
  /** The pool of a session that has just begun. */
  pool(): Pool;
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>;
  /** One call in the host's own session, through the whole pipeline. Never throws: what happened is the outcome. */
  call(name: string, input: unknown, options?: { readonly signal?: AbortSignal }): Promise<Outcome>;
  /** How a call in the host's own session would be judged; nothing of it runs. */
  explain(name: string, input: unknown): Promise<Explanation>;
  /** A conversation; it lives until it or the host is closed. */
  session(options?: SessionOptions): Session;
  /** One prompt in a session of its own, which ends with it. */
  run(prompt: string, options: RunOptions): AsyncIterable<RunEvent>;
  /** Settles when no source is connecting any more or `limitMs` is over, and names those that still are. */
  settled(limitMs: number): Promise<readonly string[]>;
  /** Hears everything from now on, until the answer is called. */
  on(listener: (event: HostEvent) => void): () => void;
  /** Stops what runs, takes every plugin down, last started first, and lets nothing start any more. */
  close(): Promise<void>;
}

/**
 * Starts the plugins and gives a host. A plugin that fails to start is reported (`plugins`, events) and the others run.
 * Throws PLUGIN_DOUBLE, PLUGIN_MISSING or PLUGIN_CYCLE when there is no order to start them in.
 */
export async function createHost(given: HostOptions = {}): Promise<Host> {
  const options = fillOptions(given);
  const listeners = new Set([options.listen]);
  const emit = (event: HostEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (cause) {
        listeners.delete(listener);
        emit({ kind: 'report', plugin: 'host', message: `a listener failed and hears nothing any more: ${causeText(cause)}` });
      }
    }
  };
  const report = (plugin: string, cause: unknown) =>
    emit({ kind: 'report', plugin, message: causeText(cause), code: cause instanceof PegboardError ? cause.code : undefined });
  const hooks: HookBus = new HookBus(
    (plugin, hook, cause) => report(plugin, new Error(`hook ${hook}: ${causeText(cause)}`)),
    options.hookLimitMs,
  );
  const registry = new Registry((owner, redefined) => {
    emit({ kind: 'source', owner });
    if (redefined.length > 0) emit({ kind: 'redefined', owner, tools: redefined });
    void hooks.notify('pool.changed', { source: owner, redefined });
  });
  const points = new Points(report);
  const { running, reports } = await startAll(
    loadOrder([...options.builtins, ...options.plugins]),
    { registry, hooks, points, options, report, holders: new Map() },
    emit,
  );

  let indexed: { readonly rules: readonly Rule[]; readonly book: RuleBook } | undefined;
  const bookOf = (rules: readonly Rule[]) => {
    if (indexed?.rules !== rules) indexed = { rules, book: new RuleBook(rules) };
    return indexed.book;
  };
  const index = new ToolIndex({
    aids: followAids(points),
    report,
    clock: options.clock,
    cache: join(options.home, 'cache', 'search-index'),
  });
  const memory = new PoolMemory();
  const sessions = new Set<Session>();
  const sessionHost: SessionHost = {
    options,
    hooks,
    emit,
    journal: followFirst(points, 'session.journal'),
    compactor: followFirst(points, 'session.compactor'),
    reminders: followReminders(points),
    turn: (of) => {
      const shape = options.turn();
      const book = bookOf(shape.rules);
      const denied = (tool: RuledTool) => {
        const rule = book.hiding(tool);
        return rule && `denied by ${words(rule)}`;
      };
      const search: Turn['search'] = (pool, query, how) => index.search(pool, query, how);
      const sources = registry.sources();
      const pool = memory.recall(sources, shape, of, () => assemblePool(sources, { ...shape, ...of, denied, search }));
      return { book, options: shape, pool };
    },
  };
  const session = (of?: SessionOptions) => {
    const opened: Session = new Session(sessionHost, () => sessions.delete(opened), of);
    sessions.add(opened);
    if (closed) void opened.close();
    return opened;
  };
  const NONE: readonly string[] = [];
  let closed = false;
  let own: Session | undefined;
  const pool = () => sessionHost.turn({ strategy: 'append', contextTokens: DEFAULT_CONTEXT_TOKENS, revealed: NONE }).pool;

  return {
    cwd: options.cwd,
    home: options.home,
    plugins: reports,
    pool,
    session,
    search: (query, how) => pool().search(query, how),
    call: (name, input, how) => (own ??= session()).call(name, input, how),
    explain: (name, input) => (own ??= session()).explain(name, input),
    run: (prompt, how) => runOnce(session(), prompt, how),
    settled: (limitMs) => settled(registry, listeners, limitMs),
    on: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => {
      closed = true;
      await Promise.all([...sessions].map((one) => one.close()));
      for (const plugin of [...running].reverse()) await plugin.close();
    },
  };
}

/** What plugins offer to the search, as it is now. */
function followAids(points: Points): () => SearchAids {
  let aids: SearchAids = { evidence: [], rerankers: [] };
  points.follow('host', 'search.evidence', (evidence) => (aids = { ...aids, evidence }));
  points.follow('host', 'search.reranker', (rerankers) => (aids = { ...aids, rerankers }));
  return () => aids;
}

/** What counts of a point of which only the first offer does, as it is now. */
function followFirst<Name extends 'session.journal' | 'session.compactor'>(
  points: Points,
  name: Name,
): () => Contributions[Name][number] | undefined {
  let first: Contributions[Name][number] | undefined;
  points.follow('host', name, (all) => (first = all[0]));
  return () => first;
}

function followReminders(points: Points): () => readonly Reminder[] {
  let all: readonly Reminder[] = [];
  points.follow('host', 'reminder', (offered) => (all = offered));
  return () => all;
}

/** What still runs in the background ends with the run. */
async function* runOnce(session: Session, prompt: string, options: RunOptions): AsyncGenerator<RunEvent, void, undefined> {
  try {
    yield* session.run(prompt, options);
  } finally {
    await session.close();
  }
}

async function startAll(
  plugins: readonly Plugin[],
  board: Board,
  emit: (event: HostEvent) => void,
): Promise<{ readonly running: readonly RunningPlugin[]; readonly reports: readonly PluginReport[] }> {
  const running: RunningPlugin[] = [];
  const reports: PluginReport[] = [];
  for (const plugin of plugins) {
    const begun = board.options.clock();
    const builtin = board.options.builtins.includes(plugin);
    const about = () => ({ name: plugin.name, builtin, ms: board.options.clock() - begun });
    try {
      const down = plugin.requires?.find((name) => !running.some((each) => each.plugin.name === name));
      if (down !== undefined) throw new PegboardError('PLUGIN_REQUIRED_DOWN', { plugin: plugin.name, required: down });
      running.push(await startPlugin(plugin, builtin, board));
      reports.push({ ...about(), kind: 'running', hooks: board.hooks.namesOf(plugin.name) });
    } catch (cause) {
      reports.push({ ...about(), kind: 'failed', message: causeText(cause) });
      board.report(plugin.name, cause);
    }
    emit({ kind: 'plugin', report: reports.at(-1) as PluginReport });
  }
  return { running, reports };
}

function settled(registry: Registry, listeners: Set<(event: HostEvent) => void>, limitMs: number): Promise<readonly string[]> {
  const connecting = () =>
    registry
      .sources()
      .filter(({ status }) => status.kind === 'connecting')
      .map(({ owner }) => owner);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      listeners.delete(check);
      resolve(connecting());
    };
    const check = () => void (connecting().length === 0 && end());
    const timer = setTimeout(end, limitMs);
    listeners.add(check);
    check();
  });
}
