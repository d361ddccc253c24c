import { describe, expect, test } from 'vitest';
import type { Model, ModelEvent, RunEvent } from 'pegboard';
import { scriptedModel, startHost } from 'pegboard/testing';

import { gate } from './gate.ts';
import { expectSound, follow, openSession, play, resultsOf, userTexts } from './play.ts';
import { probeTool } from './probe-tool.ts';

const SAFE = { isConcurrencySafe: () => true } as const;
const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
/** Runs until it is told to stop. */
const waiting = (interrupt: 'cancel' | 'block' = 'block') =>
  probeTool('Wait', { ...SAFE, interruptBehavior: () => interrupt }, async (_input, { signal, report }) => {
    report('running');
    return untilAborted(signal);
  });
const say = probeTool('Say', SAFE, ({ text = '' }) => `said ${text}`);
const INTERRUPTED = expect.stringContaining('has interrupted');

/** Does something once, when a tool of these says that it runs. */
function onRunning(tool: string, act: () => void): (event: RunEvent) => void {
  let done = false;
  return (event) => {
    if (done || event.kind !== 'progress' || event.call.tool !== tool) return;
    done = true;
    act();
  };
}

describe('M7.1 the hard stop', () => {
  test('SCHED-03 M7.3 during calls: what is done keeps its result, the others are answered, and the session goes on', async () => {
    const session = await openSession([say, waiting()]);
    const calls = [{ name: 'Say', input: { text: 'x' } }, { name: 'Wait' }, { name: 'Wait' }];
    const { end, events } = await play(
      session,
      [{ calls }],
      {},
      onRunning('Wait', () => session.interrupt()),
    );
    expect(end.reason).toBe('aborted_tools');
    expect(resultsOf(session.messages[2])).toEqual({
      'call-1-1': 'said x',
      'call-1-2': expect.stringMatching(/^!Wait was stopped before it was done\..*interrupted/),
      'call-1-3': expect.stringMatching(/^!Wait was stopped/),
    });
    expect(session.messages[2]?.content.at(-1)).toEqual({ type: 'text', text: INTERRUPTED });
    expect(events.filter(({ kind }) => kind === 'tool_result')).toHaveLength(3);
    const { model } = await play(session, [{ text: 'ok' }]);
    expect(userTexts(model.requests[0]?.messages ?? [])).toEqual(['go', INTERRUPTED, 'go']);
  });

  test('M7.1 while a person is asked: the question is left, and nothing runs', async () => {
    const asks = probeTool('Ask', {
      checkPermissions: async () => ({ kind: 'ask', reason: { by: 'tool', detail: 'sure?' }, message: 'sure?' }),
    });
    const asked = gate();
    const asker = {
      permission: async () => {
        asked.open();
        return new Promise<never>(() => undefined);
      },
      question: async () => ({ kind: 'nobody' }) as const,
      elicit: async () => ({ kind: 'nobody' }) as const,
    };
    const { host, stop } = await startHost({ tools: [asks], asker });
    const session = host.session();
    void asked.opened.then(() => session.interrupt());
    const { end } = await play(session, [{ calls: [{ name: 'Ask' }] }]);
    expect([end.reason, asks.inputs.length]).toEqual(['aborted_tools', 0]);
    expect(resultsOf(session.messages[2])['call-1-1']).toMatch(/^!Ask was stopped/);
    await stop();
  });

  test('M7.1 while the model streams: a model that heeds nothing holds nobody up, and no request follows', async () => {
    const session = await openSession([]);
    const model: Model = {
      ...scriptedModel([]),
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { kind: 'delta', text: 'I was' };
        await new Promise(() => undefined);
      },
    };
    const { end } = await follow(session, 'go', { model }, (event) => event.kind === 'text' && session.interrupt());
    expect(end.reason).toBe('aborted_streaming');
    expect(session.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'user', content: [{ type: 'text', text: INTERRUPTED }] },
    ]);
    await play(session, [{ text: 'ok' }]);
  });

  test('M7.3 while it streams and calls run already: finished blocks stay, each call in them is answered', async () => {
    const session = await openSession([say, waiting()]);
    const model: Model = {
      ...scriptedModel([]),
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { kind: 'block', block: { type: 'text', text: 'First this.' } };
        yield { kind: 'block', block: { type: 'tool_use', id: 'a', name: 'Say', input: { text: 'x' } } };
        yield { kind: 'block', block: { type: 'tool_use', id: 'b', name: 'Wait', input: {} } };
        yield { kind: 'delta', text: 'and th' };
        await new Promise(() => undefined);
      },
    };
    const { end } = await follow(
      session,
      'go',
      { model },
      onRunning('Wait', () => session.interrupt()),
    );
    expect(end.reason).toBe('aborted_tools');
    expect(session.messages[1]?.content.map(({ type }) => type)).toEqual(['text', 'tool_use', 'tool_use']);
    expect(Object.keys(resultsOf(session.messages[2]))).toEqual(['a', 'b']);
    const next = scriptedModel([{ text: 'ok' }]);
    await follow(session, 'go on', { model: next });
    expectSound(next);
  });

  test('M7.1 between two requests, and before the first', async () => {
    const session = await openSession([say]);
    let results = 0;
    const { end, model } = await play(
      session,
      [{ calls: [{ name: 'Say' }] }, { text: 'never' }],
      {},
      (event) => event.kind === 'tool_result' && ++results === 1 && session.interrupt(),
    );
    expect([end.reason, model.requests.length]).toEqual(['aborted_tools', 1]);
    const stopped = AbortSignal.abort();
    const never = await play(session, [{ text: 'never' }], { signal: stopped });
    expect([never.end.reason, never.model.requests.length]).toEqual(['aborted_streaming', 0]);
    await play(session, [{ text: 'ok' }]);
  });

  test('M7.1 a tool that does not heed its signal holds nobody up, and what it gives late is for nobody', async () => {
    const late = gate();
    const deaf = probeTool('Deaf', {}, async (_input, { report }) => {
      report('running');
      await late.opened;
      return 'too late';
    });
    const session = await openSession([deaf]);
    await play(
      session,
      [{ calls: [{ name: 'Deaf' }] }],
      {},
      onRunning('Deaf', () => session.interrupt()),
    );
    late.open();
    expect(resultsOf(session.messages[2])['call-1-1']).toMatch(/^!Deaf was stopped/);
    await play(session, [{ text: 'ok' }]);
    expect(JSON.stringify(session.messages)).not.toContain('too late');
  });

  test('M7.3 a result that is there when the stop comes is kept, though it still has to be stored', async () => {
    const long = 'x'.repeat(40_000);
    const session = await openSession([probeTool('Long', {}, () => long)], { 'tool.after': () => session.interrupt() });
    const { end } = await play(session, [{ calls: [{ name: 'Long' }] }]);
    expect(end.reason).toBe('aborted_tools');
    const kept = resultsOf(session.messages[2])['call-1-1'] ?? '';
    expect(await session.results.read(/pegboard:\S+(?=;)/.exec(kept)?.[0] ?? '')).toBe(long);
  });

  test('SCHED-09 M7.1 background work goes on until it is stopped itself, and tells when it ends', async () => {
    const end = gate();
    const starts = probeTool('Start', {}, (_input, { tasks }) => {
      tasks.start('count', async () => {
        await end.opened;
        return 'counted';
      });
      return 'started';
    });
    const session = await openSession([starts, waiting()]);
    await play(
      session,
      [{ calls: [{ name: 'Start' }, { name: 'Wait' }] }],
      {},
      onRunning('Wait', () => session.interrupt()),
    );
    end.open();
    await expect.poll(() => session.news).toHaveLength(1);
    const { model } = await play(session, [{ text: 'ok' }]);
    expect(userTexts(model.requests[0]?.messages ?? []).at(-1)).toContain('task-1 (count) has ended: done');
  });
});

describe('M7.2 a message while it runs', () => {
  test('M7.2 where every running tool may be cancelled, the query ends and the message starts a new one, without words of an interruption', async () => {
    const session = await openSession([waiting('cancel')]);
    const { ends, model } = await play(
      session,
      [{ calls: [{ name: 'Wait' }] }, { text: 'on to that' }],
      {},
      onRunning('Wait', () => session.submit('something else')),
    );
    expect(ends.map(({ reason }) => reason)).toEqual(['aborted_tools', 'completed']);
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'something else' }] });
    expect(resultsOf(session.messages[2])['call-1-1']).toContain('A new message');
    expect(JSON.stringify(session.messages)).not.toContain('has interrupted');
  });

  test('M7.3 a tool that blocks runs to its end, and the message goes into the next request of the same query', async () => {
    const end = gate();
    const blocks = probeTool('Block', SAFE, async (_input, { report }) => {
      report('running');
      await end.opened;
      return 'all of it';
    });
    const session = await openSession([blocks, waiting('cancel')]);
    const one = await play(
      session,
      [{ calls: [{ name: 'Block' }] }, { text: 'seen' }],
      {},
      onRunning('Block', () => {
        session.submit('and then this');
        end.open();
      }),
    );
    expect(one.ends).toHaveLength(1);
    expect(one.model.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'call-1-1', content: [{ type: 'text', text: 'all of it' }] },
      { type: 'text', text: 'and then this' },
    ]);
  });

  test('M7.2 while the model answers nothing is aborted, and the message is its next turn', async () => {
    const session = await openSession([]);
    const { ends, model } = await play(session, [
      () => {
        session.submit('one more thing');
        return { text: 'first' };
      },
      { text: 'second' },
    ]);
    expect(ends.map(({ reason, turns }) => [reason, turns])).toEqual([['completed', 2]]);
    expect(userTexts(model.requests[1]?.messages ?? [])).toEqual(['go', 'one more thing']);
  });

  test('SCHED-10 M7.2 every message is delivered once and in order: during calls, at the end of a turn, just before a stop, and after', async () => {
    const end = gate();
    const slow = probeTool('Slow', SAFE, async (_input, { report }) => {
      report('running');
      await end.opened;
      return 'slow';
    });
    const session = await openSession([slow, waiting()]);
    await play(
      session,
      [
        { calls: [{ name: 'Slow' }] },
        () => {
          session.submit('C');
          return { text: 'seen' };
        },
        { calls: [{ name: 'Wait' }] },
      ],
      {},
      (event) => {
        if (event.kind !== 'progress') return;
        if (event.call.tool === 'Slow') {
          session.submit('A');
          session.submit('B');
          end.open();
        } else {
          session.submit('D');
          session.interrupt();
        }
      },
    );
    session.submit('E');
    const { model } = await play(session, [{ text: 'ok' }]);
    expect(userTexts(model.requests[0]?.messages ?? [])).toEqual(['go', 'A', 'B', 'C', INTERRUPTED, 'D', 'E', 'go']);
  });

  test('M7.2 a hook may keep a queued message out, and says why', async () => {
    const session = await openSession([], {
      'prompt.submit': ({ text }) => (text === 'secret' ? { kind: 'deny', reason: 'not that' } : undefined),
    });
    const { events, model } = await play(session, [
      () => {
        session.submit('secret');
        return { text: 'first' };
      },
    ]);
    expect(events).toContainEqual({ kind: 'message', text: 'secret', refused: 'not that' });
    expect(model.requests).toHaveLength(1);
  });

  test('a second run of a session that is busy is refused', async () => {
    const session = await openSession([]);
    const model = scriptedModel([async () => ({ text: 'never' }), { text: 'done' }] as never);
    const first = session.run('one', { model });
    await first.next();
    await expect(session.run('two', { model }).next()).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await first.return();
  });
});

test('M7.4 SCHED-07 a stop goes from the query to the batch, to the call, and to the calls a tool makes', async () => {
  const seen: string[] = [];
  const inner = probeTool('Inner', {}, async (_input, { signal, report }) => {
    report('running');
    signal.addEventListener('abort', () => seen.push('inner'));
    return untilAborted(signal);
  });
  const outer = probeTool('Outer', {}, async (_input, { call, signal }) => {
    signal.addEventListener('abort', () => seen.push('outer'));
    const result = await call('Inner', {});
    return result;
  });
  const session = await openSession([inner, outer]);
  const { model } = await play(
    session,
    [{ calls: [{ name: 'Outer' }] }],
    {},
    onRunning('Inner', () => session.interrupt()),
  );
  expect(seen.toSorted()).toEqual(['inner', 'outer']);
  expect(model.requests).toHaveLength(1);
});

test('LOOP-06 a stream that breaks after a call has begun: its finished blocks and that result stay, the call is made once, and the loop goes on', async () => {
  const session = await openSession([say]);
  let requests = 0;
  const ran = gate();
  const model: Model = {
    ...scriptedModel([]),
    async *stream({ messages }): AsyncGenerator<ModelEvent> {
      if (++requests > 1) {
        expect(resultsOf(messages.at(-1))).toEqual({ a: 'said x' });
        yield { kind: 'block', block: { type: 'text', text: 'done' } };
        return yield { kind: 'stop', reason: 'end_turn' };
      }
      yield { kind: 'block', block: { type: 'tool_use', id: 'a', name: 'Say', input: { text: 'x' } } };
      await ran.opened;
      throw new Error('socket hang up');
    },
  };
  const before = say.inputs.length;
  const { end } = await follow(session, 'go', { model }, (event) => event.kind === 'tool_result' && ran.open());
  expect([end.reason, say.inputs.length - before]).toEqual(['completed', 1]);
});
