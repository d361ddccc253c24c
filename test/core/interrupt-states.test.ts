import { expect, onTestFinished, test } from 'vitest';
import { definePlugin, type HookHandlers, type Session } from 'pegboard';
import { scriptedModel, startHost } from 'pegboard/testing';

import { gate } from './gate.ts';
import { expectSound, follow, openSession, play, resultsOf, userTexts } from './play.ts';
import { probeTool } from './probe-tool.ts';

const say = probeTool('Say', { isConcurrencySafe: () => true }, ({ text = '' }) => `said ${text}`);

/** After a stop the session is usable, and says so to a strict endpoint. */
async function goesOn(session: Session): Promise<void> {
  const { end, model } = await play(session, [{ calls: [{ name: 'Say', input: { text: 'again' } }] }, { text: 'ok' }]);
  expect(end.reason).toBe('completed');
  expect(Object.values(resultsOf(model.requests[1]?.messages.at(-1)))).toEqual(['said again']);
}

test('M7.1 a stop while a call waits for another one: neither the waiting one nor what stands behind it starts', async () => {
  const started: string[] = [];
  const alone = probeTool('Alone', {}, async ({ text = '' }, { signal, report }) => {
    started.push(text);
    report('running');
    return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
  });
  const session = await openSession([alone, say]);
  const calls = ['a', 'b', 'c'].map((text) => ({ name: 'Alone', input: { text } }));
  const { end } = await play(session, [{ calls }], {}, (event) => event.kind === 'progress' && session.interrupt());
  expect(end.reason).toBe('aborted_tools');
  expect(started).toEqual(['a']);
  expect(Object.values(resultsOf(session.messages[2])).every((text) => text.startsWith('!Alone was stopped'))).toBe(true);
  await goesOn(session);
});

test.each(['tool.before', 'tool.after', 'batch.end', 'prompt.submit', 'turn.end'] as const)(
  'M7.1 a stop while the hook %s is at work: the query ends, the history is valid, and the session goes on',
  async (name) => {
    const [entered, left] = [gate(), gate()];
    let first = true;
    const once = async () => {
      if (!first) return undefined;
      first = false;
      entered.open();
      await left.opened;
      return undefined;
    };
    const hooks: HookHandlers = { [name]: once };
    const session = await openSession([say], hooks);
    const model = scriptedModel([{ calls: [{ name: 'Say', input: { text: 'x' } }] }, { text: 'done' }]);
    const run = follow(session, 'go', { model });
    await entered.opened;
    session.interrupt();
    left.open();
    const { end } = await run;
    expect(end.reason).toMatch(name === 'turn.end' ? /completed|aborted/ : /aborted/);
    expectSound(model);
    await goesOn(session);
  },
);

test('M7.1 a stop while the history is made short: it stays as it was, no request follows, and the session goes on', async () => {
  const entered = gate();
  const { host, stop } = await startHost({
    tools: [say],
    rules: { allow: ['Say'] },
    plugins: [
      definePlugin({
        name: 'slow',
        contributes: {
          'session.compactor': [
            async ({ signal }) => {
              entered.open();
              return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
            },
          ],
        },
      }),
    ],
  });
  onTestFinished(stop);
  const session = host.session();
  const usage = { input_tokens: 190_000, output_tokens: 1 };
  await follow(session, 'first', { model: scriptedModel([{ text: 'long', usage }]) });
  const model = scriptedModel([{ text: 'never' }]);
  const run = follow(session, 'second', { model });
  await entered.opened;
  session.interrupt();
  expect((await run).end.reason).toBe('aborted_streaming');
  expect(model.requests).toHaveLength(0);
  expect(userTexts(session.messages).slice(0, 2)).toEqual(['first', 'second']);
  await goesOn(session);
});

test('M7.1 stops one after the other, and a stop where nothing goes on, change nothing more', async () => {
  const wait = probeTool('Wait', {}, async (_input, { signal, report }) => {
    report('running');
    return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
  });
  const session = await openSession([wait, say]);
  session.interrupt();
  const { end } = await play(session, [{ calls: [{ name: 'Wait' }] }], {}, (event) => {
    if (event.kind === 'progress') for (let i = 0; i < 3; i++) session.interrupt();
  });
  session.interrupt();
  expect(end.reason).toBe('aborted_tools');
  expect(userTexts(session.messages).filter((text) => text.includes('has interrupted'))).toHaveLength(1);
  await goesOn(session);
});
