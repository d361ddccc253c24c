import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { headlessAsker, type Asker } from './asker.ts';
import type { DeferralPolicy } from './deferral.ts';
import type { HostEvent } from './host.ts';
import type { Rule } from './permission/rule.ts';
import type { Plugin, Secrets } from './plugin.ts';

/** What a host is made of. Everything it must not decide or find out by itself is a port here; what is left out gets the default of `fillOptions`. */
export interface HostOptions {
  /** Plugins whose listed tools are built-ins: the contiguous, cache-stable prefix of the pool. */
  readonly builtins?: readonly Plugin[] | undefined;
  readonly plugins?: readonly Plugin[] | undefined;
  /** The folder the host works in; the process's unless given. */
  readonly cwd?: string | undefined;
  /** Where the host keeps its own files; `PEGBOARD_HOME` or `~/.pegboard` unless given. */
  readonly home?: string | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** May things that come from this folder run? Nothing is trusted unless given. */
  readonly trusted?: ((path: string) => boolean) | undefined;
  readonly secrets?: ((plugin: string) => Secrets) | undefined;
  /** Who answers questions; nobody unless given. */
  readonly asker?: Asker | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined;
  /** A fresh id for a session or a call: letters, digits and "-". */
  readonly id?: (() => string) | undefined;
  /** Values by key, as a settings reader found them; each plugin checks its own. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Options of plugins, by plugin name. */
  readonly pluginOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly deferral?: DeferralPolicy | undefined;
  /** How long a plugin's `setup` may take, ms. */
  readonly setupLimitMs?: number | undefined;
  /** How long one hook handler may take, ms. */
  readonly hookLimitMs?: number | undefined;
  /** Told of everything from the first plugin on. Must not throw. */
  readonly listen?: ((event: HostEvent) => void) | undefined;
}

export type FilledOptions = { readonly [Name in keyof HostOptions]-?: Exclude<HostOptions[Name], undefined> };

/** The one place where core looks at the clock, the environment and chance. */
export function fillOptions(given: HostOptions): FilledOptions {
  return {
    builtins: given.builtins ?? [],
    plugins: given.plugins ?? [],
    cwd: resolve(given.cwd ?? process.cwd()),
    home: resolve(given.home ?? process.env['PEGBOARD_HOME'] ?? join(homedir(), '.pegboard')),
    rules: given.rules ?? [],
    trusted: given.trusted ?? (() => false),
    secrets: given.secrets ?? memorySecrets(),
    asker: given.asker ?? headlessAsker,
    clock: given.clock ?? Date.now,
    id: given.id ?? randomUUID,
    settings: given.settings ?? {},
    pluginOptions: given.pluginOptions ?? {},
    deferral: given.deferral ?? { mode: 'always' },
    setupLimitMs: given.setupLimitMs ?? 10_000,
    hookLimitMs: given.hookLimitMs ?? 60_000,
    listen: given.listen ?? (() => undefined),
  };
}

function memorySecrets(): (plugin: string) => Secrets {
  const all = new Map<string, string>();
  return (plugin) => ({
    get: async (name) => all.get(`${plugin}\n${name}`),
    set: async (name, value) => void all.set(`${plugin}\n${name}`, value),
    remove: async (name) => void all.delete(`${plugin}\n${name}`),
  });
}
