import { describe, expect, onTestFinished, test } from 'vitest';
import {
  definePlugin,
  type AssistantBlock,
  type HookHandlers,
  type Message,
  type Model,
  type ModelEvent,
  type RunEvent,
  type RunOptions,
  type Session,
  type StopReason,
  type Tool,
} from 'pegboard';
import { requestProblems, scriptedModel, startHost, startMessagesServer, type ScriptedModel, type ScriptedTurn } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';

async function sessionWith(tools: readonly Tool[], hooks: HookHandlers = {}, deny: readonly string[] = []) {
  const allow = tools.map(({ name }) => name);
  const { host, stop } = await startHost({ tools, plugins: [definePlugin({ name: 'hooks', hooks })], rules: { allow, deny } });
  onTestFinished(stop);
  return host.session();
}

async function run(session: Session, prompt: string, options: RunOptions) {
  const events: RunEvent[] = [];
  for await (const event of session.run(prompt, options)) events.push(event);
  const end = events.at(-1);
  if (end?.kind !== 'end') throw new Error('the last event is not `end`');
  return { events, end };
}

/** One run of a script; every request it made is one that a strict endpoint takes. */
async function play(turns: readonly ScriptedTurn[], session: Session, options: Partial<RunOptions> = {}, prompt = 'go') {
  const model = scriptedModel(turns);
  const result = await run(session, prompt, { model, ...options });
  expect(model.requests.flatMap(problemsOf)).toEqual([]);
  return { ...result, model };
}

function problemsOf(request: ScriptedModel['requests'][number]) {
  const { system, tools, messages, maxTokens } = request;
  return requestProblems({ model: 'scripted', max_tokens: maxTokens, tools, messages, ...(system ? { system } : {}) });
}

const lastMessage = (session: Session) => session.messages.at(-1);
const results = (message: Message | undefined) =>
  message?.role === 'user' ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])) : [];

describe('M10.1 model, calls, results, model', () => {
  test('M10.1 goes on until a response asks for no tool, and results go back as the next user message in call order', async () => {
    const tool = probeTool('Say', {}, ({ text }) => `said ${text}`);
    const session = await sessionWith([tool]);
    const { end, model, events } = await play(
      [
        {
          text: 'two at once',
          calls: [
            { name: 'Say', input: { text: 'a' } },
            { name: 'Say', input: { text: 'b' } },
          ],
        },
        { calls: [{ name: 'Say', input: { text: 'c' } }] },
        { text: 'done' },
      ],
      session,
    );
    expect(end).toMatchObject({ reason: 'completed', turns: 3, permissionDenials: [] });
    expect(model.requests[1]?.messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'two at once' },
          { type: 'tool_use', id: 'call-1-1', name: 'Say', input: { text: 'a' } },
          { type: 'tool_use', id: 'call-1-2', name: 'Say', input: { text: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call-1-1', content: [{ type: 'text', text: 'said a' }] },
          { type: 'tool_result', tool_use_id: 'call-1-2', content: [{ type: 'text', text: 'said b' }] },
        ],
      },
    ]);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(events.map(({ kind }) => kind).filter((kind) => kind.startsWith('tool'))).toEqual([
      'tool_use',
      'tool_use',
      'tool_result',
      'tool_result',
      'tool_use',
      'tool_result',
    ]);
  });

  test('M10.1 the next message of a session builds on what was said', async () => {
    const session = await sessionWith([]);
    await play([{ text: 'hello' }], session, {}, 'hi');
    const { model } = await play([{ text: 'yes' }], session, {}, 'still there?');
    expect(model.requests[0]?.messages.map(({ role, content }) => [role, content[0]])).toEqual([
      ['user', { type: 'text', text: 'hi' }],
      ['assistant', { type: 'text', text: 'hello' }],
      ['user', { type: 'text', text: 'still there?' }],
    ]);
  });

  test('M10.1 calls run also where an endpoint says end_turn, and never where the answer was cut off', async () => {
    const tool = probeTool('Say');
    const ended = await play([{ calls: [{ name: 'Say' }], stop: 'end_turn' }, { text: 'done' }], await sessionWith([tool]));
    expect([ended.end.reason, tool.inputs.length]).toEqual(['completed', 1]);
    const session = await sessionWith([tool]);
    const cut = await play([{ text: 'I will', calls: [{ name: 'Say' }], stop: 'max_tokens' }, { text: 'on it' }], session);
    expect([cut.end.reason, tool.inputs.length]).toEqual(['completed', 1]);
    expect(session.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'text', text: 'I will' }] },
      { role: 'user', content: [{ type: 'text', text: expect.stringContaining('smaller parts') }] },
      { role: 'assistant', content: [{ type: 'text', text: 'on it' }] },
    ]);
  });

  test('M10.1 an id that an endpoint uses twice, or that none would take back, is replaced, so no call gets the result of another', async () => {
    const tool = probeTool('Say', {}, ({ text }) => `said ${text}`);
    const session = await sessionWith([tool]);
    const say = (text: string, id: string) => ({ name: 'Say', input: { text }, id });
    await play([{ calls: [say('a', '0'), say('b', '0')] }, { calls: [say('c', '0'), say('d', 'no good!')] }, { text: 'done' }], session);
    const pairs = session.messages.flatMap((message) => results(message));
    expect(pairs.map(({ content }) => content[0])).toEqual(['a', 'b', 'c', 'd'].map((text) => ({ type: 'text', text: `said ${text}` })));
    expect(new Set(pairs.map(({ tool_use_id: id }) => id)).size).toBe(4);
  });

  test('M10.1 empty texts never enter the history, and an answer of nothing is no message', async () => {
    const tool = probeTool('Say', {}, () => ({ content: [{ type: 'text', text: '' }] }));
    const session = await sessionWith([tool]);
    await play([{ text: ' \n', calls: [{ name: 'Say' }] }, { text: '' }], session);
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(results(lastMessage(session))).toEqual([{ type: 'tool_result', tool_use_id: 'call-1-1', content: [] }]);
    await play([{ text: 'ok' }], session, {}, 'again');
  });

  test('M10.1 a paused answer is sent back as it is, and news wait', async () => {
    const session = await sessionWith([]);
    const turn = (request: ScriptedModel['requests'][number]) => {
      session.news.push('news');
      expect(request.messages).toHaveLength(1);
      return { text: 'let me think', stop: 'pause_turn' as const };
    };
    const { model, end } = await play([turn, { text: 'thought' }], session);
    expect(end).toMatchObject({ reason: 'completed', turns: 2 });
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'let me think' }] });
    const { model: next } = await play([{ text: 'ok' }], session, {}, 'more');
    expect(next.requests[0]?.messages.at(-1)?.content).toContainEqual({ type: 'text', text: 'news' });
  });

  test('M10.1 over a real wire: every request of a run is taken by a strict endpoint', async () => {
    const server = await startMessagesServer([{ calls: [{ name: 'Say', input: { text: 'x' } }, { name: 'Nobody' }] }, { text: 'done' }]);
    onTestFinished(() => server.close());
    const session = await sessionWith([probeTool('Say'), probeTool('Later', { shouldDefer: true })]);
    const { end } = await run(session, 'go', { model: overHttp(server.url), system: 'Be brief.' });
    expect(end).toMatchObject({ reason: 'completed', turns: 2 });
    expect(server.requests.map(({ problems }) => problems)).toEqual([[], []]);
  });
});

test('LOOP-01 LOOP-03 thoughts and what an endpoint did itself go back as they came, in their places, also past a pause', async () => {
  const thinking = { type: 'thinking', thinking: 'What is there to say?', signature: 's1' };
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  const server = await startMessagesServer([
    { blocks: [thinking, { type: 'text', text: 'I search.' }, search], stop: 'pause_turn' },
    {
      blocks: [
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'tool_use', id: 'a', name: 'Say', input: {} },
      ],
    },
    {
      blocks: [
        { ...thinking, signature: 's2' },
        { type: 'text', text: 'done' },
      ],
    },
    { text: 'yes' },
  ]);
  onTestFinished(() => server.close());
  const session = await sessionWith([probeTool('Say')]);
  const options = { model: overHttp(server.url), system: 'Be brief.' };
  const { end } = await run(session, 'go', options);
  await run(session, 'still there?', options);
  expect(end).toMatchObject({ reason: 'completed', turns: 3 });
  expect(server.requests.map(({ problems }) => problems)).toEqual([[], [], [], []]);
});

describe('M10.2 failures come back as results the model can act on', () => {
  test('M10.2 whatever goes wrong is one is_error result with a sentence, and the run goes on', async () => {
    const throwing = probeTool('Throws', {}, () => {
      throw new Error('no such host');
    });
    const wrong = probeTool('Wrong', {}, () => ({ content: [{ type: 'text', text: 'exit 1' }], isError: true }));
    const session = await sessionWith([throwing, wrong, probeTool('Denied')], {}, ['Denied']);
    const names = ['Throws', 'Wrong', 'Denied', 'Missing'];
    const { end } = await play(
      [{ calls: [...names.map((name) => ({ name })), { name: 'Wrong', input: { count: 'x' } }] }, { text: 'sorry' }],
      session,
    );
    expect(end).toMatchObject({ reason: 'completed', permissionDenials: [{ tool: 'Denied' }] });
    const blocks = results(session.messages[2]);
    expect(blocks.every(({ is_error: failed }) => failed)).toBe(true);
    expect(blocks.map(({ content }) => (content[0]?.type === 'text' ? content[0].text.slice(0, 24) : ''))).toEqual([
      'Throws failed: no such h',
      'exit 1',
      'Denied was refused: deni',
      'There is no tool "Missin',
      'The input of Wrong does ',
    ]);
  });

  test.each<readonly [StopReason, string]>([
    ['refusal', 'refusal'],
    ['max_tokens', 'max_tokens'],
    ['model_context_window_exceeded', 'max_tokens'],
  ])('M10.2 a response that ends with %s is no finished answer', async (stop, reason) => {
    const again = Array.from({ length: 4 }, () => ({ text: 'part', stop }));
    expect((await play(again, await sessionWith([]))).end.reason).toBe(reason);
  });

  test('M10.2 a refused answer is not sent again', async () => {
    const session = await sessionWith([]);
    await play([{ text: 'half of it', stop: 'refusal' }], session);
    const { model } = await play([{ text: 'ok' }], session, {}, 'then another thing');
    expect(JSON.stringify(model.requests[0])).not.toContain('half of it');
  });

  test('M10.2 an endpoint that fails ends the run with a sentence, and the session stays usable', async () => {
    const session = await sessionWith([]);
    const { end } = await play([new Error('503 overloaded')], session);
    expect(end).toMatchObject({ reason: 'model_failed', message: 'The model scripted failed: 503 overloaded' });
    expect((await play([{ text: 'back' }], session, {}, 'again')).end.reason).toBe('completed');
  });

  test('M10.2 a stream that ends without a stop reason has failed, and nothing of it ran or stays', async () => {
    const tool = probeTool('Say');
    const session = await sessionWith([tool]);
    const block: AssistantBlock = { type: 'tool_use', id: 'a', name: 'Say', input: {} };
    const model: Model = { ...scriptedModel([]), stream: () => streamOf([{ kind: 'block', block }]) };
    const { end } = await run(session, 'go', { model });
    expect(end).toMatchObject({ reason: 'model_failed', message: expect.stringContaining('without a stop reason') });
    expect([tool.inputs, session.messages.length]).toEqual([[], 1]);
  });
});

describe('M6.6 the plain serial mode', () => {
  test('M6.6 calls run one after the other, and each has its result in arrival order', async () => {
    const log: string[] = [];
    const tool = probeTool('Slow', { isConcurrencySafe: () => true }, async ({ count = 0 }) => {
      log.push(`begin ${count}`);
      for (let i = 0; i < 10 - count; i++) await Promise.resolve();
      log.push(`end ${count}`);
      return `${count}`;
    });
    const session = await sessionWith([tool]);
    await play([{ calls: [1, 2, 3].map((count) => ({ name: 'Slow', input: { count } })) }, { text: 'done' }], session, { serial: true });
    expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
    expect(results(session.messages[2]).map(({ content }) => content)).toEqual(['1', '2', '3'].map((text) => [{ type: 'text', text }]));
  });

  test('M6.6 a failure stays alone, except of a tool that says its errors cancel the rest', async () => {
    const error = () => ({ content: [{ type: 'text' as const, text: 'exit 1' }], isError: true as const });
    const tools = [probeTool('Soft', {}, error), probeTool('Hard', { errorCancelsBatch: true }, error), probeTool('Say')];
    const session = await sessionWith(tools);
    const { events } = await play([{ calls: ['Soft', 'Say', 'Hard', 'Say', 'Say'].map((name) => ({ name })) }, { text: 'done' }], session);
    const settled = events.flatMap((event) => (event.kind === 'tool_result' ? [event.settled.outcome.kind] : []));
    expect(settled).toEqual(['done', 'done', 'done', 'cancelled', 'cancelled']);
    expect(results(session.messages[2])).toHaveLength(5);
  });

  test('M6.6 after an interrupt every call still has its one result, and no new request is made', async () => {
    const stop = new AbortController();
    const tool = probeTool('Stop', {}, async () => {
      stop.abort();
      return 'just in time';
    });
    const session = await sessionWith([tool, probeTool('Say')]);
    const { end, model } = await play([{ calls: [{ name: 'Say' }, { name: 'Stop' }, { name: 'Say' }] }], session, { signal: stop.signal });
    expect([end.reason, model.requests.length]).toEqual(['aborted_tools', 1]);
    expect(results(lastMessage(session)).map(({ is_error: failed }) => failed ?? false)).toEqual([false, false, true]);
    await play([{ text: 'ok' }], session, {}, 'go on');
  });
});

describe('the ends of a run', () => {
  test('M10.3 a turn limit ends it after so many requests', async () => {
    const tool = probeTool('Say');
    const { end, model } = await play(
      [{ calls: [{ name: 'Say' }] }, { calls: [{ name: 'Say' }] }, { text: 'never' }],
      await sessionWith([tool]),
      { maxTurns: 2 },
    );
    expect([end.reason, end.turns, model.requests.length]).toEqual(['max_turns', 2, 2]);
  });

  test('M10.3 a token budget ends it once that is used up, counted as the endpoint reports it, and the calls made are answered', async () => {
    const session = await sessionWith([probeTool('Say')]);
    const usage = { input_tokens: 300, output_tokens: 50, cache_read_input_tokens: 100 };
    const turn = { calls: [{ name: 'Say' }], usage };
    const { end, model } = await play([turn, turn, turn, { text: 'never' }], session, { tokenBudget: 1_000, maxTokens: 400 });
    expect([end.reason, end.turns]).toEqual(['token_budget', 3]);
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([400, 400, 100]);
    expect(results(lastMessage(session))).toHaveLength(1);
  });

  test('M10.3 where no usage is reported the budget is held by an estimate', async () => {
    const session = await sessionWith([probeTool('Say', {}, () => 'x'.repeat(9_000))]);
    const { end } = await play(
      Array.from({ length: 50 }, () => ({ calls: [{ name: 'Say' }] })),
      session,
      { tokenBudget: 20_000 },
    );
    expect(end.reason).toBe('token_budget');
    expect(end.turns).toBeLessThan(10);
  });

  test('M7.1 a signal during an answer ends it, nothing of the answer stays, and the model is told of the interruption', async () => {
    const stop = new AbortController();
    const session = await sessionWith([]);
    const model: Model = {
      ...scriptedModel([]),
      async *stream(_request, signal) {
        yield { kind: 'delta', text: 'I was' };
        stop.abort();
        signal.throwIfAborted();
      },
    };
    const { end } = await run(session, 'go', { model, signal: stop.signal });
    expect([end.reason, session.messages.length]).toEqual(['aborted_streaming', 2]);
    expect(lastMessage(session)).toEqual({ role: 'user', content: [{ type: 'text', text: expect.stringContaining('has interrupted') }] });
  });

  test('leaving the iteration stops the run', async () => {
    const tool = probeTool('Say');
    const session = await sessionWith([tool]);
    const model = scriptedModel(Array.from({ length: 50 }, () => ({ calls: [{ name: 'Say' }] })));
    for await (const event of session.run('go', { model })) if (event.kind === 'tool_use') break;
    expect(model.requests.length).toBeLessThan(50);
  });

  test('a refusal that stops ends the run, and the other calls are answered as well', async () => {
    const session = await sessionWith([probeTool('Say')], {
      'tool.before': () => ({ kind: 'deny', reason: 'enough for today', stop: true }),
    });
    const { end } = await play([{ calls: [{ name: 'Say' }, { name: 'Say' }] }], session);
    expect(end).toMatchObject({ reason: 'stopped', message: 'enough for today', turns: 1 });
    expect(results(lastMessage(session))).toHaveLength(2);
    await play([{ text: 'ok' }], session, {}, 'go on');
  });

  test('an empty message asks nothing', async () => {
    const { end, model } = await play([], await sessionWith([]), {}, '  \n ');
    expect([end.reason, model.requests.length]).toEqual(['stopped', 0]);
  });
});

describe('hooks around a run', () => {
  test('M13.1 what a hook before a call has to say reaches the model with the result', async () => {
    const session = await sessionWith([probeTool('Say')], {
      'tool.before': () => ({ kind: 'none', reason: '', context: 'Mind the gap.' }),
    });
    await play([{ calls: [{ name: 'Say' }] }, { text: 'ok' }], session);
    expect(results(session.messages[2])[0]?.content).toEqual([
      { type: 'text', text: 'ran' },
      { type: 'text', text: 'Mind the gap.' },
    ]);
  });

  test.each<readonly [string, HookHandlers]>([
    ['denies', { 'prompt.submit': () => ({ kind: 'deny', reason: 'no' }) }],
    ['asks', { 'prompt.submit': () => ({ kind: 'ask', reason: 'sure?' }) }],
    [
      'crashes',
      {
        'prompt.submit': () => {
          throw new Error('oh');
        },
      },
    ],
  ])('a prompt hook that %s keeps the message out of the history', async (_what, hooks) => {
    const session = await sessionWith([], hooks);
    const { end, model } = await play([], session);
    expect([end.reason, session.messages, model.requests]).toEqual(['stopped', [], []]);
  });

  test('a hook may send the model back to work, and may end it for good', async () => {
    const back: HookHandlers = { 'turn.end': ({ turn }) => (turn === 1 ? { kind: 'deny', reason: 'The tests are red.' } : undefined) };
    const session = await sessionWith([], back);
    expect((await play([{ text: 'done' }, { text: 'really done' }], session)).end).toMatchObject({ reason: 'completed', turns: 2 });
    expect(session.messages[2]).toEqual({ role: 'user', content: [{ type: 'text', text: 'The tests are red.' }] });
    const stopping = await sessionWith([], { 'turn.end': () => ({ kind: 'deny', reason: 'out of time', stop: true }) });
    expect((await play([{ text: 'done' }], stopping)).end).toMatchObject({ reason: 'stopped', message: 'out of time' });
  });

  test('a session begins once, with words for the model', async () => {
    const session = await sessionWith([], { 'session.start': (texts) => [...texts, 'Today is a test.'] });
    const { model } = await play([{ text: 'ok' }], session);
    expect(model.requests[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'go' },
      { type: 'text', text: 'Today is a test.' },
    ]);
    const { model: again } = await play([{ text: 'ok' }], session, {}, 'more');
    expect(again.requests[0]?.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'more' }]);
  });
});

/** The plainest model over HTTP: whole messages, no stream. */
function overHttp(url: string): Model {
  return {
    ...scriptedModel([]),
    async *stream({ system, tools, messages, maxTokens }, signal): AsyncGenerator<ModelEvent> {
      const body = JSON.stringify({ model: 'm', max_tokens: maxTokens, system, tools, messages });
      const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
      const response = await fetch(`${url}/v1/messages`, { method: 'POST', body, headers, signal });
      const answer = (await response.json()) as { content: AssistantBlock[]; stop_reason: StopReason; error?: { message: string } };
      if (answer.error) throw new Error(answer.error.message);
      yield* answer.content.map((block) => ({ kind: 'block' as const, block }));
      yield { kind: 'stop', reason: answer.stop_reason };
    },
  };
}

async function* streamOf(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

test('closing the session ends its run, whatever the model would go on with', async () => {
  const closer = probeTool('Probe', {}, () => {
    void session.close();
    return 'ran';
  });
  const session = await sessionWith([closer]);
  const again = { calls: [{ name: 'Probe', input: {} }] };
  const model = scriptedModel([again, again, again]);
  const { end } = await run(session, 'go', { model });
  expect(end.reason).toBe('aborted_tools');
  expect(model.requests).toHaveLength(1);
});

test('M4.11 a refusal of a call that a tool made is recorded too, and its stop ends the run', async () => {
  const outer = probeTool('Outer', {}, async (_input, { call }) => call('Inner', {}));
  const hooks: HookHandlers = {
    'tool.before': ({ tool }) => (tool === 'Inner' ? { kind: 'deny', reason: 'enough', stop: true } : undefined),
  };
  const inner = probeTool('Inner');
  const session = await sessionWith([outer, inner], hooks);
  const model = scriptedModel([
    {
      calls: [
        { name: 'Outer', input: {} },
        { name: 'Outer', input: {} },
      ],
    },
    { text: 'never' },
  ]);
  const { end } = await run(session, 'go', { model });
  expect(end).toMatchObject({ reason: 'stopped', message: 'enough', permissionDenials: [{ tool: 'Inner' }] });
  expect([outer.inputs.length, inner.inputs.length, model.requests.length]).toEqual([1, 0, 1]);
});
