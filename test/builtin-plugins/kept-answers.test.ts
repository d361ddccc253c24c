import assert from 'node:assert/strict';
import { onTestFinished, test } from 'vitest';

import type { RunEvent, Session, StopReason } from 'pegboard';
import { anthropicModel, builtinPlugins, openSaved } from 'pegboard/builtin-plugins';
import { startMessagesServer, type ServerTurn } from 'pegboard/testing';

import { fakeTool } from '../support/fake-tools.ts';
import { startHost, type StartedHost } from '../support/start-host.ts';
import { there } from '../support/there.ts';
import { testHome } from './test-home.ts';

const place = testHome();

const Note = fakeTool('Note', {
  isConcurrencySafe: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async () => 'noted',
});
const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex');
const IMAGES: Readonly<Record<string, readonly [string, Buffer]>> = {
  big: ['image/png', Buffer.concat([PNG, Buffer.alloc(6_000_000)])],
  odd: ['image/tiff', Buffer.from('II*')],
  wrong: ['image/gif', PNG],
};
/** Gives an image by its name above. */
const Show = fakeTool('Show', {
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async (input) => {
    const [media_type, bytes] = there(IMAGES[(input as { readonly text: string }).text]);
    return { content: [{ type: 'image', source: { type: 'base64', media_type, data: bytes.toString('base64') } }] };
  },
});
/** Gives what is cut in the middle of a character, half of one and a NUL. */
const Smile = fakeTool('Smile', {
  maxResultSizeChars: 1_000,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async () => `half \ud83d and \0 and x${'😀'.repeat(2_000)}`,
});

interface Body {
  readonly tools?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly type: string; readonly text?: string }[] }[];
}

/** A strict endpoint with a script, a model behind it, and hosts that share a home. */
async function open(turns: readonly ServerTurn[]) {
  const server = await startMessagesServer(turns);
  onTestFinished(() => server.close());
  const credential = { kind: 'key', value: 'k', from: 'a test' } as const;
  const opened = () =>
    anthropicModel(
      { model: 'claude-test', credential, address: server.url, strategy: 'reference', retries: 0 },
      new AbortController().signal,
    );
  const model = await opened();
  const host = async (): Promise<StartedHost['host']> =>
    place.opened(
      await startHost({ home: place.home, builtins: builtinPlugins(), tools: [Note, Smile, Show], id: () => `id-${place.count}-${ids++}` }),
    ).host;
  let ids = 0;
  const run = async (session: Session, prompt: string, heard: (event: RunEvent) => void = () => undefined, asked = model) => {
    const events: RunEvent[] = [];
    for await (const event of session.run(prompt, { model: asked, system: 'Be brief.' })) {
      events.push(event);
      heard(event);
    }
    return events.at(-1) as Extract<RunEvent, { kind: 'end' }>;
  };
  const bodies = () => server.requests.map(({ text }) => JSON.parse(text.replaceAll(',"cache_control":{"type":"ephemeral"}', '')) as Body);
  const problems = () => server.requests.flatMap((request) => request.problems);
  return { model, opened, host, run, bodies, problems };
}

const call = (id: string) => ({ type: 'tool_use', id, name: 'Note', input: { text: id } });
/** Thoughts before and behind a call, one of them without a word that can be read, one sealed, and a text at the end. */
const thoughtful = (id: string) => [
  { type: 'thinking', thinking: `What is ${id}?\n`, signature: `sig-1-${id}==` },
  call(id),
  { type: 'thinking', thinking: '', signature: `sig-2-${id}/+` },
  { type: 'redacted_thinking', data: `sealed-${id}` },
  { type: 'text', text: `So much for ${id}. ` },
];
const answers = ({ messages }: Body) => messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);

test('LOOP-01 thoughts and calls of an answer are sent back as they came and in their places: after results, an interrupt, a resume and a compaction', async () => {
  const { model, host, run, bodies, problems } = await open([
    { blocks: thoughtful('a') },
    { text: 'Done.' },
    { blocks: thoughtful('b') },
    { text: 'Gone on.' },
    { text: 'Resumed.' },
    { text: '<summary>a and b were noted.</summary>' },
    { blocks: thoughtful('c') },
    { text: 'End.' },
  ]);
  const first = (await host()).session();
  assert.equal((await run(first, 'Note a.')).reason, 'completed');
  const stopped = await run(first, 'Note b.', (event) => {
    if (event.kind === 'tool_result') first.interrupt();
  });
  assert.match(stopped.reason, /^aborted/);
  await run(first, 'Go on.');
  await first.close();
  const resumed = (await host()).session({ saved: await openSaved(place.home, first.id) });
  await run(resumed, 'Still there?');
  const before = answers(there(bodies().at(-1)));
  assert.deepEqual(before[0], thoughtful('a'));
  assert.deepEqual(
    before.find((content) => JSON.stringify(content).includes('sig-1-b')),
    thoughtful('b'),
  );
  assert.equal((await resumed.compact(model)).kind, 'done');
  await run(resumed, 'Note c.');
  assert.deepEqual(answers(there(bodies().at(-1))), [thoughtful('c')]);
  for (const body of bodies())
    for (const content of answers(body)) {
      const id = /sig-1-(\w)/.exec(JSON.stringify(content))?.[1];
      if (id !== undefined) assert.deepEqual(content, thoughtful(id));
    }
  assert.deepEqual(problems(), []);
});

const TOO_LONG: ServerTurn = { text: 'There is too much', stop: 'model_context_window_exceeded' };
test.each<readonly [StopReason, string, readonly ServerTurn[]]>([
  ['refusal', 'refusal', [{ text: 'I will not say', stop: 'refusal' }]],
  ['max_tokens', 'max_tokens', Array.from({ length: 4 }, () => ({ text: 'Once upon', stop: 'max_tokens' }))],
  ['model_context_window_exceeded', 'max_tokens', [TOO_LONG, { text: '<summary>It was long.</summary>' }, TOO_LONG]],
])('LOOP-04 an answer that stops with %s ends its run as that, and the next request is taken', async (_stop, reason, turns) => {
  const { host, run, bodies, problems } = await open([...turns, { text: 'Better.' }]);
  const session = (await host()).session();
  assert.equal((await run(session, 'Tell me all.')).reason, reason);
  assert.equal((await run(session, 'Then tell me less.')).reason, 'completed');
  assert.equal(JSON.stringify(there(bodies().at(-1))).includes('I will not say'), false);
  assert.equal(bodies().length, turns.length + 1);
  assert.deepEqual(problems(), []);
});

test('LOOP-12 results that hold half a character or are cut within one go on the wire as whole characters', async () => {
  const { host, run, bodies, problems } = await open([{ calls: [{ name: 'Smile' }, { name: 'Smile' }] }, { text: 'Done.' }]);
  await run((await host()).session(), 'Smile.');
  const sent = JSON.stringify(there(bodies()[1]).messages.at(-1));
  assert.match(sent, /half \ufffd and \\u0000 and x😀/);
  assert.doesNotThrow(() => encodeURIComponent(sent));
  assert.doesNotMatch(sent, /\\ud[89a-f]/);
  assert.deepEqual(problems(), []);
});

test('an image that an endpoint refuses is left out of what is sent and stays in the transcript: a resumed conversation leaves it out again, and says so', async () => {
  const refused: ServerTurn = { status: 400, message: 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum' };
  const { host, opened, run, bodies, problems } = await open([refused, { text: 'Seen without.' }, refused, { text: 'Again.' }]);
  const data = 'iVBORw0KGgo=';
  const first = (await host()).session();
  first.add({
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    ],
  });
  first.add({ role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] });
  const told: string[] = [];
  const hear = (event: RunEvent) => {
    if (event.kind === 'retry') told.push(event.why);
  };
  assert.equal((await run(first, 'What is it?', hear)).reason, 'completed');
  await first.close();
  const resumed = (await host()).session({ saved: await openSaved(place.home, first.id) });
  assert.match(JSON.stringify(resumed.messages), new RegExp(data));
  assert.equal((await run(resumed, 'And now?', hear, await opened())).reason, 'completed');
  assert.equal(told.filter((why) => /image exceeds 5 MB/.test(why)).length, 2);
  const firsts = bodies().map(({ messages }) => JSON.stringify(messages[0]));
  assert.equal(firsts[3], firsts[1]);
  assert.match(there(firsts[3]), /An image was left out: .*5 MB/);
  assert.deepEqual(problems(), []);
});

test('a result whose image no endpoint would take goes on the wire as a sentence, and what a tool says wrongly of an image is put right', async () => {
  const { host, run, bodies, problems } = await open([
    {
      calls: [
        { name: 'Show', input: { text: 'big' } },
        { name: 'Show', input: { text: 'odd' } },
        { name: 'Show', input: { text: 'wrong' } },
      ],
    },
    { text: 'Done.' },
  ]);
  await run((await host()).session(), 'Show them.');
  const [big, odd, wrong] = there(there(bodies()[1]).messages.at(-1)).content.map((block) => JSON.stringify(block));
  assert.match(there(big), /An image that is not shown: .*(MB|characters|large)/);
  assert.match(there(odd), /An image that is not shown: it is no PNG, JPEG, GIF or WebP image/);
  assert.match(there(wrong), /"media_type":"image\/png"/);
  assert.deepEqual(problems(), []);
});
