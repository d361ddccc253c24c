import { join } from 'node:path';

import { PegboardError, causeText } from './errors.ts';
import type { HookBus } from './hooks.ts';
import type { FilledOptions } from './host-options.ts';
import type { Plugin, PluginScope } from './plugin.ts';
import type { Points } from './points.ts';
import type { Registry } from './registry.ts';
import { issuesText, parseWith, type StandardSchema } from './schema.ts';

/** The parts of a host that plugins put things into. */
export interface Board {
  readonly registry: Registry;
  readonly hooks: HookBus;
  readonly points: Points;
  readonly options: FilledOptions;
  readonly report: (plugin: string, cause: unknown) => void;
}

/** A plugin that was started; `close` takes down all that it put up and never throws. */
export interface RunningPlugin {
  readonly plugin: Plugin;
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 10_000;

/** Puts a plugin up and runs its set-up. Throws PLUGIN_OPTIONS, PLUGIN_SETUP or PLUGIN_SETUP_TIME, and then nothing of it is left. */
export async function startPlugin(plugin: Plugin, builtin: boolean, board: Board): Promise<RunningPlugin> {
  const options = await parseOptions(plugin, board.options.pluginOptions[plugin.name]);
  const { scope, close } = openScope(plugin.name, options, board);
  try {
    if (plugin.tools) board.registry.replace(plugin.name, plugin.tools, { builtin });
    scope.onClose(() => board.registry.remove(plugin.name));
    if (plugin.hooks) scope.on(plugin.hooks);
    for (const [point, all] of Object.entries(plugin.contributes ?? {})) scope.contribute(point as 'mcp.server', all);
    await inTime(plugin, Promise.resolve(plugin.setup?.(scope)), board.options.setupLimitMs);
    return { plugin, close };
  } catch (cause) {
    await close();
    throw cause instanceof PegboardError
      ? cause
      : new PegboardError('PLUGIN_SETUP', { plugin: plugin.name, cause: causeText(cause) }, { cause });
  }
}

async function parseOptions(plugin: Plugin, given: unknown): Promise<unknown> {
  if (plugin.options === undefined) return given;
  const parsed = await parseWith(plugin.options, given ?? {});
  if (parsed.kind === 'ok') return parsed.value;
  throw new PegboardError('PLUGIN_OPTIONS', { plugin: plugin.name, issues: parsed.issues });
}

function openScope(name: string, options: unknown, board: Board): { readonly scope: PluginScope; readonly close: () => Promise<void> } {
  const { registry, hooks, points, report } = board;
  const { home, cwd, secrets, asker, clock, trusted, settings } = board.options;
  const abort = new AbortController();
  const closers: (() => void | Promise<void>)[] = [() => points.withdraw(name)];
  const open = () => {
    if (abort.signal.aborted) throw new PegboardError('PLUGIN_CLOSED', { plugin: name });
  };
  const owned = new Set<string>();
  const put: PluginScope['provideFrom'] = (source, set) => {
    open();
    if (set === undefined) registry.remove(source);
    else registry.replace(source, set.tools, set);
    if (!owned.has(source)) closers.push(() => registry.remove(source));
    owned.add(source);
  };
  const folder = (kind: string) => join(home, kind, name.replace(/[^A-Za-z0-9._-]/g, '_'));
  const scope: PluginScope = {
    name,
    options,
    cwd,
    asker,
    signal: abort.signal,
    secrets: secrets(name),
    folders: { cache: folder('cache'), data: folder('data'), logs: folder('logs') },
    now: clock,
    trusted,
    settings: (key, schema) => parseSetting(key, settings[key], schema),
    provide: (tools) => put(`${name} (running)`, { tools }),
    provideFrom: put,
    contribute: (point, all) => (open(), points.contribute(name, point, all)),
    on: (handlers) => (open(), void closers.push(hooks.add(name, handlers))),
    follow: (point, reader) => (open(), void closers.push(points.follow(point, reader))),
    onClose: (close) => (open(), void closers.push(close)),
    report: (cause) => report(name, cause),
  };
  const close = async () => {
    if (abort.signal.aborted) return;
    abort.abort();
    for (const closer of closers.reverse()) await closeOne(name, closer, report);
  };
  return { scope, close };
}

function parseSetting<Value>(key: string, value: unknown, schema: StandardSchema<Value>): Value {
  const checked = schema['~standard'].validate(value);
  if (checked instanceof Promise)
    throw new PegboardError('SETTING_INVALID', { key, issues: 'its schema answers later, a setting is needed now' });
  if (checked.issues === undefined) return checked.value;
  throw new PegboardError('SETTING_INVALID', { key, issues: issuesText(checked.issues) });
}

async function closeOne(plugin: string, closer: () => void | Promise<void>, report: Board['report']): Promise<void> {
  try {
    await withLimit(Promise.resolve(closer()), CLOSE_LIMIT_MS, () => new Error(`closing took longer than ${CLOSE_LIMIT_MS} ms`));
  } catch (cause) {
    report(plugin, cause);
  }
}

function inTime(plugin: Plugin, work: Promise<void>, limit: number): Promise<void> {
  return withLimit(work, limit, () => new PegboardError('PLUGIN_SETUP_TIME', { plugin: plugin.name, limit }));
}

async function withLimit<Value>(work: Promise<Value>, limit: number, late: () => Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([work, new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late()), limit)))]);
  } finally {
    clearTimeout(timer);
  }
}
