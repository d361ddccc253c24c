import { describe, expect, onTestFinished, test } from 'vitest';
import { definePlugin, defineState, restore, revealed, type Message, type SessionRecord } from 'pegboard';
import { scriptedModel, startHost } from 'pegboard/testing';

import { serverTool } from '../support/fake-tools.ts';
import { expectSound, follow, resultsOf, userTexts } from './play.ts';
import { probeTool } from './probe-tool.ts';

const SAFE = { isConcurrencySafe: () => true, isReadOnly: () => true } as const;
const notes = defineState('notes', () => [] as string[], {
  write: (all) => [...all],
  read: (kept) => (kept as unknown[]).map(String),
});

/** A host whose sessions are written down as JSON lines in memory. */
async function recording(write: (line: string) => void | Promise<void> = () => undefined) {
  const lines: string[] = [];
  const note = probeTool('Note', {}, ({ text = '' }, { state }) => {
    state(notes).push(text);
    return `noted ${text}`;
  });
  const say = probeTool('Say', SAFE, async ({ text = '' }) => {
    for (let i = 0; i < text.length; i++) await new Promise((resolve) => setImmediate(resolve));
    return `said ${text}`;
  });
  const reveal = probeTool('Reveal', SAFE, ({ text = '' }, { state }) => {
    state(revealed).add(text);
    return 'shown';
  });
  const journal = () => ({
    append: async (record: SessionRecord) => {
      lines.push(JSON.stringify(record));
      await write(lines.at(-1) ?? '');
    },
  });
  const plugins = [
    definePlugin({ name: 'journal', contributes: { 'session.journal': [journal] } }),
    definePlugin({
      name: 'server',
      setup: (scope) => scope.provideFrom('s', { tools: [serverTool('s', 'one'), serverTool('s', 'two')], namespace: 'mcp__s__' }),
    }),
  ];
  const { host, events, stop } = await startHost({ tools: [note, say, reveal], plugins, rules: { allow: ['Note', 'Say', 'Reveal'] } });
  onTestFinished(stop);
  return { host, events, lines, inputs: () => [...note.inputs, ...say.inputs] };
}

const read = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as SessionRecord);
const call = (name: string, text: string) => ({ name, input: { text } });
const SCRIPT = [
  { text: 'First.', calls: [call('Say', 'abc'), call('Say', 'a'), call('Note', 'one')] },
  { calls: [call('Reveal', 'mcp__s__one'), call('Say', 'ab')] },
  { calls: [call('Note', 'two'), call('Say', 'x'), call('Nobody', 'x')] },
  { text: 'done' },
];

/** All results a history has, by call. */
const allResults = (messages: readonly Message[]) => Object.assign({}, ...messages.map(resultsOf)) as Record<string, string>;

describe('a session that is written down', () => {
  test('M7.3 SCHED-06 cut off after any record it is read back with a valid history: nothing finished is lost, nothing begun runs again', async () => {
    const { host, lines } = await recording();
    const first = host.session();
    const model = scriptedModel(SCRIPT, { strategy: 'reference' });
    await follow(first, 'go', { model });
    const all = read(lines);
    expect(all.length).toBeGreaterThan(20);
    for (let cut = 0; cut <= all.length; cut++) {
      const records = all.slice(0, cut);
      const session = host.session({ saved: { id: first.id, records } });
      const results = allResults(session.messages);
      const settled = records.flatMap((record) => (record.kind === 'settled' ? [record.callId] : []));
      const begun = records.flatMap((record) => (record.kind === 'call' ? [record.call.callId] : []));
      for (const id of settled) expect(results[id]).toBe(allResults(first.messages)[id]);
      for (const id of begun.filter((each) => !settled.includes(each)))
        expect(results[id]).toMatch(/^!\w+ was interrupted, outcome unknown/);
      const next = scriptedModel([{ text: 'ok' }], { strategy: 'reference' });
      const { events } = await follow(session, 'go on', { model: next });
      expectSound(next);
      expect(events.filter(({ kind }) => kind === 'tool_use')).toEqual([]);
    }
  });

  test('M8.3 whole, it is resumed to the byte: messages, loaded and revealed tools, state; what was announced is not announced again', async () => {
    const { host, lines } = await recording();
    const first = host.session();
    const model = scriptedModel([...SCRIPT, { text: 'as it would be' }], { strategy: 'reference' });
    await follow(first, 'go', { model });
    const records = read(lines);
    await follow(first, 'more', { model });
    const again = host.session({ saved: { id: first.id, records } });
    const next = scriptedModel([{ text: 'as it would be' }], { strategy: 'reference' });
    await follow(again, 'more', { model: next });
    expect(JSON.stringify(next.requests[0])).toBe(JSON.stringify(model.requests.at(-1)));
    expect([...again.state.get(revealed)]).toEqual(['mcp__s__one']);
    expect(again.state.get(notes)).toEqual(['one', 'two']);
  });

  test('a resumed session goes on in the same journal, which then gives the same session', async () => {
    const { host, lines } = await recording();
    const first = host.session();
    await follow(first, 'go', { model: scriptedModel(SCRIPT) });
    const cut = lines.findIndex((line) => line.startsWith('{"kind":"settled"')) + 1;
    lines.length = cut;
    const second = host.session({ saved: { id: first.id, records: read(lines) } });
    await follow(second, 'go on', { model: scriptedModel([{ calls: [call('Say', 'again')] }, { text: 'done' }]) });
    expect(restore(read(lines)).messages).toEqual(second.messages);
  });

  test('a call is recorded before it runs, and the session waits for that', async () => {
    const seen: string[] = [];
    const { host, lines } = await recording(async (line) => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      seen.push(line);
    });
    const session = host.session();
    const tool = 'Note';
    const { events } = await follow(session, 'go', { model: scriptedModel([{ calls: [call(tool, 'x')] }, { text: 'done' }]) }, (event) => {
      if (event.kind === 'tool_result') expect(seen.some((line) => line.includes('"settled"'))).toBe(true);
    });
    expect(events.at(-1)).toMatchObject({ reason: 'completed' });
    expect(
      read(lines)
        .map(({ kind }) => kind)
        .indexOf('call'),
    ).toBeLessThan(
      read(lines)
        .map(({ kind }) => kind)
        .indexOf('settled'),
    );
  });

  test('a session that asks no model leaves nothing, and one that cannot be written down goes on and is reported once', async () => {
    const quiet = await recording();
    await quiet.host.call('Say', { text: 'x' });
    expect(quiet.lines).toEqual([]);
    const { host, events } = await recording(() => {
      throw new Error('no room');
    });
    const { end } = await follow(host.session(), 'go', { model: scriptedModel(SCRIPT) });
    expect(end.reason).toBe('completed');
    expect(events.filter((event) => event.kind === 'report' && event.message.includes('no room'))).toHaveLength(1);
  });
});

describe('SCHED-06 reading back what is not as it should be', () => {
  const user = (text: string): SessionRecord => ({ kind: 'message', message: { role: 'user', content: [{ type: 'text', text }] } });
  const asks: SessionRecord = {
    kind: 'message',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Say', input: {} }] },
  };
  const answers: SessionRecord = {
    kind: 'message',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'said' }] }] },
  };
  const unstarted = '!Say was never started: the session was cut off before. Call it again if it is still needed.';

  test.each<readonly [string, readonly SessionRecord[], Record<string, string>]>([
    ['a call without a result', [user('go'), asks], { a: unstarted }],
    ['the same answer twice', [user('go'), asks, asks], { a: unstarted }],
    ['the same answer twice, and its result', [user('go'), asks, asks, answers], { a: 'said' }],
    ['a result twice', [user('go'), asks, answers, answers], { a: 'said' }],
    ['a result of nothing', [user('go'), answers], {}],
    ['a message where the results should be', [user('go'), asks, user('and?')], { a: unstarted }],
    ['an answer to nothing', [asks, user('go')], {}],
    ['no records', [], {}],
  ])('%s', async (_what, records, expected) => {
    const { host } = await recording();
    const session = host.session({ saved: { id: 'old', records } });
    expect(allResults(session.messages)).toEqual(expected);
    const model = scriptedModel([{ text: 'ok' }]);
    await follow(session, 'go on', { model });
    expectSound(model);
    expect(userTexts(session.messages).filter((text) => text === 'go')).toHaveLength(Math.min(1, records.length));
  });
});
