import { join } from 'node:path';

import { PegboardError, causeText } from './errors.ts';
import type { HookBus } from './hooks.ts';
import type { FilledOptions } from './host-options.ts';
import { checkPluginName, type Plugin, type PluginScope } from './plugin.ts';
import type { Point, Points } from './points.ts';
import type { Registry, SourceFacts } from './registry.ts';
import { issuesText, parseWith, type StandardSchema } from './schema.ts';
import { withLimit } from './time-limit.ts';
import { isToolName, type Tool } from './tool.ts';
import { oneLine } from './announcement.ts';

/** The parts of a host that plugins put things into. */
export interface Board {
  readonly registry: Registry;
  readonly hooks: HookBus;
  readonly points: Points;
  readonly options: FilledOptions;
  readonly report: (plugin: string, cause: unknown) => void;
  /** Which plugin has put up a source of this name. */
  readonly holders: Map<string, string>;
}

/** A plugin that was started; `close` takes down all that it put up and never throws. */
export interface RunningPlugin {
  readonly plugin: Plugin;
  close(): Promise<void>;
}

const CLOSE_LIMIT_MS = 10_000;

/** Puts a plugin up and runs its set-up. Throws a sentence that says why it could not be started, and then nothing of it is left. */
export async function startPlugin(plugin: Plugin, builtin: boolean, board: Board): Promise<RunningPlugin> {
  const { name } = plugin;
  const limit = board.options.setupLimitMs;
  let close: RunningPlugin['close'] | undefined;
  try {
    checkPluginName(name);
    const opened = openScope(name, await parseOptions(plugin, board.options.pluginOptions[name]), board);
    close = opened.close;
    if (plugin.tools) opened.put(name, { tools: plugin.tools, builtin });
    if (plugin.hooks) opened.scope.on(plugin.hooks);
    for (const [point, all] of Object.entries(plugin.contributes ?? {})) opened.scope.contribute(point as Point, all);
    await withLimit(plugin.setup?.(opened.scope), limit, () => new PegboardError('PLUGIN_SETUP_TIME', { plugin: name, limit }));
    return { plugin, close };
  } catch (cause) {
    await close?.();
    throw cause instanceof PegboardError ? cause : new PegboardError('PLUGIN_SETUP', { plugin: name, cause: causeText(cause) }, { cause });
  }
}

async function parseOptions(plugin: Plugin, given: unknown): Promise<unknown> {
  if (plugin.options === undefined) return given;
  const parsed = await parseWith(plugin.options, given ?? {});
  if (parsed.kind === 'ok') return parsed.value;
  throw new PegboardError('PLUGIN_OPTIONS', { plugin: plugin.name, issues: parsed.issues });
}

/** A source's set, and whether it stands among the built-ins. */
type PutSet = { readonly tools: readonly Tool[]; readonly builtin?: boolean } & SourceFacts;

interface OpenScope {
  readonly scope: PluginScope;
  readonly put: (source: string, set: PutSet | undefined) => void;
  readonly close: () => Promise<void>;
}

function openScope(name: string, options: unknown, board: Board): OpenScope {
  const { registry, hooks, points, report, holders } = board;
  const { home, cwd, secrets, asker, clock, trusted, settings } = board.options;
  const abort = new AbortController();
  const closers: (() => void | Promise<void>)[] = [() => points.withdraw(name)];
  const open = () => {
    if (abort.signal.aborted) throw new PegboardError('PLUGIN_CLOSED', { plugin: name });
  };
  const owned = new Set<string>();
  const takeDown = (source: string) => {
    holders.delete(source);
    registry.remove(source);
  };
  const put: OpenScope['put'] = (source, set) => {
    open();
    const holder = holders.get(source);
    if (holder !== undefined && holder !== name) throw new PegboardError('PLUGIN_SOURCE', { plugin: name, source, holder });
    if (set === undefined) return takeDown(source);
    checkTools(name, set.tools);
    holders.set(source, name);
    registry.replace(source, set.tools, set);
    if (!owned.has(source)) closers.push(() => (holders.get(source) === name ? takeDown(source) : undefined));
    owned.add(source);
  };
  const folder = (kind: string) => join(home, kind, name.replace(/[^A-Za-z0-9._-]/g, '_'));
  const scope: PluginScope = {
    name,
    options,
    cwd,
    home,
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
    on: (handlers, limitMs) => (open(), void closers.push(hooks.add(name, handlers, limitMs))),
    follow: (point, reader) => (open(), void closers.push(points.follow(name, point, reader))),
    onClose: (close) => (open(), void closers.push(close)),
    report: (cause) => report(name, cause),
  };
  const close = async () => {
    if (abort.signal.aborted) return;
    abort.abort();
    for (const closer of closers.reverse()) await closeOne(name, closer, report);
  };
  return { scope, put, close };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isFunction = (value: unknown) => typeof value === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** What assembling, searching and sending read of every tool: one tool without it would break them for all. */
const TOOL_SHAPE: { readonly [Member in keyof Tool]?: (value: unknown) => boolean } = {
  name: (value) => isText(value) && isToolName(value),
  description: isText,
  searchHint: isText,
  inputSchema: isObject,
  display: isObject,
  aliases: isTexts,
  searchTerms: isTexts,
  provides: isTexts,
  ruleNames: isTexts,
  restrictedAs: isTexts,
  fileRules: isTexts,
  parseInput: isFunction,
  isEnabled: isFunction,
  validateInput: isFunction,
  checkPermissions: isFunction,
  requiresUserInteraction: isFunction,
  call: isFunction,
};

/** Throws PLUGIN_TOOL for a tool that `defineTool` did not make, or that was spoilt after. */
function checkTools(plugin: string, tools: readonly Tool[]): void {
  for (const tool of tools as readonly (Partial<Tool> | undefined)[]) {
    const odd = Object.entries(TOOL_SHAPE).find(([member, fits]) => !fits(tool?.[member as keyof Tool]));
    if (odd !== undefined)
      throw new PegboardError('PLUGIN_TOOL', {
        plugin,
        tool: isText(tool?.name) ? oneLine(tool.name, 64) : 'a tool',
        member: odd[0],
      });
  }
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
    await withLimit(closer(), CLOSE_LIMIT_MS, () => new Error(`closing took longer than ${CLOSE_LIMIT_MS} ms`));
  } catch (cause) {
    report(plugin, cause);
  }
}
