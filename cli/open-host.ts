import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createHost, errorTable, headlessAsker, type Asker, type Host, type HostEvent, type Plugin, type TurnOptions } from 'pegboard';
import {
  agentDefinitions,
  builtinPlugins,
  commandHooks,
  commands,
  presets,
  type AgentDefinitions,
  type CommandHooks,
  type Commands,
} from 'pegboard/builtin-plugins';
import { mcp } from 'pegboard/mcp';
import { skills, type Skills } from 'pegboard/skills';
import { changeSettings, settingsFile, stopsHeadless, type Settings } from 'pegboard/settings';

import type { GlobalOptions } from './args.ts';
import type { DriftWatch } from './follow-drift.ts';
import { offerServers } from './offer-servers.ts';
import type { KnownPlugin } from './known-plugins.ts';
import type { Problem, Problems } from './problems.ts';
import type { Configuration } from './read-configuration.ts';
import { reachHooks } from './reach-hooks.ts';
import type { Screen } from './screen.ts';
import { homeSecrets } from './secrets.ts';
import type { Stop } from './stop.ts';
import type { TellSettings } from './tell-settings.ts';
import { workFolder } from './work-folder.ts';

/** A started host, and the configuration it was started by. */
export interface OpenHost {
  readonly host: Host;
  readonly configuration: Configuration;
  /** What counts now: with `live` files are followed while the host runs. */
  readonly settings: () => Settings;
  /** What may stand in a prompt beside words. */
  readonly commands: Commands;
  readonly skills: Skills;
  readonly hooks: CommandHooks;
  readonly agents: AgentDefinitions;
  /** The plugins that are not built in. */
  readonly loaded: FolderPlugins;
  close(): Promise<void>;
}

/** What a command is to the host it opens. */
export interface Use {
  /** It calls tools: with nobody at the terminal it must not go on where a deny or an ask may have been lost. */
  readonly calls: boolean;
  /** It takes several turns, and changed files count from the next one on. */
  readonly live: boolean;
  /** Takes over from the one that is usual, once it can. */
  readonly asker?: ((usual: Asker) => Asker) | undefined;
  /** It wants to know how servers are now, whatever is known of them. */
  readonly afresh?: boolean | undefined;
}

/** Everything around the command line that a host is opened with. */
export interface Surroundings extends Problems {
  readonly tell: TellSettings;
  readonly options: GlobalOptions;
  readonly screen: Screen;
  readonly stop: Stop;
}

/** Starts the host a configuration describes; a broken plugin or file is a problem. Throws, with nobody at the terminal, what `Use.calls` says. */
export async function openHost(read: Configuration, use: Use, around: Surroundings): Promise<OpenHost> {
  const { options, screen, report } = around;
  const person = process.stdin.isTTY && process.stderr.isTTY;
  const asker = await askerFor(person, around);
  const configuration = person ? await askedForTrust(read, asker, around) : read;
  const { settings } = configuration;
  const stopper = person || !use.calls ? undefined : stopsHeadless(settings);
  around.tell(settings, stopper);
  if (stopper) throw stopper;
  Object.assign(process.env, settings.ownEnv);
  const servers = await offerServers(configuration, use.live, around.tell);
  const refusal = (server: string, definition: unknown) => servers.settings().refusal(server, definition);
  const typed = commands();
  const written = skills();
  const hooks = commandHooks();
  const agents = agentDefinitions();
  const builtins = [
    ...builtinPlugins(),
    typed.plugin,
    written.plugin,
    hooks.plugin,
    agents.plugin,
    mcp({ refusal, workFolder: (offer) => workFolder(offer, configuration, servers.settings()), afresh: use.afresh }),
  ];
  const drift = await driftOf(settings.project.folder, around);
  const own = [servers.plugin, ...(drift ? [drift.plugin] : [])];
  const taken = [...builtins, ...own].map(({ name }) => name);
  const loaded = await folderPlugins(options.pluginDir, configuration, taken, report);
  const host = await createHost({
    builtins,
    plugins: [...own, ...loaded.plugins],
    cwd: configuration.cwd,
    home: configuration.home,
    settings: settings.values,
    pluginOptions: settings.values.pluginOptions,
    trusted: (path) => servers.settings().trusted(path),
    secrets: homeSecrets(configuration.home),
    turn: () => turnOf(servers.settings()),
    asker: answeredByYes(use.asker?.(asker) ?? asker, options),
    headless: !person,
    guarded: ['/etc/pegboard'],
    saveRule: (rule, scope) => saveRule(rule, scope, configuration),
    listen: (event) => hear(event, loaded.folders, report, screen),
  });
  reachHooks(hooks, host, screen);
  drift?.follow(host, servers.settings);
  const close = async () => {
    await servers.close();
    await host.close();
  };
  return { host, configuration, settings: servers.settings, commands: typed, skills: written, agents, hooks, loaded, close };
}

/** Most projects have no lock, and then nothing of it is loaded. */
async function driftOf(folder: string, around: Surroundings): Promise<DriftWatch | undefined> {
  return existsSync(join(folder, 'pegboard.lock')) ? (await import('./follow-drift.ts')).openDriftWatch(folder, around) : undefined;
}

async function askedForTrust(read: Configuration, asker: Asker, { screen, stop }: Surroundings): Promise<Configuration> {
  const { askForTrust } = await import('./ask-trust.ts');
  return askForTrust(read, asker, screen, stop.signal);
}

function turnOf({ rules, values, project }: Settings): TurnOptions {
  const { features, deferral, preset, permissions } = values;
  const { defaultMode: mode, disabledModes, additionalDirectories } = permissions;
  const { trustedMcpServers = [] } = values as { readonly trustedMcpServers?: readonly string[] };
  const trustedSources = trustedMcpServers.map((name) => `mcp__${name}`);
  const branch = branchOf(project.root ?? project.folder);
  return {
    rules,
    features,
    deferral,
    preset: preset && presets[preset],
    mode,
    disabledModes,
    additionalDirectories,
    branch,
    trustedSources,
    policyRulesOnly: values.allowManagedPermissionRulesOnly,
  };
}

/** The branch that is checked out, without starting anything. */
function branchOf(root: string): string | undefined {
  try {
    return /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(join(root, '.git', 'HEAD'), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Writes what a person does not want to be asked again. */
async function saveRule(rule: string, scope: 'local' | 'project' | 'user', { home, settings }: Configuration): Promise<string | undefined> {
  const { folder } = settings.project;
  const file = settingsFile(scope, { home, project: folder });
  const outcome = await changeSettings(
    file,
    [{ kind: 'add', path: ['permissions', 'allow'], value: rule }],
    scope === 'user' ? undefined : folder,
  );
  return outcome.kind === 'refused' ? outcome.error.message : undefined;
}

type Folders = ReadonlyMap<string, string>;

function hear(event: HostEvent, folders: Folders, report: (problem: Problem) => void, screen: Screen): void {
  if (event.kind === 'report') report(problemOf(event, folders));
  if (event.kind === 'plugin') screen.debug(`plugin ${event.report.name}: ${event.report.kind} after ${event.report.ms} ms`);
  if (event.kind === 'source') screen.debug(`source ${event.owner} changed`);
}

/** A plugin of a folder is named with it where the sentence does not name it. */
function problemOf({ plugin, message, code }: HostEvent & { readonly kind: 'report' }, folders: Folders): Problem {
  if (code === undefined) return { message: `plugin "${plugin}": ${message}` };
  const folder = folders.get(plugin);
  const named = folder === undefined || message.includes(`"${plugin}"`);
  return { message: named ? message : `plugin "${plugin}" in ${folder}: ${message}`, code, blame: errorTable[code].blame };
}

/** Plugins, and the folder of each by its name on the host. */
export interface FolderPlugins {
  readonly plugins: readonly Plugin[];
  readonly folders: Folders;
  /** All that were found, also those that are not loaded. */
  readonly known: readonly KnownPlugin[];
}

/** The plugins of the folders that the line and the settings name; one that cannot be loaded is a problem. */
export async function folderPlugins(
  given: readonly string[],
  configuration: Configuration,
  taken: readonly string[],
  report: (problem: Problem) => void,
): Promise<FolderPlugins> {
  const { plugins: named, enabled } = configuration.settings;
  const isAny = given.length + named.length + Object.keys(enabled).length > 0 || existsSync(join(configuration.home, 'plugins'));
  if (!isAny) return { plugins: [], folders: new Map(), known: [] };
  const { problems, ...found } = await (await import('./wanted-plugins.ts')).wantedPlugins(given, configuration, taken);
  for (const { message, code, blame } of problems) report({ message, code, blame });
  return found;
}

async function askerFor(person: boolean, { screen, stop }: Surroundings): Promise<Asker> {
  if (!person) return headlessAsker;
  return (await import('./ask-person.ts')).askPerson({ input: process.stdin, output: process.stderr }, screen, stop);
}

/** `--yes` answers what may be answered without a person; the rest goes to the person at the terminal, or to nobody. */
function answeredByYes(asker: Asker, { yes }: GlobalOptions): Asker {
  if (!yes) return asker;
  return {
    ...asker,
    permission: async (question, signal) =>
      question.answerable ? { kind: 'allow', by: { kind: 'flag', flag: '--yes' } } : asker.permission(question, signal),
  };
}
