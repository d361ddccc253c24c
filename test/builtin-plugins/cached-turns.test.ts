import { expect, onTestFinished, test } from 'vitest';
import { anthropicModel, builtinPlugins } from 'pegboard/builtin-plugins';
import { startMessagesServer, type MessagesServer } from 'pegboard/testing';

import { playStirred, stirredHost, stirredTurn, TURNS } from '../core/stirred-turns.ts';
import { there } from '../support/there.ts';

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;
/** At this turn the endpoint says that the context is nearly full. */
const FULL_AT = 22;

interface Body {
  readonly tools?: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly system: unknown;
  readonly messages: readonly unknown[];
}

/** Forty stirred turns over HTTP, streamed, by the strategy of the Anthropic API, with a summary in the middle. */
async function play() {
  const { host, stir } = await stirredHost(builtinPlugins());
  let turn = -1;
  const answer = ({ tools }: { readonly tools?: unknown }) => {
    if (tools === undefined) return { text: '<summary>Twenty turns were taken.</summary>' };
    stir(++turn);
    const input_tokens = turn === FULL_AT ? 170_000 : 1_000;
    return {
      ...stirredTurn(turn, (name) => ({ name: 'ToolSearch', input: { query: `select:${name}` } })),
      usage: { input_tokens, output_tokens: 9 },
    };
  };
  const server = await startMessagesServer(Array.from({ length: TURNS * 3 }, () => answer));
  onTestFinished(() => server.close());
  const model = await anthropicModel(
    { model: 'claude-test', credential: { kind: 'key', value: 'k', from: 'a test' }, address: server.url, strategy: 'reference' },
    new AbortController().signal,
  );
  const session = host.session();
  return { server, session, ...(await playStirred(session, model, () => turn + 1)) };
}

/** The requests of each epoch, without marks: a summary stands between two of them. */
function epochsOf({ requests }: MessagesServer): readonly (readonly Body[])[] {
  const epochs: Body[][] = [[]];
  for (const { text } of requests) {
    const body = JSON.parse(text.replace(MARK, '')) as Body;
    // What is compared below are bytes as they were sent.
    expect(JSON.stringify(body)).toBe(text.replace(MARK, ''));
    if (body.tools === undefined) epochs.push([]);
    else epochs.at(-1)?.push(body);
  }
  return epochs;
}

const bytes = (value: unknown) => JSON.stringify(value);
const loaded = ({ tools = [] }: Body) => bytes(tools.filter(({ defer_loading: deferred }) => deferred !== true));
const deferred = ({ tools = [] }: Body) => tools.filter(({ defer_loading: waits }) => waits === true).map(bytes);

test('CACHE-08 M3.4 M8.3 forty stirred turns with a compaction on the strict endpoint, by references: nothing is refused, and within an epoch every request keeps the bytes of the one before', async () => {
  const { server, events, done } = await play();
  expect(server.requests.flatMap(({ problems }) => problems)).toEqual([]);
  expect(events.filter(({ kind }) => kind === 'retry')).toEqual([]);
  expect([done.interrupt >= 3, done.supersede >= 3, done.wait]).toEqual([true, true, 3]);
  expect(events.flatMap((event) => (event.kind === 'compaction' ? [event.result.kind] : []))).toEqual(['done']);
  const epochs = epochsOf(server);
  expect(epochs.map(({ length }) => length >= 10)).toEqual([true, true]);
  expect(epochs.flat().length).toBeGreaterThanOrEqual(TURNS);
  for (const epoch of epochs) {
    for (const [at, body] of epoch.entries()) {
      const before = epoch[at - 1];
      if (before === undefined) continue;
      expect(loaded(body)).toBe(loaded(before));
      expect(bytes(body.system)).toBe(bytes(before.system));
      expect(body.messages.slice(0, before.messages.length).map(bytes)).toEqual(before.messages.map(bytes));
      expect(deferred(body).slice(0, deferred(before).length)).toEqual(deferred(before));
    }
  }
  const [first, second] = epochs.map((epoch) => there(epoch.at(-1)));
  expect(deferred(there(first)).length).toBeGreaterThanOrEqual(2);
  expect(bytes(there(first).messages)).toContain('tool_reference');
  // The references are gone with the history, so what was found is loaded from then on.
  expect(loaded(there(second))).toContain('mcp__early__tool_3');
  expect(bytes(there(second).messages[0])).toContain('Twenty turns were taken.');
});

test('M3.4 receipts of the same turns say that nothing was read again', async () => {
  const { events, session } = await play();
  const receipts = events.filter((event) => event.kind === 'receipt');
  expect(receipts.map(({ readAgain }) => readAgain).filter((read) => read > 0)).toEqual([]);
  expect(
    receipts.flatMap(({ changes }) => changes).every(({ kind, segment }) => kind === 'added' && segment.startsWith('tool mcp__')),
  ).toBe(true);
  expect(session.receipt?.some(({ name, prefix }) => name.startsWith('tool mcp__') && !prefix)).toBe(true);
});
