import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';

import { definePlugin, PegboardError, type Plugin, type PluginScope, type StandardSchema } from 'pegboard';
import { ProcessGroups } from 'pegboard/kit';

import { EVENTS } from './events.data.ts';
import { labelOf, type Hook, type HookSource } from './hook.ts';
import { foretellHooks, runHooks, tellOf, type Considered, type Happening } from './hook-set.ts';
import { mergeVerdict, type OnFailure } from './merge.ts';
import { neverRuns } from './matcher.ts';
import { nativeHandlers } from './native-handlers.ts';
import { readHooks } from './read-hooks.ts';
import type { HookPorts } from './run-hook.ts';

export { labelOf } from './hook.ts';
export type { Hook } from './hook.ts';
export type { Considered } from './hook-set.ts';
export type { HookPorts } from './run-hook.ts';

/** Hooks that are written down: in settings, and in packed folders. */
export interface CommandHooks {
  readonly plugin: Plugin;
  /** All of them, in the order in which they are declared, with why one can never run, as far as that can be told; `tools` are the names there are. */
  list(tools?: readonly string[]): readonly { readonly hook: Hook; readonly never: string | undefined }[];
  /** Runs the hooks of an event over an input that somebody made up. Never rejects. */
  test(
    event: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<{
    readonly considered: readonly Considered[];
    readonly verdict: ReturnType<typeof mergeVerdict>;
  }>;
  /** What hooks reach from now on. */
  reach(ports: HookPorts): void;
}

/** Longer than any hook may take. */
const LIMIT_MS = 3_700_000;
const GUARDED: readonly string[] = ['PreToolUse', 'PermissionRequest'];

/**
 * The plugin "command-hooks": hooks that are commands, requests, tools of servers or questions to a model, from the settings and the point
 * `hook.config` (M13). Calls that a hook makes run no hooks. One for each host.
 */
export function commandHooks(): CommandHooks {
  // Calls that a hook makes are known by this: with hooks of their own they would never end.
  const inside = new AsyncLocalStorage<true>();
  let ports: HookPorts = {};
  let opened: Opened | undefined;
  const plugin = definePlugin({
    name: 'command-hooks',
    setup: (scope) => void (opened = open(scope, () => ports, inside)),
  });
  return {
    plugin,
    list: (tools) => (opened?.hooks() ?? []).map((hook) => ({ hook, never: neverRuns(hook, tools) })),
    test: async (event, input) => {
      const considered = (await opened?.run({ event, input })) ?? [];
      const answered = considered.flatMap((each) => (each.kind === 'ran' ? [each] : []));
      return { considered, verdict: mergeVerdict(answered, GUARDED.includes(event), opened?.onFailure ?? 'ask') };
    },
    reach: (given) => {
      ports = given;
    },
  };
}

interface Opened {
  readonly onFailure: OnFailure;
  hooks(): readonly Hook[];
  run(about: Happening): Promise<readonly Considered[]>;
}

function open(scope: PluginScope, ports: () => HookPorts, inside: AsyncLocalStorage<true>): Opened {
  const { cwd, home } = scope;
  const settings = scope.settings('hooks', hooksSchema);
  const off = scope.settings('disableAllHooks', isTrueSchema);
  const groups = new ProcessGroups({ windows: process.platform === 'win32' });
  const report = (cause: unknown) => scope.report(cause);
  const warnings = new Warnings(report);
  const read = (definition: unknown, source: HookSource) => {
    const { hooks: found, faults } = readHooks(definition, source);
    if (!off) warnings.faults(faults, source.origin);
    if (!off) warnings.dead(found);
    return found;
  };
  const own = read(settings, { name: 'settings', origin: 'the settings', variables: {}, environment: {}, trusted: true });
  let packed: readonly Hook[] = [];
  const hooks = () => (off ? [] : [...own, ...packed]);

  // With each plugin that starts or ends all offers come anew: what has been read is not read again.
  const known = new WeakMap<object, readonly Hook[]>();
  scope.follow('hook.config', (all) => {
    packed = all.flatMap((offer) => {
      const { plugin: name, variables, environment, trusted } = offer.from;
      const { definition, origin, session } = offer;
      const found = known.get(offer) ?? read(definition, { name, origin, variables, environment, trusted, session });
      known.set(offer, found);
      return found;
    });
  });
  const run: Opened['run'] = (about) => {
    if (inside.getStore()) return Promise.resolve([]);
    const session = String(about.input['session_id'] ?? '');
    return inside.run(true, () => runHooks(hooks(), about, { ...ports(), groups, cwd, session, own: process.env, signal: scope.signal }));
  };
  const foretell: Opened['run'] = (about) => foretellHooks(hooks(), about);
  const { onFailure } = settings;
  const transcript = (session: string) => join(home, 'sessions', session, 'transcript.jsonl');
  scope.on(
    nativeHandlers({
      cwd,
      transcript,
      hooks,
      run,
      foretell,
      onFailure,
      tell: (considered, note) => tellOf(considered, note, report),
      warnOfDead: (tools) => warnings.dead(hooks(), tools),
    }),
    LIMIT_MS,
  );
  return { onFailure, hooks, run };
}

/** What people are told of hooks that do nothing, each once. That an event never happens here is the person's to mend in settings only: of plugins it is listed. */
class Warnings {
  readonly #told = new Set<string>();
  readonly #report: (cause: unknown) => void;

  constructor(report: (cause: unknown) => void) {
    this.#report = report;
  }

  faults(faults: readonly string[], origin: string): void {
    for (const fault of faults) this.#tell(new PegboardError('HOOK_FAULT', { origin, fault }));
  }

  dead(hooks: readonly Hook[], tools?: readonly string[]): void {
    for (const hook of hooks) {
      const { event, source } = hook;
      const why = neverRuns(hook, tools);
      if (why === undefined || !source.trusted || (source.name !== 'settings' && EVENTS[event]?.at === undefined)) continue;
      this.#tell(new PegboardError('HOOK_DEAD', { hook: `${event} \`${labelOf(hook)}\``, origin: source.origin, why }));
    }
  }

  #tell(error: PegboardError): void {
    if (this.#told.has(error.message)) return;
    this.#told.add(error.message);
    this.#report(error);
  }
}

const ON_FAILURE: readonly unknown[] = ['ask', 'open', 'deny'] satisfies readonly OnFailure[];

/** Settings are checked where they are read: here they only have to be taken apart. */
const hooksSchema: StandardSchema<{ readonly onFailure: OnFailure }> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (value) => {
      const given = typeof value === 'object' && value !== null ? (value as { readonly onFailure?: unknown }) : {};
      return { value: { ...given, onFailure: ON_FAILURE.includes(given.onFailure) ? (given.onFailure as OnFailure) : 'ask' } };
    },
  },
};
const isTrueSchema: StandardSchema<boolean> = {
  '~standard': { version: 1, vendor: 'pegboard', validate: (value) => ({ value: value === true }) },
};
