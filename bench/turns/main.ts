import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { createHost, definePlugin, defineTool, parseRule, textOf, type Host, type Model } from 'pegboard';
import { builtinPlugins, openSaved } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { mcp } from 'pegboard/mcp';
import { scriptedModel, temporaryFolder } from 'pegboard/testing';

import { WRITTEN, writeSession } from './written-session.ts';

/**
 * What much of everything costs: many calls at once, a long history, a long result. Each case has a process of its own, so that its peak
 * memory is its own. Run it with `npx tsx --conditions=source bench/turns/main.ts`, or with the names of cases behind it.
 */
const PROGRAM = fileURLToPath(import.meta.url);
const SERVER = fileURLToPath(new URL('long-answer-server.mjs', import.meta.url));
const MB = 1_000_000;
const LONG = 200 * MB;

const SAFE = { isConcurrencySafe: () => true, isReadOnly: () => true, input: jsonSchema({ type: 'object' }) } as const;
const tools = [
  defineTool({ ...SAFE, name: 'Nothing', description: '', call: async () => 'nothing' }),
  defineTool({ ...SAFE, name: 'Long', description: '', call: async () => 'a line of an answer\n'.repeat(LONG / 20) }),
];

const bench = definePlugin({ name: 'bench', tools });

/** A host in a folder of its own. */
async function open(home: string, servers: Readonly<Record<string, unknown>> = {}): Promise<Host> {
  return createHost({
    cwd: process.cwd(),
    home,
    builtins: [...builtinPlugins(), mcp({ servers })],
    plugins: [bench],
    mode: 'bypassPermissions',
    rules: ['Nothing', 'Long', 'mcp__long'].map((name) => parseRule(name, 'allow', 'cli')),
  });
}

const done = { text: 'Done.' };
const calls = (count: number, name: string, input: unknown = {}) => ({ calls: Array.from({ length: count }, () => ({ name, input })) });

/** Asks for one call each turn, so many times. */
function asksOften(turns: number): Model {
  let asked = 0;
  return {
    ...scriptedModel([]),
    async *stream() {
      asked++;
      if (asked <= turns) yield { kind: 'block', block: { type: 'tool_use', id: `c${asked}`, name: 'Nothing', input: {} } };
      yield { kind: 'stop', reason: asked <= turns ? 'tool_use' : 'end_turn' };
    },
  };
}

async function ask(host: Host, model: Model, maxTurns = 3): Promise<void> {
  for await (const event of host.run('Go.', { model, maxTurns }))
    if (event.kind === 'end' && event.reason !== 'completed') throw new Error(event.message ?? event.reason);
}

/** A session of so many turns is read, gone on with, and has one more turn. */
async function resume(home: string): Promise<string> {
  const host = await open(home);
  const saved = await openSaved(home, WRITTEN);
  const session = host.session({ saved });
  for await (const event of session.run('Once more.', { model: scriptedModel([calls(1, 'Nothing'), done]) }))
    if (event.kind === 'end' && event.reason !== 'completed') throw new Error(event.message ?? event.reason);
  await host.close();
  return `${session.messages.length} messages`;
}

/** One call by name, and the beginning of what the context keeps of it. */
async function call(home: string, name: string, input: unknown, servers: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const host = await open(home, servers);
  await host.settled(20_000);
  const outcome = await host.call(name, input);
  await host.close();
  return `${outcome.kind}: ${textOf('kept' in outcome ? outcome.kept.content : outcome.result.content).slice(0, 60)}`;
}

/** A conversation of so many turns in one run, written down nowhere: the disk would be all of its time. */
async function loop(home: string, turns: number): Promise<string> {
  const host = await createHost({ cwd: home, home, plugins: [bench], rules: [parseRule('Nothing', 'allow', 'cli')] });
  await ask(host, asksOften(turns), turns + 1);
  await host.close();
  return '';
}

const long = (bytes: number) => ({ long: { command: process.execPath, args: [SERVER, String(bytes)] } });

/** Each gives a word on what came of it; what it needs is made ready beforehand, by another process. */
const CASES: Readonly<
  Record<string, { readonly ready?: (home: string) => Promise<void>; readonly run: (home: string) => Promise<string> }>
> = {
  'one turn': { run: (home) => loop(home, 1) },
  '200 calls at once': {
    run: async (home) => {
      const host = await open(home);
      await ask(host, scriptedModel([calls(200, 'Nothing'), done]));
      await host.close();
      return '';
    },
  },
  ...Object.fromEntries(
    [2_500, 5_000, 10_000].flatMap((turns) => [
      [`${turns} turns`, { run: (home: string) => loop(home, turns) }],
      [`resume ${turns} turns`, { ready: (home: string) => writeSession(home, turns), run: resume }],
    ]),
  ),
  '200 MB of a tool': { run: (home) => call(home, 'Long', {}) },
  '200 MB of Bash': { run: (home) => call(home, 'Bash', { command: `yes a line of an output | head -c ${LONG}`, description: 'long' }) },
  '9 MB of a server': { run: (home) => call(home, 'mcp__long__answer', {}, long(9 * MB)) },
  '200 MB of a server': { run: (home) => call(home, 'mcp__long__answer', {}, long(LONG)) },
};

interface Figures {
  readonly ms: number;
  readonly cpuMs: number;
  readonly peak: number;
  readonly came: string;
}

/** In a process that does nothing else. */
async function measure(name: string, home: string): Promise<Figures> {
  const before = process.cpuUsage();
  const began = performance.now();
  const came = await CASES[name]?.run(home);
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpuMs: (user + system) / 1_000, peak: process.resourceUsage().maxRSS * 1_024, came: came ?? '' };
}

async function inProcess(name: string): Promise<Figures> {
  const folder = await temporaryFolder();
  await CASES[name]?.ready?.(folder.path);
  const child = fork(PROGRAM, ['measure', name, folder.path]);
  const [figures] = (await once(child, 'message')) as [Figures];
  await once(child, 'exit');
  await folder.remove();
  return figures;
}

function mb(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}

const [first, ...others] = process.argv.slice(2);
if (first === 'measure') {
  process.send?.(await measure(others[0] ?? '', others[1] ?? ''));
  process.disconnect();
} else {
  const names = first === undefined ? Object.keys(CASES) : [first, ...others];
  console.log('| case | wall | CPU | peak memory | what came of it |\n| --- | ---: | ---: | ---: | --- |');
  for (const name of names) {
    const { ms, cpuMs, peak, came } = await inProcess(name);
    console.log(`| ${name} | ${Math.round(ms)} ms | ${Math.round(cpuMs)} ms | ${mb(peak)} | ${came} |`);
  }
}
