import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

import {
  createHost,
  errorTable,
  headlessAsker,
  parseRule,
  PegboardError,
  type Asker,
  type Blame,
  type Host,
  type HostEvent,
  type Plugin,
  type Rule,
  type RuleList,
} from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { mcp } from 'pegboard/mcp';

import type { GlobalOptions } from './args.ts';
import type { Screen } from './screen.ts';
import type { Stop } from './stop.ts';

/** Something that went wrong on the way and stopped nothing. */
interface Problem {
  readonly message: string;
  readonly code?: string | undefined;
  /** Whose mistake it is, where that is known. */
  readonly blame?: Blame | undefined;
}

/** A started host, and what the start met. */
export interface OpenHost {
  readonly host: Host;
  readonly rules: readonly Rule[];
  /** Grows while the host runs; each was said when it came. */
  readonly problems: readonly Problem[];
  /** Says a problem, once. */
  report(problem: Problem): void;
}

/** Starts the host a command line describes. Throws for what is wrong on the line itself; a broken plugin or file is a problem, and said. */
export async function openHost(options: GlobalOptions, screen: Screen, stop: Stop, say: (line: string) => void): Promise<OpenHost> {
  const rules = [...rulesOf(options.allow, 'allow'), ...rulesOf(options.ask, 'ask'), ...rulesOf(options.deny, 'deny')];
  const cwd = folderOf(options.cwd);
  const home = resolve(process.env['PEGBOARD_HOME'] || join(homedir(), '.pegboard'));
  const problems: Problem[] = [];
  const report = (problem: Problem) => {
    if (problems.some(({ message }) => message === problem.message)) return;
    problems.push(problem);
    say(`pegboard: ${problem.message}`);
  };
  const builtins = [...builtinPlugins(), mcp()];
  const ofLine = await commandLinePlugins(options.mcpConfig, report);
  const taken = [...builtins, ...ofLine].map(({ name }) => name);
  const { plugins, folders } = await folderPlugins(options.pluginDir, home, taken, report);
  const host = await createHost({
    builtins,
    plugins: [...ofLine, ...plugins],
    cwd,
    home,
    rules,
    asker: await askerFor(options, screen, stop),
    listen: (event) => hear(event, folders, report, screen),
  });
  return { host, rules, problems, report };
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

function rulesOf(texts: readonly string[], list: RuleList): readonly Rule[] {
  return texts.map((text) => parseRule(text, list, 'cli'));
}

function folderOf(given: string | undefined): string {
  const folder = resolve(given ?? '.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new PegboardError('CLI_CWD', { folder });
}

/** The servers of `--mcp-config`, offered by a plugin that stands for the command line. */
async function commandLinePlugins(files: readonly string[], report: (problem: Problem) => void): Promise<readonly Plugin[]> {
  if (files.length === 0) return [];
  const { readServerFile } = await import('pegboard/mcp');
  const read = await Promise.all([...new Set(files.map((file) => resolve(file)))].map((file) => readServerFile(file)));
  for (const { problems } of read) problems.forEach(report);
  return [{ name: 'command-line', contributes: { 'mcp.server': read.flatMap(({ offers }) => offers) } }];
}

async function folderPlugins(
  given: readonly string[],
  home: string,
  taken: readonly string[],
  report: (problem: Problem) => void,
): Promise<{ readonly plugins: readonly Plugin[]; readonly folders: Folders }> {
  if (given.length === 0) return { plugins: [], folders: new Map() };
  const { loadPlugins } = await import('./load-plugins.ts');
  const paths = given.map((folder) => resolve(folder));
  const { plugins, folders, problems } = await loadPlugins(paths, home, taken);
  problems.forEach(report);
  return { plugins, folders };
}

/** `--yes` answers what may be answered without a person; the rest goes to the person at the terminal, or to nobody. */
async function askerFor(options: GlobalOptions, screen: Screen, stop: Stop): Promise<Asker> {
  const person = process.stdin.isTTY && process.stderr.isTTY;
  const asker = person
    ? (await import('./ask-person.ts')).askPerson({ input: process.stdin, output: process.stderr }, screen, stop)
    : headlessAsker;
  if (!options.yes) return asker;
  return {
    ...asker,
    permission: async (question, signal) =>
      question.answerable ? { kind: 'allow', by: { kind: 'flag', flag: '--yes' } } : asker.permission(question, signal),
  };
}
