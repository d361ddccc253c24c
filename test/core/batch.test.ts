import { symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Model, ModelEvent, Tool, ToolDefinition } from 'pegboard';

import { gate } from './gate.ts';
import { openSession, play, resultsOf } from './play.ts';
import { probeTool, type ProbeInput } from './probe-tool.ts';

type Given = Partial<Omit<ToolDefinition<ProbeInput>, 'call'>>;

/** A tool that notes when its calls begin and end, and takes a few rounds of the event loop for each. */
function timed(name: string, log: string[], given: Given = {}): Tool<ProbeInput> {
  return probeTool(name, given, async ({ text = '' }) => {
    log.push(`+${name}${text}`);
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
    log.push(`-${name}${text}`);
    return `${name}${text}`;
  });
}

const SAFE: Given = { isConcurrencySafe: () => true };
const WRITES: Given = { ...SAFE, writes: ({ text = '' }) => [{ kind: 'file', path: text }] };
const call = (name: string, text?: string) => ({ name, input: text === undefined ? {} : { text } });

/** The most calls that ran at once, read from a log. */
function overlap(log: readonly string[]): number {
  let now = 0;
  return Math.max(...log.map((line) => (now += line.startsWith('+') ? 1 : -1)));
}

test('M6.1 calls that are safe run together, and any other runs alone: it waits for those before it, and those behind it wait', async () => {
  const log: string[] = [];
  const session = await openSession([timed('R', log, SAFE), timed('W', log)]);
  const reads = (from: number) => [1, 2, 3, 4, 5].map((i) => call('R', `${from + i}`));
  await play(session, [{ calls: [...reads(0), call('W'), ...reads(5)] }, { text: 'done' }]);
  const at = log.indexOf('+W');
  expect(log.slice(at, at + 2)).toEqual(['+W', '-W']);
  expect(
    log
      .slice(0, at)
      .map((line) => line.slice(0, 1))
      .join(''),
  ).toBe('+++++-----');
  expect(
    log
      .slice(at + 2)
      .map((line) => line.slice(0, 1))
      .join(''),
  ).toBe('+++++-----');
  expect(Object.values(resultsOf(session.messages[2]))).toEqual(['R1', 'R2', 'R3', 'R4', 'R5', 'W', 'R6', 'R7', 'R8', 'R9', 'R10']);
});

test('M6.1 two writes to one resource never overlap though both claim to be safe, and writes to different ones do', async () => {
  const log: string[] = [];
  const other = gate();
  const writes = probeTool('W', WRITES, async ({ text = '' }) => {
    log.push(`+${text}`);
    if (text === 'b') other.open();
    await other.opened;
    log.push(`-${text}`);
    return text;
  });
  const session = await openSession([writes]);
  await play(session, [{ calls: ['a', './b/../a', 'a', 'b'].map((path) => call('W', path)) }, { text: 'done' }]);
  expect(log.filter((line) => line.endsWith('a'))).toEqual(['+a', '-a', '+./b/../a', '-./b/../a', '+a', '-a']);
  expect(log.slice(0, 2)).toEqual(['+a', '+b']);
});

test('M6.1 a link is the resource it leads to, a folder holds its files, and who reads what another one writes waits', async () => {
  const log: string[] = [];
  const reads = timed('R', log, { ...SAFE, reads: ({ text = '' }) => [{ kind: 'file', path: text }] });
  const session = await openSession([
    timed('W', log, WRITES),
    reads,
    probeTool('Prepare', {}, async (_input, { workspace }) => {
      await writeFile(workspace.resolve('real'), '');
      await symlink(workspace.resolve('real'), workspace.resolve('link'));
      return '';
    }),
  ]);
  const calls = [call('W', 'link'), call('W', 'real'), call('R', 'real'), call('W', 'folder'), call('W', 'folder/file')];
  await play(session, [{ calls: [call('Prepare')] }, { calls }, { text: 'done' }]);
  expect(overlap(log.filter((line) => /link|real/.test(line)))).toBe(1);
  expect(overlap(log.filter((line) => line.includes('folder')))).toBe(1);
});

test('M6.1 what a hook makes of a call counts: rewritten into one that is not safe it runs alone', async () => {
  const log: string[] = [];
  const tool = timed('T', log, { isConcurrencySafe: ({ count }) => count !== 1 });
  const session = await openSession([tool], {
    'tool.before': ({ input }) =>
      (input as ProbeInput).text === '2' ? { kind: 'none', reason: '', input: { text: '2', count: 1 } } : undefined,
  });
  await play(session, [{ calls: ['1', '2', '3', '4'].map((text) => call('T', text)) }, { text: 'done' }]);
  const at = log.indexOf('+T2');
  expect(log[at + 1]).toBe('-T2');
  expect(overlap(log)).toBeGreaterThan(1);
});

test('M6.1 a tool that cannot say whether it is safe runs alone', async () => {
  const log: string[] = [];
  const throws: Given = {
    isConcurrencySafe: () => {
      throw new Error('who knows');
    },
  };
  const session = await openSession([timed('T', log, throws)]);
  await play(session, [{ calls: [call('T'), call('T')] }, { text: 'done' }]);
  expect(overlap(log)).toBe(1);
});

test('M6.2 results leave in arrival order as soon as all before them are there, progress leaves at once', async () => {
  const first = gate();
  const slow = probeTool('Slow', SAFE, async (_input, { report }) => {
    report('slow is on its way');
    await first.opened;
    return 'slow';
  });
  const quick = probeTool('Quick', SAFE, (_input, { report }) => {
    report('quick is done');
    return 'quick';
  });
  const session = await openSession([slow, quick]);
  const seen: string[] = [];
  await play(session, [{ calls: [call('Quick'), call('Slow'), call('Quick')] }, { text: 'done' }], {}, (event) => {
    if (event.kind === 'progress') seen.push(String(event.progress));
    if (event.kind === 'tool_result') seen.push(event.settled.call.callId);
    if (seen.filter((each) => each === 'quick is done').length === 2) first.open();
  });
  expect(seen.filter((each) => each.startsWith('call-'))).toEqual(['call-1-1', 'call-1-2', 'call-1-3']);
  expect(seen.indexOf('call-1-1')).toBeLessThan(seen.indexOf('call-1-2'));
  expect(seen.lastIndexOf('quick is done')).toBeLessThan(seen.indexOf('call-1-2'));
});

test('M6.3 a call starts while the model still streams, and its result leaves before the answer ends', async () => {
  const started = gate();
  const left = gate();
  const tool = probeTool('Say', SAFE, () => {
    started.open();
    return 'said';
  });
  const session = await openSession([tool]);
  let requests = 0;
  const model: Model = {
    name: 'slow',
    strategy: 'append',
    contextTokens: 200_000,
    async *stream(): AsyncGenerator<ModelEvent> {
      if (++requests === 2) return yield { kind: 'stop', reason: 'end_turn' };
      yield { kind: 'block', block: { type: 'tool_use', id: 'a', name: 'Say', input: {} } };
      await started.opened;
      await left.opened;
      yield { kind: 'block', block: { type: 'tool_use', id: 'b', name: 'Say', input: {} } };
      yield { kind: 'stop', reason: 'tool_use' };
    },
  };
  await play(session, [], { model }, (event) => event.kind === 'tool_result' && left.open());
  expect(resultsOf(session.messages[2])).toEqual({ a: 'said', b: 'said' });
});

test('M6.4 the next request waits for every call of the batch, in whatever way each of them lands', async () => {
  const log: string[] = [];
  const fails = probeTool('Fails', SAFE, () => {
    throw new Error('no');
  });
  const session = await openSession([timed('Slow', log, SAFE), fails]);
  const { model } = await play(session, [
    { calls: [call('Fails'), call('Slow'), call('Nobody'), { name: 'Slow', input: { count: 'x' } }] },
    () => {
      log.push('asked again');
      return { text: 'done' };
    },
  ]);
  expect(log).toEqual(['+Slow', '-Slow', 'asked again']);
  const answered = Object.entries(resultsOf(model.requests[1]?.messages.at(-1)));
  expect(answered.map(([id, text]) => [id, text.slice(0, 6)])).toEqual([
    ['call-1-1', '!Fails'],
    ['call-1-2', 'Slow'],
    ['call-1-3', '!There'],
    ['call-1-4', '!The i'],
  ]);
});

test('M6.5 an error of a tool that says so cancels the rest of its batch, what runs included, and the results say why', async () => {
  const runs = gate();
  const waits = probeTool('Waits', SAFE, async (_input, { signal }) => {
    runs.open();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to'))));
    return 'never';
  });
  const hard = probeTool('Hard', { ...SAFE, errorCancelsBatch: true }, async () => {
    await runs.opened;
    return { content: [{ type: 'text', text: 'exit 1' }], isError: true };
  });
  const session = await openSession([waits, hard, probeTool('Alone')]);
  await play(session, [{ calls: [call('Waits'), call('Hard'), call('Alone')] }, { text: 'done' }]);
  const results = resultsOf(session.messages[2]);
  expect(results['call-1-2']).toBe('!exit 1');
  expect(results['call-1-1']).toContain('Hard has failed');
  expect(results['call-1-3']).toContain('Hard has failed');
});

test('SCHED-01 M6.5 one failing call cancels no unrelated one, and neither does one that was never allowed', async () => {
  const shell = probeTool('Shell', { errorCancelsBatch: true }, () => 'nothing found (exit 1)');
  const missing = probeTool('Missing', SAFE, () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }));
  const applied: string[] = [];
  const edit = probeTool('Edit', {}, () => {
    applied.push('b');
    return 'edited';
  });
  const session = await openSession([shell, missing, edit], {
    'tool.before': ({ input }) => ((input as ProbeInput).text === 'rm' ? { kind: 'deny', reason: 'not that' } : undefined),
  });
  const calls = [call('Shell'), call('Shell', 'rm'), call('Missing'), call('Edit'), call('Missing')];
  await play(session, [{ calls }, { text: 'done' }]);
  expect(Object.values(resultsOf(session.messages[2])).map((text) => text.startsWith('!'))).toEqual([false, true, true, false, true]);
  expect(applied).toEqual(['b']);
});

test('M6.6 where an endpoint does not stream, calls run one after the other by themselves', async () => {
  const log: string[] = [];
  const session = await openSession([timed('R', log, SAFE)]);
  const { scriptedModel } = await import('pegboard/testing');
  const model = scriptedModel([{ calls: [call('R', '1'), call('R', '2')] }, { text: 'done' }], { streams: false });
  await play(session, [], { model });
  expect(log).toEqual(['+R1', '-R1', '+R2', '-R2']);
});

test('M6.4 two hundred calls at once land, each with its own result in its place', async () => {
  const tool = probeTool('Say', SAFE, async ({ text = '' }) => {
    for (let i = 0; i < Number(text) % 7; i++) await new Promise((resolve) => setImmediate(resolve));
    return text;
  });
  const session = await openSession([tool]);
  const texts = Array.from({ length: 200 }, (_, i) => `${i}`);
  await play(session, [{ calls: texts.map((text) => call('Say', text)) }, { text: 'done' }]);
  expect(Object.values(resultsOf(session.messages[2]))).toEqual(texts);
});
