import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';

import { defineTool, type Model, type RunEvent, type Session } from 'pegboard';
import { anthropicModel, builtinPlugins, EndpointMemory, type AnthropicOptions } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { startMessagesServer, type MessagesServer, type ServerTurn } from 'pegboard/testing';

import { fakeTool } from '../support/fake-tools.ts';
import { startHost, type StartedHost } from '../support/start-host.ts';
import { there } from '../support/there.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

const KEY = 'sk-ant-test-000';
const STAYS = new AbortController().signal;
let server: MessagesServer;
let started: StartedHost;
let temporary: TemporaryFolder;
let ran: string[] = [];
beforeEach(async () => {
  temporary = await temporaryFolder();
  ran = [];
  const Note = defineTool<{ readonly text: string }>({
    name: 'Note',
    description: 'Notes a text.',
    input: jsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
    isConcurrencySafe: () => true,
    checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
    call: async ({ text }) => {
      ran.push(text);
      return `noted ${text}`;
    },
  });
  const later = fakeTool('Later', { shouldDefer: true, searchHint: 'does things later' });
  started = await startHost({ builtins: builtinPlugins(), tools: [Note, later] });
});
afterEach(async () => {
  await started.stop();
  await server.close();
  await temporary.remove();
});

async function open(turns: readonly ServerTurn[], options: Partial<AnthropicOptions> = {}): Promise<{ model: Model; session: Session }> {
  server = await startMessagesServer(turns);
  const credential = { kind: 'key', value: KEY, from: 'ANTHROPIC_API_KEY' } as const;
  const model = await anthropicModel(
    { model: 'claude-test', credential, address: server.url, strategy: 'reference', random: () => 0, ...options },
    STAYS,
  );
  return { model, session: started.host.session() };
}

async function run(session: Session, model: Model, prompt = 'Note it.'): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of session.run(prompt, { model, system: 'Be brief.' })) events.push(event);
  return events;
}

const of = <Kind extends RunEvent['kind']>(events: readonly RunEvent[], kind: Kind) =>
  events.filter((event): event is Extract<RunEvent, { kind: Kind }> => event.kind === kind);
const endOf = (events: readonly RunEvent[]) => there(of(events, 'end').at(-1));
const textsOf = (events: readonly RunEvent[]) => of(events, 'text').flatMap(({ done, text }) => (done ? [text] : []));
const note = (text: string, id: string) => ({ type: 'tool_use', id, name: 'Note', input: { text } });
const problems = () => server.requests.flatMap((request) => request.problems);

interface Body {
  readonly tools: readonly { readonly name: string; readonly cache_control?: unknown; readonly defer_loading?: boolean }[];
  readonly system: readonly { readonly cache_control?: unknown }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: readonly { readonly type: string; readonly cache_control?: unknown }[];
  }[];
}
const bodies = () => server.requests.map(({ body }) => body as Body);

describe('an answer', () => {
  test('streams as text, thoughts and parallel calls, and goes back byte for byte', async () => {
    const thinking = { type: 'thinking', thinking: 'Two notes are wanted.', signature: 'sig-1' };
    const { model, session } = await open([
      { blocks: [thinking, { type: 'text', text: 'Both at once.' }, note('a', 'call_a'), note('b', 'call_b')] },
      { text: 'Done.', usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 } },
    ]);
    const events = await run(session, model);
    assert.equal(endOf(events).reason, 'completed');
    assert.deepEqual(ran, ['a', 'b']);
    assert.deepEqual(problems(), []);
    assert.ok(of(events, 'text').some(({ done }) => !done));
    assert.deepEqual(there(of(events, 'usage').at(-1)).usage, {
      input_tokens: 5,
      output_tokens: 3,
      cache_creation_input_tokens: 7,
      cache_read_input_tokens: 100,
    });
  });

  test('carries at most four marks: on the last loaded tool, the system prompt and the ends of the last two messages of the user', async () => {
    const { model, session } = await open([{ blocks: [note('a', 'call_a')] }, { blocks: [note('b', 'call_b')] }, { text: 'Done.' }]);
    await run(session, model);
    const last = there(bodies().at(-1));
    const loaded = last.tools.filter((tool) => tool.defer_loading !== true);
    assert.deepEqual(
      last.tools.filter((tool) => tool.cache_control).map(({ name }) => name),
      [there(loaded.at(-1)).name],
    );
    assert.ok(there(last.system[0]).cache_control);
    const marked = last.messages.map(({ content }) => content.filter((block) => block.cache_control).length);
    assert.deepEqual(marked, [0, 0, 1, 0, 1]);
  });

  test('CACHE-08 of a search adds a deferred definition behind, and nothing before it changes', async () => {
    const { model, session } = await open([
      { calls: [{ name: 'ToolSearch', input: { query: 'select:Later' } }] },
      { calls: [{ name: 'Later', input: {} }] },
      { text: 'Done.' },
    ]);
    await run(session, model);
    assert.deepEqual(problems(), []);
    const [first, second] = bodies();
    const plain = (tools: Body['tools']) => tools.map(({ cache_control: _mark, ...tool }) => JSON.stringify(tool));
    assert.deepEqual(plain(there(second).tools).slice(0, there(first).tools.length), plain(there(first).tools));
    assert.deepEqual(
      there(second)
        .tools.slice(there(first).tools.length)
        .map(({ name, defer_loading: deferred }) => ({ name, deferred })),
      [{ name: 'Later', deferred: true }],
    );
    assert.match(JSON.stringify(there(second).messages), /"type":"tool_reference","tool_name":"Later"/);
  });

  test('LOOP-02 of which the limit cut a call is not run', async () => {
    const { model, session } = await open([{ text: 'I note', cutCall: { name: 'Note', json: '{"text":"a"}' } }, { text: 'Shorter.' }]);
    const events = await run(session, model);
    assert.deepEqual(ran, []);
    assert.deepEqual(problems(), []);
    assert.deepEqual(textsOf(events), ['I note', 'Shorter.']);
    assert.match(JSON.stringify(there(bodies()[1]).messages.at(-1)), /longer than one answer may be.*smaller parts/);
  });

  test('LOOP-02 that is cut again and again ends the run', async () => {
    const cut: ServerTurn = { cutCall: { name: 'Note', json: '{"text":"a"}' } };
    const { model, session } = await open([cut, cut, cut, cut, cut]);
    assert.equal(endOf(await run(session, model)).reason, 'max_tokens');
    assert.deepEqual(ran, []);
    assert.deepEqual(problems(), []);
    assert.equal(server.requests.length, 4);
  });

  test('LOOP-03 that pauses is sent back as it is, and goes on', async () => {
    const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } };
    const { model, session } = await open([
      { blocks: [{ type: 'text', text: 'I search.' }, search], stop: 'pause_turn' },
      { text: 'Found.' },
    ]);
    const events = await run(session, model);
    assert.deepEqual(textsOf(events), ['I search.', 'Found.']);
    assert.equal(server.requests.length, 2);
    assert.equal(there(there(bodies()[1]).messages.at(-1)).role, 'assistant');
    assert.deepEqual(problems(), []);
  });

  test('LOOP-04 that is refused ends the run as refused, and is not sent again', async () => {
    const { model, session } = await open([{ text: 'I cannot', stop: 'refusal' }, { text: 'Yes?' }]);
    assert.equal(endOf(await run(session, model)).reason, 'refusal');
    await run(session, model, 'Something else.');
    assert.ok(!JSON.stringify(bodies()[1]).includes('I cannot'));
    assert.deepEqual(problems(), []);
  });
});

describe('a failure', () => {
  test('LOOP-07 that passes is waited out and told: as long as the endpoint says, and longer each time where it says nothing', async () => {
    const { model, session } = await open([
      { status: 429, headers: { 'retry-after-ms': '20' } },
      { status: 529 },
      { status: 500 },
      { text: 'Done.' },
    ]);
    const events = await run(session, model);
    assert.deepEqual(
      of(events, 'retry').map(({ waitMs }) => waitMs),
      [20, 500, 1000],
    );
    assert.equal(endOf(events).reason, 'completed');
  });

  test.each([408, 429, 500, 529])('LOOP-07 %i that does not say how long to wait is tried again after a short while', async (status) => {
    const { model, session } = await open([{ status }, { text: 'Done.' }]);
    const events = await run(session, model);
    assert.deepEqual(
      of(events, 'retry').map(({ waitMs }) => waitMs),
      [250],
    );
    assert.equal(endOf(events).reason, 'completed');
  });

  test('LOOP-07 whose wait nobody would sit out ends the run at once, and says how long it is', async () => {
    const { model, session } = await open([{ status: 429, headers: { 'retry-after': '999999' } }]);
    const end = endOf(await run(session, model));
    assert.equal(end.reason, 'model_failed');
    assert.match(there(end.message), /429.*999999 s.*Try later/);
  });

  test('LOOP-07 what counts as too long a wait can be set', async () => {
    const { model, session } = await open([{ status: 429, headers: { 'retry-after': '3' } }], { mostWaitMs: 2_000 });
    assert.match(there(endOf(await run(session, model)).message), /429.*asks to wait 3 s/);
  });

  test('LOOP-07 a wait can be interrupted', async () => {
    const { model, session } = await open([{ status: 429, headers: { 'retry-after': '100' } }]);
    const events: RunEvent[] = [];
    for await (const event of session.run('Note it.', { model })) {
      events.push(event);
      if (event.kind === 'retry') session.interrupt();
    }
    assert.equal(endOf(events).reason, 'aborted_streaming');
  });

  test('of a date in retry-after is waited for until then', async () => {
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 2_000);
    const { model, session } = await open([{ status: 429, headers: { 'retry-after': at.toUTCString() } }, { text: 'Done.' }], {
      now: () => at.getTime() - 30,
    });
    const [retry] = of(await run(session, model), 'retry');
    assert.equal(there(retry).waitMs, 30);
  });

  test('that does not pass is given up after as many tries as are set', async () => {
    const { model, session } = await open([{ status: 500 }, { status: 500 }], { retries: 1 });
    const end = endOf(await run(session, model));
    assert.equal(end.reason, 'model_failed');
    assert.match(there(end.message), /500.*tried 2 times/);
  });

  test('of an overloaded model is answered by the one that is set for that', async () => {
    const { model, session } = await open([{ status: 529 }, { status: 529 }, { status: 529 }, { text: 'Done.' }], {
      fallback: 'claude-small',
    });
    assert.equal(endOf(await run(session, model)).reason, 'completed');
    assert.deepEqual(
      bodies().map((body) => (body as unknown as { model: string }).model),
      ['claude-test', 'claude-test', 'claude-test', 'claude-small'],
    );
  });

  test.each([401, 403])('%i says where the credential came from, and never what it is', async (status) => {
    const { model, session } = await open([{ status, message: 'invalid x-api-key' }]);
    const end = endOf(await run(session, model));
    assert.match(there(end.message), new RegExp(`${status}.*ANTHROPIC_API_KEY`));
    assert.ok(!there(end.message).includes(KEY));
  });

  test('413 says what was largest', async () => {
    const { model, session } = await open([{ status: 413 }]);
    assert.match(
      there(endOf(await run(session, model, `Note ${'x'.repeat(90_000)}`)).message),
      /413.*The largest part is a block of type text in message 1, 90\d{3} bytes/,
    );
  });

  test('of a stream that breaks before a call asks again, and nothing of the broken answer stays', async () => {
    const { model, session } = await open([
      { text: 'Half of an answer that', ends: { kind: 'breaks', afterEvents: 5 } },
      { text: 'Done.' },
    ]);
    const events = await run(session, model);
    assert.equal(of(events, 'retry').length, 1);
    assert.equal(endOf(events).reason, 'completed');
    assert.ok(!JSON.stringify(session.messages).includes('Half of'));
    assert.deepEqual(problems(), []);
  });

  test('LOOP-06 of a stream that breaks after a call keeps the call with its result, and asks nothing twice', async () => {
    const blocks = [note('a', 'call_a'), note('b', 'call_b')];
    const { model, session } = await open([{ blocks, ends: { kind: 'breaks', afterEvents: 7 } }, { text: 'Done.' }]);
    const events = await run(session, model);
    assert.deepEqual(ran, ['a']);
    assert.equal(of(events, 'retry').length, 0);
    assert.equal(endOf(events).reason, 'completed');
    assert.deepEqual(problems(), []);
    assert.match(JSON.stringify(session.messages), /noted a/);
  });

  test.each(['api_error', 'overloaded_error'])('of a stream that reports %s before a call asks again', async (type) => {
    const { model, session } = await open([
      { text: 'Half of an answer that', ends: { kind: 'error', type, afterEvents: 5 } },
      { text: 'Done.' },
    ]);
    const events = await run(session, model);
    assert.match(there(of(events, 'retry')[0]).why, new RegExp(type));
    assert.equal(endOf(events).reason, 'completed');
    assert.ok(!JSON.stringify(session.messages).includes('Half of'));
    assert.deepEqual(problems(), []);
  });

  test('LOOP-06 of a stream that reports an error after a call keeps the call with its result, and asks nothing twice', async () => {
    const blocks = [note('a', 'call_a'), note('b', 'call_b')];
    const { model, session } = await open([{ blocks, ends: { kind: 'error', type: 'api_error', afterEvents: 7 } }, { text: 'Done.' }]);
    const events = await run(session, model);
    assert.deepEqual(ran, ['a']);
    assert.equal(of(events, 'retry').length, 0);
    assert.equal(endOf(events).reason, 'completed');
    assert.deepEqual(problems(), []);
  });

  test.each<readonly [string, ServerTurn]>([
    ['a stream that says nothing', { text: 'Silence', ends: { kind: 'silent', afterEvents: 3 } }],
    ['an answer that does not begin', { never: true }],
  ])('of %s is noticed, and it is asked again', async (_what, silence) => {
    const { model, session } = await open([silence, { text: 'Done.' }], { idleMs: 100 });
    const events = await run(session, model);
    assert.match(there(of(events, 'retry')[0]).why, /nothing came/);
    assert.equal(endOf(events).reason, 'completed');
  });

  test('of an image leaves that image out, once and for good', async () => {
    const data = 'iVBORw0KGgo=';
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } } as const;
    const { model, session } = await open([
      { status: 400, message: 'messages.0.content.1.image.source.base64: image exceeds the limit' },
      { text: 'Seen without.' },
      { text: 'Again.' },
    ]);
    session.add({ role: 'user', content: [{ type: 'text', text: 'Look.' }, picture] });
    session.add({ role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] });
    assert.equal(endOf(await run(session, model)).reason, 'completed');
    await run(session, model, 'And again.');
    const sent = bodies()
      .slice(1)
      .map((body) => JSON.stringify(body.messages[0]));
    for (const message of sent) assert.match(message, /An image was left out: .*exceeds the limit/);
    const [first, second] = sent.map((message) => message.replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
    assert.equal(first, second);
  });

  test('of a conversation that no longer fits makes it short by a summary, and goes on', async () => {
    const refusal = { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' };
    const { model, session } = await open([{ text: 'Begun.' }, refusal, { text: '<summary>Kept.</summary>' }, { text: 'Done.' }]);
    await run(session, model, 'Tidy the attic.');
    const events = await run(session, model);
    assert.deepEqual(
      of(events, 'compaction').map(({ result }) => result.kind),
      ['done'],
    );
    assert.equal(endOf(events).reason, 'completed');
    assert.match(JSON.stringify(session.messages[0]), /Kept\./);
    assert.deepEqual(problems(), []);
  });

  test('of a conversation that no longer fits and cannot be made short ends it as too long', async () => {
    const { model, session } = await open([{ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' }], { retries: 0 });
    assert.equal(endOf(await run(session, model)).reason, 'max_tokens');
  });

  test('of a connection that cannot be made is told as that', async () => {
    const { model, session } = await open([], { address: 'http://127.0.0.1:9', retries: 0 });
    assert.match(there(endOf(await run(session, model)).message), /[Cc]onnection/);
  });
});

describe('an endpoint', () => {
  const usage = (input: number) => ({ input_tokens: input, output_tokens: 1 });
  test.each([
    ['reads no deferred definitions', [{ text: 'x', usage: usage(120) }], 'reference'],
    ['reads them all the same', [{ text: 'x', usage: usage(1900) }], 'append'],
    [
      'refuses them',
      [
        { status: 400, message: 'tools.1: unknown field defer_loading' },
        { text: 'x', usage: usage(60) },
      ],
      'append',
    ],
  ] as const)('that %s is looked at once, and that is remembered', async (_what, turns, strategy) => {
    const memory = new EndpointMemory(temporary.path);
    const { model } = await open(turns, { strategy: undefined, memory });
    assert.equal(model.strategy, strategy);
    const credential = { kind: 'key', value: KEY, from: 'ANTHROPIC_API_KEY' } as const;
    const again = await anthropicModel({ model: 'claude-test', credential, address: server.url, memory }, STAYS);
    assert.equal(again.strategy, strategy);
    assert.equal(server.requests.length, turns.length);
  });

  test('that says nothing when it is looked at is given up with a sentence', async () => {
    await assert.rejects(open([{ never: true }], { strategy: undefined, idleMs: 50 }), /nothing came/);
  });

  test('that wants an older version of the API is sent that', async () => {
    const { model, session } = await open([{ text: 'Done.' }], { version: '2023-06-01' });
    await run(session, model);
    assert.equal(there(server.requests[0]).headers['anthropic-version'], '2023-06-01');
    assert.equal(there(server.requests[0]).headers['x-api-key'], KEY);
  });
});
