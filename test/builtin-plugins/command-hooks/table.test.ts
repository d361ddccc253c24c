import { readFile } from 'node:fs/promises';

import type { HookPorts } from 'pegboard/builtin-plugins';
import { scriptedModel } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { packageFolder } from '../../support/run-cli.ts';
import { answering, hookHost, prints, type HookHostOptions } from './hook-host.ts';

type Members = Readonly<Record<string, unknown>>;
const own = (event: string, members: Members) => ({ hookSpecificOutput: { hookEventName: event, ...members } });

/** What a hook says to mean something at an event, by the row of the table in docs/hooks.md. */
const SAYS: Readonly<Record<string, (event: string) => Members>> = {
  allow: (event) => {
    if (event === 'PreToolUse') return own(event, { permissionDecision: 'allow' });
    return event === 'PermissionRequest' ? own(event, { decision: { behavior: 'allow' } }) : { decision: 'approve' };
  },
  deny: (event) => {
    if (event === 'PreToolUse') return own(event, { permissionDecision: 'deny', permissionDecisionReason: 'not today' });
    if (event === 'PermissionRequest') return own(event, { decision: { behavior: 'deny', message: 'not today' } });
    return { decision: 'block', reason: 'not today' };
  },
  ask: (event) => own(event, event === 'PermissionRequest' ? { decision: { behavior: 'ask' } } : { permissionDecision: 'ask' }),
  'another input or output': (event) => {
    if (event === 'PermissionRequest') return own(event, { decision: { behavior: 'allow', updatedInput: { text: 'y' } } });
    return own(event, event === 'PreToolUse' ? { updatedInput: { text: 'y' } } : { updatedToolOutput: 'put in its place' });
  },
  context: (event) => own(event, { additionalContext: 'more words' }),
  'the end of the run': () => ({ continue: false, stopReason: 'not today' }),
};
const SAYING = Object.keys(SAYS);

interface Way {
  readonly handler: Members;
  readonly ports?: HookPorts;
}
type Kind = Readonly<Record<string, (event: string) => Way | Promise<Way>>>;

const LATE_S = 0.1;
const late = () => new Promise<never>(() => undefined);
const noisy = (event: string) => `loaded profile\n${JSON.stringify(SAYS['deny']?.(event))}\nbye`;
const each = (way: (text: string) => Way | Promise<Way>): Kind =>
  Object.fromEntries(SAYING.map((row) => [row, (event: string) => way(JSON.stringify(SAYS[row]?.(event)))]));

const command = (text: string, more: Members = {}): Way => ({ handler: { type: 'command', command: text, ...more } });
const http = async (body: string, status = 200): Promise<Way> => ({ handler: { type: 'http', url: (await answering(status, body)).url } });
const tool = (callTool: HookPorts['callTool'], more: Members = {}): Way => ({
  handler: { type: 'mcp_tool', server: 'guard', tool: 'check', ...more },
  ports: { callTool },
});
const toolSays = (text: string, failed = false) => tool(async () => ({ text, failed }));
const model = (askModel: HookPorts['askModel'], more: Members = {}): Way => ({
  handler: { type: 'prompt', prompt: 'May it?', ...more },
  ports: { askModel },
});

/** The ways in which hooks of each kind come to what a row of the table says. */
const KINDS: Readonly<Record<string, Kind>> = {
  command: {
    ...each((text) => command(prints(text))),
    nothing: () => command('true'),
    'plain text': () => command('echo more words'),
    'exit 2': () => command('echo not today >&2; exit 2'),
    'another exit code': () => command('echo no >&2; exit 1'),
    'deny in noise': (event) => command(prints(noisy(event))),
    'broken JSON': () => command('echo "{ no"'),
    'too long': () => command('sleep 30', { timeout: LATE_S }),
    'not to be had': () => command('no-such-program-here'),
  },
  http: {
    ...each(http),
    nothing: () => http(''),
    'plain text': () => http('more words'),
    'a failure': (event) => http(JSON.stringify(SAYS['allow']?.(event)), 500),
    'deny in noise': (event) => http(noisy(event)),
    'broken JSON': () => http('{ no'),
    'too long': async () => ({ handler: { type: 'http', url: (await answering('never', '')).url, timeout: LATE_S } }),
    'not to be had': () => ({ handler: { type: 'http', url: 'http://127.0.0.1:1/', timeout: 5 } }),
  },
  mcp_tool: {
    ...each((text) => toolSays(text)),
    nothing: () => toolSays(''),
    'plain text': () => toolSays('more words'),
    'a failure': () => toolSays('it broke', true),
    'deny in noise': (event) => toolSays(noisy(event)),
    'broken JSON': () => toolSays('{ no'),
    'too long': () => tool(late, { timeout: LATE_S }),
    'not to be had': () => tool(undefined),
  },
  prompt: {
    // What stands around its answer is nothing odd in a model.
    deny: () => model(async () => 'Well: {"ok": false, "reason": "not today"} I think.'),
    nothing: () => model(async () => '{"ok": true}'),
    'a failure': () => model(() => Promise.reject(new Error('no credit'))),
    'broken JSON': () => model(async () => 'hm {'),
    'too long': () => model(late, { timeout: LATE_S }),
    'not to be had': () => model(undefined),
  },
};

/** The table of the page: what becomes of it, by row and event. */
async function tableOf(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const page = await readFile(`${packageFolder}docs/hooks.md`, 'utf8');
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head = '', , ...rows] = page.slice(page.indexOf('| a hook says')).split('\n\n')[0]?.split('\n') ?? [];
  const events = cells(head)
    .slice(1)
    .map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, event = '']) => event));
  return new Map(
    rows
      .map(cells)
      .map(([row = '', ...words]) => [row, new Map(words.flatMap((word, at) => (events[at] ?? []).map((event) => [event, word])))]),
  );
}

/** One event with one hook, and in a word or two what became of it. */
async function becomes(event: string, row: string, { handler, ports }: Way): Promise<string> {
  const asks = event === 'PermissionRequest' || (event === 'PreToolUse' && row === 'allow');
  const options: HookHostOptions = { ...(ports ? { ports } : {}), allow: asks ? [] : ['Probe'], deny: ['Probe(deny)'] };
  const started = await hookHost({ [event]: [{ hooks: [handler] }] }, options);
  const text = { PostToolUseFailure: 'fail', PermissionDenied: 'deny' }[event] ?? 'x';
  const scripted = scriptedModel([{ calls: [{ name: 'Probe', input: { text } }] }, ...Array.from({ length: 3 }, () => ({ text: 'done' }))]);
  const ends: string[] = [];
  for await (const happened of started.host.session().run('hello', { model: scripted }))
    if (happened.kind === 'end') ends.push(happened.reason);
  const sent = JSON.stringify(scripted.requests.at(-1)?.messages ?? []);
  const told = started.told() === '' ? '' : ', told';
  return `${wordOf(event, { given: started.given, sent, requests: scripted.requests.length, end: ends[0] ?? '' })}${told}`;
}

interface Seen {
  readonly given: readonly unknown[];
  readonly sent: string;
  readonly requests: number;
  readonly end: string;
}

function wordOf(event: string, { given, sent, requests, end }: Seen): string {
  const context = sent.includes('more words') ? ', context' : '';
  if (end === 'stopped') return requests === 0 ? 'kept out' : 'ends the run';
  if (event === 'PreToolUse' || event === 'PermissionRequest') {
    if (given.length === 0) return sent.includes('not today') ? 'refused' : 'asks';
    return `${given[0] === 'y' ? 'runs rewritten' : 'runs'}${context}`;
  }
  if (sent.includes('put in its place')) return 'replaced';
  if (event.startsWith('PostToolUse') && sent.includes('A hook says of this result: not today')) return 'objection';
  return `${requests > 2 ? 'sent on' : 'goes on'}${context}`;
}

const EVENTS = [
  ...['PreToolUse', 'PermissionRequest', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit'],
  ...['SessionStart', 'Stop', 'PermissionDenied', 'PostToolBatch', 'SessionEnd'],
];

describe('the table of docs/hooks.md', () => {
  test.each(EVENTS.flatMap((event) => Object.keys(KINDS).map((kind) => [event, kind] as const)))(
    'M13.1 M13.2 M13.3 M13.4 %s, %s',
    async (event, kind) => {
      const table = await tableOf();
      const rows = Object.entries(KINDS[kind] ?? {});
      const got = await Promise.all(rows.map(async ([row, way]) => [row, await becomes(event, row, await way(event))] as const));
      expect(Object.fromEntries(got)).toEqual(Object.fromEntries(rows.map(([row]) => [row, table.get(row)?.get(event)])));
    },
  );
});
