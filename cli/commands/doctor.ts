import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { matchRule, nearest, shadowedRules, type Pool, type Source } from 'pegboard';
import { examineSandbox, type SandboxReport } from 'pegboard/builtin-plugins';
import { driftText, placeText, type PlacedRule } from 'pegboard/settings';

import { allServers } from '../all-servers.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { bytesOf, firstRequest } from '../first-request.ts';
import { shellWord } from '../render/shell-word.ts';
import { shown } from '../render/shown.ts';
import { tableLines, type Cell } from '../render/table.ts';
import { examineConfiguration } from '../examine-configuration.ts';
import type { Desk } from '../run-command.ts';
import { ago } from '../render/server-health.ts';
import { wrapped } from '../render/wrapped.ts';
import { pluginNotes } from '../plugin-notes.ts';
import { runningPackage } from '../running-package.ts';
import type { Line, Style } from '../screen.ts';
import { serverKnowledge } from '../server-knowledge.ts';
import { waitForServers } from '../wait-for-servers.ts';
import { pluginJson } from './plugin-list.ts';
import { counted } from '../render/counted.ts';

/** `doctor`: what was started and how that went, with the places to look further. It fails only when the configuration is wrong. */
export async function doctor(desk: Desk): Promise<ExitCode> {
  await waitForServers(desk);
  const report = await examine(desk);
  if (desk.screen.json) desk.screen.value(report);
  else desk.screen.print(drawn(report, desk.screen.width).flatMap((line) => inWidth(line, desk.screen.width)));
  return exitCode.done;
}

type Report = Awaited<ReturnType<typeof examine>>;

async function examine(desk: Desk) {
  const { host, settings, problems } = desk;
  const pool = host.pool();
  return {
    version: runningPackage().version,
    node: process.version,
    home: host.home,
    cwd: host.cwd,
    logs: logFiles(join(host.home, 'logs'), pool.sources),
    configuration: await examineConfiguration(desk),
    sandbox: await examineSandbox(settings().values['sandbox'], process.env['PATH']),
    plugins: host.plugins.map((plugin) => ({ ...plugin })),
    found: await Promise.all(desk.loaded.known.map(async (known) => ({ ...pluginJson(known), notes: await pluginNotes(known, desk) }))),
    sources: await sourceReports(pool, desk),
    tools: {
      all: pool.tools.length,
      loaded: pool.loaded.length,
      deferred: pool.deferred.length,
      absent: pool.places.length - pool.tools.length,
    },
    firstRequest: firstRequest(pool),
    rules: ruleReports(settings().rules, pool),
    problems,
  };
}

/** What the servers of this configuration have written; the home keeps the logs of all others as well. */
function logFiles(folder: string, sources: readonly Source[]): readonly string[] {
  const owners = new Set(sources.map(({ owner }) => owner));
  const owner = (file: string) => `mcp__${basename(file).replace(/\.log(\.old)?$/, '')}`;
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile() && owners.has(owner(entry.name))).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** Each rule and how many of the offered tools it speaks of; for one that can decide nothing, why. */
function ruleReports(rules: readonly PlacedRule[], pool: Pool) {
  const shadows = new Map(shadowedRules(rules).map(({ rule, by }) => [rule, by]));
  return rules.map((rule) => {
    const tools = pool.places.filter(({ tool }) => matchRule(rule, tool)).length;
    const by = shadows.get(rule);
    const warning =
      tools === 0 ? idleRule(rule, pool) : by && `it never decides: ${by.list} ${by.text} (${placeText(by.place)}) comes first`;
    const { list, text, source, place } = rule;
    return { list, text, source, place, tools, ...(warning === undefined ? {} : { warning }) };
  });
}

function idleRule({ toolName }: PlacedRule, { places, sources }: Pool): string {
  const absent = sources.find(({ owner, namespace, status, tools }) => {
    const unknown = tools.length === 0 && (status.kind === 'failed' || status.kind === 'connecting');
    return unknown && namespace !== undefined && (toolName === owner || toolName.startsWith(namespace));
  });
  if (absent !== undefined) return `the tools of ${absent.owner} are not known`;
  const near = nearest(
    toolName,
    places.flatMap(({ tool }) => tool.ruleNames),
  );
  return near === undefined ? 'it matches no tool' : `it matches no tool; the nearest name is "${near}"`;
}

/** Each source; of a server that fails, and of one that failed when it was last tried, why. */
async function sourceReports(pool: Pool, desk: Desk) {
  const servers = pool.sources.filter(({ owner }) => owner.startsWith('mcp__'));
  const known = servers.length === 0 ? undefined : await serverKnowledge(await allServers(desk), desk);
  const byOwner = new Map([...(known?.values() ?? [])].map((each) => [`mcp__${each.part}`, each]));
  return pool.sources.map((source) => {
    const { status, owner } = source;
    const failure = status.kind === 'cached' ? byOwner.get(owner)?.failure : undefined;
    const lastLines =
      status.kind === 'failed' ? lastLinesOf(join(desk.host.home, 'logs', 'mcp', `${owner.slice('mcp__'.length)}.log`)) : [];
    return {
      ...sourceReport(source, pool),
      ...(failure === undefined ? {} : { lastError: failure }),
      ...(lastLines.length > 0 ? { lastLines } : {}),
    };
  });
}

const LAST_LINES = 8;
const LAST_LINE_CHARS = 300;

function lastLinesOf(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').split(/\r?\n/);
    return lines
      .filter((line) => line.trim() !== '')
      .slice(-LAST_LINES)
      .map((line) => line.slice(0, LAST_LINE_CHARS));
  } catch {
    return [];
  }
}

function sourceReport(source: Source, pool: Pool) {
  const own = new Set(source.tools);
  const loaded = pool.loaded.filter((tool) => own.has(tool));
  const present = pool.tools.filter((tool) => own.has(tool));
  return {
    name: source.owner,
    builtin: source.builtin,
    status: source.status,
    tools: present.length,
    loaded: loaded.length,
    deferred: present.length - loaded.length,
    bytes: { loaded: bytesOf(loaded), all: bytesOf(present) },
    notes: source.notes,
  };
}

/** How many of a server's tools are not as it lists them. */
function oddWords({ notes }: Report['sources'][number]): string {
  const count = (kind: Source['notes'][number]['kind'], words: string) => {
    const many = notes.filter((note) => note.kind === kind).length;
    return many === 0 ? [] : [`${many} ${words}`];
  };
  return [...count('quarantined', 'left out'), ...count('repaired', 'repaired')].join(', ');
}

/** A failure is said once, whole, where nothing cuts it. */
const BELOW = 'see problems';

function drawn(report: Report, width: number): readonly Line[] {
  const { version, node, home, cwd, logs, configuration, sandbox, plugins, found, sources, tools, rules, problems } = report;
  return [
    `pegboard ${version}, Node ${node}`,
    `home ${home}`,
    `folder ${cwd}`,
    sandboxLine(sandbox),
    ...configurationLines(configuration),
    '',
    ...tableLines(
      [{ title: 'plugin' }, { title: 'state' }, { title: 'ms', align: 'right' }, { title: '' }],
      plugins.map((plugin) => [
        plugin.name,
        stateCell(plugin.kind, plugin.kind === 'running'),
        String(Math.round(plugin.ms)),
        plugin.kind === 'failed' ? BELOW : plugin.builtin ? 'built in' : '',
      ]),
      width,
    ),
    '',
    ...tableLines(
      [{ title: 'source' }, { title: 'state' }, { title: 'tools', align: 'right' }, { title: '' }],
      sources.map((source) => [
        source.name,
        stateCell(source.status.kind, source.status.kind !== 'failed'),
        String(source.tools),
        source.status.kind === 'failed' ? BELOW : oddWords(source),
      ]),
      width,
    ),
    ...section('plugins that were found', found.flatMap(foundLines)),
    ...section(
      'notes',
      sources.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${noteText(note)}`)),
    ),
    ...section('logs, as `mcp get NAME --logs` has them', logs),
    ...section(
      'rules',
      rules.map(
        ({ list, text, source, place, warning }) =>
          `${list} ${text} (${source}, ${placeText(place)})${warning === undefined ? '' : `: ${warning}`}`,
      ),
    ),
    ...section('problems', [
      ...problems.map(({ message }) => message),
      ...sources.flatMap(({ lastError }) =>
        lastError === undefined
          ? []
          : [`${lastError.message} That was ${ago(Date.now() - lastError.at)}; \`pegboard mcp list --check\` tries it again.`],
      ),
    ]),
    '',
    `${counted(tools.all, 'tool')}: ${tools.loaded} loaded, ${tools.deferred} deferred, ${tools.absent} hidden or without their name`,
  ];
}

/** Sentences are broken between words; what is laid out already fits. */
function inWidth(line: Line, width: number): readonly Line[] {
  return typeof line === 'string' ? wrapped(shown(line), width, '  ') : [line];
}

function sandboxLine({ mode, missing }: SandboxReport): Line {
  if (missing === undefined) return `sandbox ${mode}: ${mode === 'off' ? 'everything it needs is here' : 'commands run in it'}`;
  const cost = { off: '', on: '; commands run outside of it', required: '; no command runs' }[mode];
  return [`sandbox ${mode}${cost}: `, { text: missing, style: mode === 'off' ? 'dim' : 'red' }];
}

function configurationLines({ project, layers, servers, features, preset, mode, leftOut, lock }: Report['configuration']): readonly Line[] {
  const set = Object.entries(features).map(([name, on]) => `feature ${name}: ${on ? 'on' : 'off'}`);
  return [
    `project ${project.folder}: ${project.trust.kind}, ${project.trust.why}`,
    `mode ${mode}${mode === 'auto' ? ': there is no judge on the command line, so what would be asked about is blocked' : ''}`,
    ...section(
      'settings',
      [
        ...layers.map(({ layer, source, state, why }) => `${layer} ${source}: ${state}${why === undefined ? '' : `, ${why}`}`),
        ...set,
      ].concat(preset === undefined ? [] : [`preset ${preset}`]),
    ),
    ...section(
      'servers in the settings',
      servers.map(({ name, scope, state, why }) => `${shellWord(name)} (${scope}): ${state}${why === undefined ? '' : `, ${why}`}`),
    ),
    ...section('left out', leftOut),
    ...section(
      'pegboard.lock',
      lock.state === 'broken' ? [lock.why] : lock.state === 'read' && lock.drift.length > 0 ? driftText(lock.drift).split('\n') : [],
    ),
  ];
}

function section(title: string, lines: readonly string[]): readonly Line[] {
  return lines.length === 0 ? [] : ['', [{ text: title, style: 'bold' }], ...lines.map((line) => `- ${line}`)];
}

function stateCell(text: string, good: boolean): Cell {
  const style: Style = good ? 'green' : 'red';
  return { text, style };
}

/** One that is not built in, where it lies, and what of it did not load; notes are what changes nothing. */
function foundLines({ name, kind, from, folder, state, problems, notes }: Report['found'][number]): readonly string[] {
  const all = [...problems.map(({ message }) => message), ...notes];
  return [`${name} (${kind}, ${from}, ${folder}): ${state}`, ...all.map((each) => `${name}: ${each}`)];
}

function noteText(note: Source['notes'][number]): string {
  return note.kind === 'warning' || note.kind === 'notice' ? note.why : `${note.tool} was ${note.kind}: ${note.why}`;
}
