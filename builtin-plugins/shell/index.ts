import { join } from 'node:path';

import { definePlugin, type Plugin, type PluginScope, type StandardSchema } from 'pegboard';
import { ProcessGroups, ProcessLedger } from 'pegboard/kit';

import { makeBash } from './bash.ts';
import { shellOptions, USUAL_OPTIONS, type ShellOptions } from './options.ts';
import { sandboxSettings } from './sandbox/options.ts';
import { NO_SANDBOX, type Sandbox } from './sandbox/sandbox.ts';
import { makePowerShell } from './powershell/powershell.ts';
import { findBash, findPowerShell, type ShellGround } from './shell-ground.ts';
import { isFolderNow } from './working-directory.ts';

export type { SandboxRules } from './sandbox/confinement.ts';
export type { Sandbox } from './sandbox/sandbox.ts';

/** What an embedding program may set; the rest is in the settings. */
export interface ShellParts {
  /** Instead of the one that the settings describe. */
  readonly sandbox?: Sandbox | undefined;
  /** Calls are only judged, on a disk that is told of: every folder is there, and so is a bash. */
  readonly imagined?: boolean | undefined;
  /** A PowerShell that is not on PATH. */
  readonly powershell?: string | undefined;
}

/** The plugin "shell": running commands (M11.2), in a sandbox where the settings ask for one (M5.4). */
export function shell({ sandbox, imagined = false, powershell }: ShellParts = {}): Plugin {
  const windows = process.platform === 'win32';
  let options: ShellOptions = USUAL_OPTIONS;
  let declared: Readonly<Record<string, string>> = {};
  let own: Sandbox = sandbox ?? NO_SANDBOX;
  const groups = new ProcessGroups({ windows });
  let lasting = () => groups;
  const ground: ShellGround = {
    get options() {
      return options;
    },
    get sandbox() {
      return own;
    },
    bash: imagined ? '/bin/bash' : findBash(),
    powershell: powershell ?? findPowerShell(),
    isFolder: imagined ? () => true : isFolderNow,
    groups,
    lastingGroups: () => lasting(),
    ownEnvironment: () => process.env,
    declaredEnvironment: () => declared,
  };
  return definePlugin({
    name: 'shell',
    options: shellOptions,
    tools: [makeBash(ground), makePowerShell(ground)],
    setup: async (scope) => {
      options = scope.options as ShellOptions;
      declared = scope.settings('env', texts);
      lasting = rememberedGroups(scope, windows);
      const settings = scope.settings('sandbox', sandboxSettings);
      if (sandbox !== undefined || !settings.enabled) return;
      const { RuntimeSandbox } = await import('./sandbox/open-sandbox.ts');
      const { cwd, home } = scope;
      const opened = new RuntimeSandbox(settings, { cwd, own: [home], path: process.env['PATH'] });
      own = opened;
      scope.onClose(() => opened.close());
    },
  });
}

/** Groups that the next host ends if this one is killed; what an earlier one has left goes when the first is asked for. */
function rememberedGroups(scope: PluginScope, windows: boolean): () => ProcessGroups {
  const ledger = new ProcessLedger({ folder: join(scope.folders.data, 'processes'), now: () => scope.now() });
  const groups = new ProcessGroups({ windows, ledger });
  let swept: Promise<unknown> | undefined;
  scope.onClose(async () => void (await swept));
  return () => {
    swept ??= ledger.sweep();
    return groups;
  };
}

/** The variables of the settings; what is no text is no variable. */
const texts: StandardSchema<Readonly<Record<string, string>>> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => ({
      value: Object.fromEntries(Object.entries(given ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    }),
  },
};
