import { createServer } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import type { RunEvent } from 'pegboard';
import { anthropicModel, builtinPlugins, EndpointMemory } from 'pegboard/builtin-plugins';

import { probeTool } from '../core/probe-tool.ts';
import { listenHere } from '../support/listen-here.ts';
import { startOddServer, type Oddities } from '../support/odd-server.ts';
import { startHost } from '../support/start-host.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { there } from '../support/there.ts';

const NONE = { kind: 'none', value: 'none', from: 'no credential' } as const;

/** A run with two calls at once, a third after it, and an answer. */
async function play(oddities: Oddities) {
  const note = probeTool('Note', { isConcurrencySafe: () => true }, ({ text = '' }) => `noted ${text}`);
  const look = probeTool('Look', { shouldDefer: true }, () => 'seen');
  const folder = await temporaryFolder();
  const { host, stop } = await startHost({ tools: [note, look], builtins: builtinPlugins(), rules: { allow: ['Note', 'Look'] } });
  const server = await startOddServer(oddities, [
    {
      text: 'Both.',
      calls: [
        { name: 'Note', input: { text: 'a "b"' } },
        { name: 'Note', input: { text: 'ü' } },
      ],
    },
    { calls: [{ name: 'Look', input: {} }] },
    { text: 'Done.' },
  ]);
  onTestFinished(async () => {
    await stop();
    await server.close();
    await folder.remove();
  });
  const options = { model: 'some-model', credential: NONE, address: server.url, memory: new EndpointMemory(folder.path), retries: 0 };
  const model = await anthropicModel(options, new AbortController().signal);
  const events: RunEvent[] = [];
  for await (const event of host.session().run('Note both.', { model, system: 'Be brief.' })) events.push(event);
  return { note, look, server, options, end: there(events.flatMap((event) => (event.kind === 'end' ? [event] : [])).at(-1)) };
}

const ENDPOINTS: readonly (readonly [string, Oddities])[] = [
  ['that refuses deferred definitions', { refuses: ['defer_loading', 'tool_reference'] }],
  ['that refuses cache marks', { refuses: ['defer_loading', 'cache_control'] }],
  ['that takes a system prompt as a text alone', { systemAsText: true, refuses: ['cache_control'] }],
  ['that counts no tokens', { usage: 'missing' }],
  ['that says it took no tokens', { usage: 'zero' }],
  ['that sends no pings and no names of events', { bareEvents: true }],
  ['that sends inputs in one piece, after an empty text', { input: 'one piece' }],
  ['that sends inputs with the beginning of their blocks', { input: 'at once' }],
  ['that sends inputs as texts', { input: 'as text' }],
  ['that gives no reason for the end', { end: 'no reason' }],
  ['that leaves out what stands before the end', { end: 'nothing', usage: 'missing' }],
  ['that names ends as another API does', { end: 'other words' }],
  ['that always says the turn has ended', { end: 'always end_turn' }],
  ['that ends a stream as another API does', { end: 'done' }],
  ['that gives calls no ids', { ids: 'missing' }],
  ['that gives all calls the same id', { ids: 'same' }],
  ['that thinks without signatures', { thinks: true }],
  ['that never streams', { neverStreams: true }],
  ['that never streams, and gives inputs as texts', { neverStreams: true, input: 'as text', usage: 'missing', end: 'no reason' }],
  ['whose errors are texts', { refuses: ['defer_loading'], errors: 'text' }],
  ['whose errors have another form', { refuses: ['defer_loading', 'cache_control'], errors: 'other form' }],
  [
    'with everything at once',
    {
      refuses: ['defer_loading', 'cache_control', 'tool_reference'],
      systemAsText: true,
      usage: 'missing',
      bareEvents: true,
      input: 'as text',
      end: 'no reason',
      ids: 'same',
      thinks: true,
      errors: 'text',
    },
  ],
];

test.each(ENDPOINTS)('M3.3 a run with calls goes through at an endpoint %s', async (_what, oddities) => {
  const { note, look, server, end } = await play(oddities);
  expect(end).toMatchObject({ reason: 'completed' });
  expect(note.inputs).toEqual([{ text: 'a "b"' }, { text: 'ü' }]);
  expect(look.inputs).toEqual([{}]);
  const last = there(server.bodies.at(-1)) as {
    readonly messages: readonly {
      readonly content: readonly { readonly type: string; readonly tool_use_id?: string; readonly id?: string }[];
    }[];
  };
  const ids = last.messages.flatMap(({ content }) => content.flatMap(({ id }) => id ?? []));
  expect(ids.every((id) => id !== '')).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(last.messages.flatMap(({ content }) => content.flatMap(({ tool_use_id: id }) => id ?? []))).toEqual(ids);
});

test('M3.3 what an endpoint takes is found out once for an address and a model', async () => {
  const { server, options } = await play({ refuses: ['defer_loading', 'cache_control'] });
  const before = server.bodies.length;
  const again = await anthropicModel(options, new AbortController().signal);
  expect(again.strategy).toBe('append');
  expect(server.bodies.length).toBe(before);
});

test('M10.1 a history is made short in time also where an endpoint does not count', async () => {
  const note = probeTool('Note', {}, () => 'noted');
  const { host, stop } = await startHost({ tools: [note], builtins: builtinPlugins(), rules: { allow: ['Note'] } });
  const calls = [{ name: 'Note', input: {} }];
  const server = await startOddServer({ usage: 'missing' }, [
    { calls },
    { calls },
    { text: '<summary>Noted.</summary>' },
    { text: 'Done.' },
  ]);
  onTestFinished(async () => {
    await stop();
    await server.close();
  });
  const model = await anthropicModel(
    { model: 'm', credential: NONE, address: server.url, contextTokens: 2_000 },
    new AbortController().signal,
  );
  const heard: string[] = [];
  for await (const event of host.session().run('Note.', { model }))
    heard.push(event.kind === 'compaction' ? event.result.kind : event.kind);
  expect(heard.filter((kind) => kind === 'done')).toHaveLength(1);
});

test('M10.1 an endpoint that is not there, and a model it does not know, are said as that', async () => {
  const gone = await startOddServer({}, []);
  await gone.close();
  const options = { model: 'llama', credential: NONE, address: gone.url };
  await expect(anthropicModel(options, new AbortController().signal)).rejects.toThrow(
    /ECONNREFUSED.*nothing answers at http:.*Is it running\?/,
  );
  const server = await startOddServer({ errors: 'text' }, []);
  onTestFinished(() => server.close());
  await expect(anthropicModel({ ...options, address: `${server.url}/v1` }, new AbortController().signal)).rejects.toThrow(
    /404: page not found Is there a model "llama" at http:.*without \/v1/,
  );
});

test.each([
  ['text/html', '<html><body>Welcome to the router</body></html>', /answered with a web page, not as the Messages API does.*without \/v1/],
  ['application/json', '{}', /answered with JSON that is no message, not as the Messages API does/],
  ['application/json', '[1]', /answered with JSON that is no message/],
  ['application/json', '{"object":"chat.completion","choices":[]}', /answered with JSON that is no message/],
])('M10.1 an address where something else answers is said as that: %s %s', async (type, body, sentence) => {
  const server = createServer((_, response) => void response.writeHead(200, { 'content-type': type }).end(body));
  const { url: address, close } = await listenHere(server);
  onTestFinished(close);
  await expect(anthropicModel({ model: 'llama', credential: NONE, address }, new AbortController().signal)).rejects.toThrow(sentence);
});
