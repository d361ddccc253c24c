import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import { PegboardError, type ServerOffer } from 'pegboard';
import {
  openApprovals,
  openTrust,
  readSettings,
  type ApprovalBook,
  type ManagedFile,
  type ReadOptions,
  type Settings,
  type TrustBook,
} from 'pegboard/settings';

import type { GlobalOptions } from './args.ts';
import type { Problems } from './problems.ts';

/** What a folder, its person and a command line say together. */
export interface Configuration {
  readonly cwd: string;
  readonly home: string;
  readonly settings: Settings;
  readonly trust: TrustBook;
  readonly approvals: ApprovalBook;
  /** How the settings were read. */
  readonly read: ReadOptions;
}

/** What a command line says, and where the policy stands that holds over it. */
export interface ConfigurationOptions extends GlobalOptions {
  readonly managed?: ManagedFile | undefined;
}

/** Reads the configuration a command line describes. Throws for what is wrong on the line itself; what is wrong in a file is a problem in the settings. */
export async function readConfiguration(options: ConfigurationOptions, problems: Problems): Promise<Configuration> {
  const cwd = folderOf(options.cwd);
  const home = resolve(process.env['PEGBOARD_HOME'] || join(homedir(), '.pegboard'));
  const trust = openTrust({ home });
  const { allow, ask, deny, preset } = options;
  const permissionMode = options.dangerouslySkipPermissions ? 'bypassPermissions' : options.permissionMode;
  const flags = {
    permissionMode,
    allow,
    ask,
    deny,
    preset,
    settings: fileOrJson(options.settings),
    servers: await serversOf(options.mcpConfig, problems),
  };
  const read: ReadOptions = { cwd, home, trust, flags, managed: options.managed, tools: builtinNames };
  return { cwd, home, trust, approvals: openApprovals(home), read, settings: await readSettings(read) };
}

/** The same after something was recorded or written. */
export async function readAgain(configuration: Configuration): Promise<Configuration> {
  return { ...configuration, settings: await readSettings(configuration.read) };
}

/** All names that rules may use for what every host has. */
async function builtinNames(): Promise<readonly string[]> {
  const { builtinPlugins } = await import('pegboard/builtin-plugins');
  return builtinPlugins().flatMap(({ tools = [] }) => tools.flatMap(({ name, ruleNames, aliases }) => [name, ...ruleNames, ...aliases]));
}

function folderOf(given: string | undefined): string {
  const folder = resolve(given ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new PegboardError('CLI_CWD', { folder });
}

/** A path on the command line starts where the shell is, whatever `--cwd` says. */
function fileOrJson(given: string | undefined): string | undefined {
  return given === undefined || given.trimStart().startsWith('{') ? given : resolve(given);
}

async function serversOf(files: readonly string[], { report }: Problems): Promise<readonly ServerOffer[]> {
  if (files.length === 0) return [];
  const { readServerFile } = await import('pegboard/mcp');
  const read = await Promise.all([...new Set(files.map((file) => resolve(file)))].map((file) => readServerFile(file)));
  for (const { problems } of read) problems.forEach(report);
  return read.flatMap(({ offers }) => offers);
}
