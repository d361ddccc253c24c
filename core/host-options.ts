import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve, win32 } from 'node:path';

import { headlessAsker, type Asker } from './asker.ts';
import type { DeferralPolicy } from './deferral.ts';
import type { HostEvent } from './host.ts';
import { realDisk, type Disk } from './kit/workspace.ts';
import type { Classifier, RuleScope } from './permission/ask.ts';
import type { Mode } from './permission/decision.ts';
import type { Rule } from './permission/rule.ts';
import type { Plugin, Secrets } from './plugin.ts';
import type { Preset } from './pool.ts';

/** What shapes a turn and may change between two of them. */
export interface TurnOptions {
  readonly rules?: readonly Rule[] | undefined;
  /** Switches by name, for tools that ask for them. */
  readonly features?: Readonly<Record<string, boolean>> | undefined;
  readonly deferral?: DeferralPolicy | undefined;
  readonly preset?: Preset | undefined;
  readonly mode?: Mode | undefined;
  /** Modes that nobody may choose; where one is chosen all the same it is `default`. */
  readonly disabledModes?: readonly Mode[] | undefined;
  /** Absolute folders beside the working folder that belong to the work. */
  readonly additionalDirectories?: readonly string[] | undefined;
  /** The branch that is checked out, for rules that ask for it. */
  readonly branch?: string | undefined;
  /** Sources, by name, whose hints that a tool only reads are believed. */
  readonly trustedSources?: readonly string[] | undefined;
  /** Whether only rules of the organisation count: then no answer is kept as a rule either. */
  readonly policyRulesOnly?: boolean | undefined;
}

/** What a host is made of. Everything it must not decide or find out by itself is a port here; what is left out gets the default of `fillOptions`. */
export interface HostOptions extends TurnOptions {
  /** Plugins whose listed tools are built-ins: the contiguous, cache-stable prefix of the pool. */
  readonly builtins?: readonly Plugin[] | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
  /** The folder the host works in; the process's unless given. */
  readonly cwd?: string | undefined;
  /** Where the host keeps its own files; `PEGBOARD_HOME` or `~/.pegboard` unless given. */
  readonly home?: string | undefined;
  /** Asked at the start of each turn; what it gives counts instead of what stands here. */
  readonly turn?: (() => TurnOptions) | undefined;
  /** May things that come from this folder run? Nothing is trusted unless given. */
  readonly trusted?: ((path: string) => boolean) | undefined;
  readonly secrets?: ((plugin: string) => Secrets) | undefined;
  /** Who answers questions; nobody unless given. */
  readonly asker?: Asker | undefined;
  /** Whether there is nobody to ask, for rules that ask for it. */
  readonly headless?: boolean | undefined;
  /** Judges calls in the mode `auto` in place of a person. */
  readonly classifier?: Classifier | undefined;
  /** Writes an allow rule that a person wants kept; a session's own is kept without it. The answer says why it could not be. */
  readonly saveRule?: ((rule: string, scope: Exclude<RuleScope, 'session'>) => Promise<string | undefined>) | undefined;
  /** What `~` stands for. */
  readonly userHome?: string | undefined;
  /** How paths are looked up; the machine's own disk unless given. */
  readonly disk?: Disk | undefined;
  /** More files and folders, absolute, that only people may change: they are guarded like `home`. */
  readonly guarded?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined;
  /** A fresh id for a session or a call: letters, digits and "-". */
  readonly id?: (() => string) | undefined;
  /** Values by key, as a settings reader found them; each plugin checks its own. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Options of plugins, by plugin name. */
  readonly pluginOptions?: Readonly<Record<string, unknown>> | undefined;
  /** How long a plugin's `setup` may take, ms. */
  readonly setupLimitMs?: number | undefined;
  /** How long one hook handler may take, ms. */
  readonly hookLimitMs?: number | undefined;
  /** Told of everything from the first plugin on. Must not throw. */
  readonly listen?: ((event: HostEvent) => void) | undefined;
}

type Filled<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };

/** What shapes one turn. */
export type FilledTurn = Filled<Omit<TurnOptions, 'preset' | 'branch'>> & Pick<TurnOptions, 'preset' | 'branch'>;
type Optional = 'classifier' | 'headless';
export type FilledOptions = Filled<Omit<HostOptions, keyof TurnOptions | 'turn' | Optional>> &
  Pick<HostOptions, Optional> & { readonly turn: () => FilledTurn };

/** The one place where core looks at the clock, the environment and chance. */
export function fillOptions(given: HostOptions): FilledOptions {
  return {
    builtins: given.builtins ?? [],
    plugins: given.plugins ?? [],
    cwd: (given.disk?.windows ? win32.resolve : resolve)(given.cwd ?? process.cwd()),
    home: resolve(given.home ?? process.env['PEGBOARD_HOME'] ?? join(homedir(), '.pegboard')),
    // Asked with every call: of two spreads in one literal each object gets a shape of its own, which costs all that read it.
    turn: () => fillTurn(given.turn ? Object.assign({}, given, given.turn()) : given),
    trusted: given.trusted ?? (() => false),
    secrets: given.secrets ?? memorySecrets(),
    asker: given.asker ?? headlessAsker,
    headless: given.headless ?? (given.asker === undefined ? true : undefined),
    classifier: given.classifier,
    saveRule: given.saveRule ?? (async () => 'there is no place for it here'),
    userHome: given.userHome ?? homedir(),
    disk: given.disk ?? { ...realDisk, ignoresCase: realDisk.ignoresCase || process.platform === 'darwin' },
    guarded: given.guarded ?? [],
    clock: given.clock ?? Date.now,
    id: given.id ?? randomUUID,
    settings: given.settings ?? {},
    pluginOptions: given.pluginOptions ?? {},
    setupLimitMs: given.setupLimitMs ?? 10_000,
    hookLimitMs: given.hookLimitMs ?? 60_000,
    listen: given.listen ?? (() => undefined),
  };
}

/** The same objects each time, so that an unchanged turn can be known by them. */
const NO_TURN = Object.freeze({
  rules: [],
  features: {},
  deferral: { mode: 'always' },
  mode: 'default',
  disabledModes: [],
  additionalDirectories: [],
  trustedSources: [],
  policyRulesOnly: false,
} as const);

function fillTurn(given: TurnOptions): FilledTurn {
  const {
    preset,
    branch,
    rules = NO_TURN.rules,
    features = NO_TURN.features,
    deferral = NO_TURN.deferral,
    mode = NO_TURN.mode,
    disabledModes = NO_TURN.disabledModes,
    additionalDirectories = NO_TURN.additionalDirectories,
    trustedSources = NO_TURN.trustedSources,
    policyRulesOnly = NO_TURN.policyRulesOnly,
  } = given;
  return { rules, features, deferral, preset, mode, disabledModes, additionalDirectories, branch, trustedSources, policyRulesOnly };
}

function memorySecrets(): (plugin: string) => Secrets {
  const all = new Map<string, string>();
  const turns = new Map<string, Promise<unknown>>();
  return (plugin) => {
    const key = (name: string) => `${plugin}\n${name}`;
    const put = (name: string, value: string | undefined) => void (value === undefined ? all.delete(key(name)) : all.set(key(name), value));
    return {
      get: async (name) => all.get(key(name)),
      set: async (name, value) => put(name, value),
      remove: async (name) => put(name, undefined),
      update: (name, change) => {
        const turn = async () => {
          const value = await change(all.get(key(name)));
          put(name, value);
          return value;
        };
        const next = (turns.get(key(name)) ?? Promise.resolve()).then(turn, turn);
        turns.set(key(name), next);
        return next;
      },
    };
  };
}
