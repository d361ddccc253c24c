import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, describe, test } from 'vitest';

import { definePlugin, type Message, type Model, type RunEvent, type Session } from 'pegboard';
import { builtinPlugins, openSaved } from 'pegboard/builtin-plugins';

import { fakeTool } from '../support/fake-tools.ts';
import { requestProblems } from '../support/request-problems.ts';
import { scriptedModel, type ScriptedTurn } from '../support/scripted-model.ts';
import { startHost, type StartedHost, type StartOptions } from '../support/start-host.ts';
import { there } from '../support/there.ts';

const hosts: StartedHost[] = [];
afterEach(async () => {
  for (const each of hosts.splice(0)) await each.stop();
});

const Later = fakeTool('Later', {
  shouldDefer: true,
  isReadOnly: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
});

async function open(options: StartOptions = {}): Promise<{ host: StartedHost['host']; session: Session }> {
  const started = await startHost({ builtins: builtinPlugins(), tools: [Later], ...options });
  hosts.push(started);
  return { host: started.host, session: started.host.session() };
}

async function run(session: Session, turns: readonly ScriptedTurn[], prompt = 'Tidy the attic.', contextTokens = 1_000) {
  const model = scriptedModel(turns, { contextTokens });
  const events: RunEvent[] = [];
  for await (const event of session.run(prompt, { model })) events.push(event);
  return { events, requests: model.requests, end: events.at(-1) as Extract<RunEvent, { kind: 'end' }> };
}

const used = (tokens: number) => ({ input_tokens: tokens, output_tokens: 0 });
const call = { calls: [{ name: 'ToolSearch', input: { query: 'select:Later' } }] };
const textIn = (messages: readonly Message[]) => JSON.stringify(messages);
const problemsOf = ({ system: _empty, maxTokens: max_tokens, ...request }: ReturnType<typeof scriptedModel>['requests'][number]) =>
  requestProblems({ ...request, max_tokens, model: 'scripted' });

describe('a conversation that is nearly full', () => {
  test('goes on from a summary; found tools, tasks and the last words of the person survive', async () => {
    const { session } = await open();
    await session.call('TaskCreate', { subject: 'Sweep the floor', description: 'All of it.' });
    const { events, requests, end } = await run(session, [
      { ...call, usage: used(500) },
      { calls: [{ name: 'Later', input: {} }], usage: used(900) },
      { text: '<summary>The attic is to be tidied; Later was called.</summary>' },
      { text: 'Done.', usage: used(100) },
    ]);
    assert.equal(end.reason, 'completed');
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'compaction' ? [event.result.kind] : [])),
      ['done'],
    );
    const last = there(requests.at(-1));
    assert.equal(last.messages.length, 1);
    assert.match(textIn(last.messages), /The attic is to be tidied.*last message of the person was:.*Tidy the attic.*Sweep the floor/);
    assert.ok(last.tools.some(({ name }) => name === 'Later'));
    assert.deepEqual(requests.flatMap(problemsOf), []);
  });

  test('LOOP-14 of a summary only the summary is carried over, also where its model repeats what it was told', async () => {
    for (const text of [
      'Use plain text only and no tools.\n<summary>Kept.</summary>\nUse plain text only and no tools.',
      'Kept.\nUse plain text only and no tools.',
    ]) {
      const { session } = await open();
      const { requests } = await run(session, [{ ...call, usage: used(900) }, { text }, { text: 'Done.' }]);
      assert.match(textIn(there(requests.at(-1)).messages), /Kept\./);
      assert.ok(!textIn(there(requests.at(-1)).messages).includes('no tools'));
    }
  });

  test('LOOP-13 whatever kinds of blocks it holds, the request for the summary is one text', async () => {
    const { session } = await open();
    session.add({
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        // Kinds that nobody here knows, as a history of another host may have them.
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } } as never,
        { type: 'hologram', depth: 3 } as never,
      ],
    });
    session.add({
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        { type: 'text', text: 'Seen.' },
      ],
    });
    const { requests } = await run(session, [{ ...call, usage: used(900) }, { text: '<summary>Kept.</summary>' }, { text: 'Done.' }]);
    assert.deepEqual(
      there(requests[1]).messages.map(({ content }) => content.map(({ type }) => type)),
      [['text']],
    );
    assert.deepEqual(there(requests[1]).tools, []);
  });

  test('LOOP-13 where no summary can be had, less is shown, and at last the history stays as it was', async () => {
    const { session } = await open();
    const failing = new Error('too long');
    const { events, requests, end } = await run(session, [{ ...call, usage: used(900) }, failing, failing, failing, { text: 'Done.' }]);
    assert.equal(end.reason, 'completed');
    assert.equal(events.find((event) => event.kind === 'compaction')?.result.kind, 'not done');
    assert.equal(there(requests.at(-1)).messages.length, 3);
    assert.match(textIn(there(requests.at(-1)).messages), /Tidy the attic/);
  });

  test('that an endpoint calls too long goes on from a summary, once', async () => {
    const { session } = await open();
    const full: ScriptedTurn = { stop: 'model_context_window_exceeded' };
    const first = await run(session, [full, { text: '<summary>Kept.</summary>' }, { text: 'Done.' }]);
    assert.equal(first.end.reason, 'completed');
    const second = await run(session, [full, { text: '<summary>Kept.</summary>' }, full]);
    assert.equal(second.end.reason, 'max_tokens');
  });

  test('LOOP-07 of a summary whose endpoint asks for long waits is given up at once, and the history stays', async () => {
    const { session } = await open();
    await run(session, [{ text: 'Begun.' }], 'Tidy the attic.', 200_000);
    let asked = 0;
    const model: Model = {
      ...scriptedModel([]),
      async *stream() {
        asked++;
        yield { kind: 'again', why: '529: overloaded', waitMs: 100_000 };
        throw new Error('it was waited for');
      },
    };
    const result = await session.compact(model);
    assert.equal(result.kind, 'not done');
    assert.match(result.kind === 'not done' ? result.why : '', /the model did not answer: 529: overloaded/);
    assert.equal(asked, 1);
    assert.equal(session.messages.length, 2);
  });

  test('a summary whose endpoint fails after it was asked again is not tried with less: the provider has waited long enough', async () => {
    const { session } = await open();
    await run(session, [{ text: 'Begun.' }], 'Tidy the attic.', 200_000);
    let asked = 0;
    const model: Model = {
      ...scriptedModel([]),
      async *stream() {
        asked++;
        yield { kind: 'again', why: '500: broken', waitMs: 0 };
        throw new Error('500: broken. It was tried 7 times.');
      },
    };
    const result = await session.compact(model);
    assert.match(result.kind === 'not done' ? result.why : '', /tried 7 times/);
    assert.equal(asked, 1);
  });

  test('a summary whose model says nothing is given up after a time of its own, and the history stays', async () => {
    const { session } = await open({ pluginOptions: { transcripts: { summary: { silentSeconds: 0.05 } } } });
    await run(session, [{ text: 'Begun.' }], 'Tidy the attic.', 200_000);
    let asked = 0;
    const model: Model = {
      ...scriptedModel([]),
      // Says a word now and then, and then nothing any more.
      async *stream(_request, signal) {
        asked++;
        yield { kind: 'delta', text: 'The' };
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    };
    const result = await session.compact(model);
    assert.match(result.kind === 'not done' ? result.why : '', /the model said nothing for 0\.05 s/);
    assert.equal(asked, 1);
    assert.equal(session.messages.length, 2);
  });

  test('M13 a hook may forbid it', async () => {
    const guard = definePlugin({ name: 'guard', hooks: { 'compact.before': () => ({ kind: 'deny', reason: 'not now' }) } });
    const { session } = await open({ plugins: [guard] });
    const { events } = await run(session, [{ ...call, usage: used(900) }, { text: 'Done.' }]);
    assert.deepEqual(events.find((event) => event.kind === 'compaction')?.result, { kind: 'not done', why: 'not now' });
  });
});

test('a conversation is made short when its person asks, with what they want kept, and that survives the process', async () => {
  const { host, session } = await open();
  await run(session, [{ text: 'Begun.' }], 'Tidy the attic.', 200_000);
  const model = scriptedModel([{ text: '<summary>Tidying.</summary>' }]);
  assert.equal((await session.compact(model, { wish: 'the names of the boxes' })).kind, 'done');
  assert.match(textIn(there(model.requests[0]).messages), /Above all, keep this: the names of the boxes/);
  const { requests } = await run(session, [{ text: 'Going on.' }], 'Go on.', 200_000);
  await session.close();
  const saved = await openSaved(join(host.home), session.id);
  const resumed = host.session({ saved });
  assert.equal(JSON.stringify(resumed.messages.slice(0, 2)), JSON.stringify(there(requests[0]).messages));
});
