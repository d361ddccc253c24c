import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ProcessGroups } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { readOffer } from '../../mcp/config.ts';
import { connect } from '../../mcp/connect.ts';
import type { Link, Patience } from '../../mcp/link.ts';
import { ServerLog } from '../../mcp/log.ts';
import { RawServer, says, type Handlers } from './raw-server.ts';
import { reply, serveHttp, type Asked, type Served } from './serve-http.ts';

let folder: TemporaryFolder;
const opened: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await folder.remove();
});

const patience = (signal = new AbortController().signal): Patience => ({ signal, idleMs: 10_000, totalMs: 10_000 });

async function linkTo(definition: object): Promise<Link> {
  const read = readOffer({ name: 's', definition, origin: 'here', folder: folder.path }, {});
  if (read.kind !== 'server') throw new Error('the definition cannot be used');
  const connected = await connect(read.config, {
    signal: new AbortController().signal,
    cwd: folder.path,
    environment: {},
    windows: false,
    groups: new ProcessGroups({ windows: false }),
    log: new ServerLog(join(folder.path, 'log')),
  });
  if (connected.kind !== 'link') throw connected.error;
  opened.push(() => connected.link.close());
  return connected.link;
}

const raw = (handlers: Handlers, capabilities: object) =>
  new RawServer({
    ...handlers,
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'raw', version: '3' } }),
  });

/** Settles when something has been called so often. */
function counter(): { readonly count: () => void; readonly reached: (times: number) => Promise<void> } {
  let count = 0;
  let look = (): void => undefined;
  return {
    count: () => {
      count++;
      look();
    },
    reached: (times) =>
      new Promise((resolve) => {
        look = () => void (count >= times && resolve());
        look();
      }),
  };
}

describe('a link to an older server', () => {
  test('M2.1 says what was settled', async () => {
    const link = await linkTo({ instance: raw({}, { resources: { subscribe: true } }) });
    const { era, protocolVersion, serverInfo, capabilities, instructions } = link;
    expect({ era, protocolVersion, serverInfo, capabilities, instructions }).toEqual({
      era: 'legacy',
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'raw', version: '3' },
      capabilities: { resources: { subscribe: true } },
      instructions: undefined,
    });
  });

  test('M2.6 subscribes to a resource once for all who listen, and no longer than somebody does', async () => {
    const server = raw({ 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) }, { resources: { subscribe: true } });
    const link = await linkTo({ instance: server });
    const heard = counter();
    const topic = { kind: 'resource', uri: 'doc://a' } as const;
    const leave = [link.listen(topic, heard.count), link.listen(topic, heard.count)];
    await link.request('ping', {}, patience());
    server.tell('notifications/resources/updated', { uri: 'doc://a' });
    server.tell('notifications/resources/updated', { uri: 'doc://b' });
    await heard.reached(2);
    leave[0]?.();
    await link.request('ping', {}, patience());
    expect(server.methods).not.toContain('resources/unsubscribe');
    leave[1]?.();
    leave[1]?.();
    await link.request('ping', {}, patience());
    const subscriptions = server.heard.filter(({ method }) => method?.startsWith('resources/'));
    expect(subscriptions.map(({ method, params }) => [method, params])).toEqual([
      ['resources/subscribe', { uri: 'doc://a' }],
      ['resources/unsubscribe', { uri: 'doc://a' }],
    ]);
  });

  test('M2.6 hears of lists only what it listens to', async () => {
    const server = raw({}, {});
    const link = await linkTo({ instance: server });
    const [tools, prompts] = [counter(), counter()];
    const leave = link.listen({ kind: 'tools' }, tools.count);
    link.listen({ kind: 'prompts' }, prompts.count);
    for (const list of ['tools', 'prompts', 'resources']) server.tell(`notifications/${list}/list_changed`);
    await Promise.all([tools.reached(1), prompts.reached(1)]);
    leave();
    for (const list of ['tools', 'prompts']) server.tell(`notifications/${list}/list_changed`);
    await prompts.reached(2);
    await expect(Promise.race([tools.reached(2), Promise.resolve('no more')])).resolves.toBe('no more');
  });

  test('M1.1 answers what was asked of a closed connection, and says that it has ended', async () => {
    const server = raw({ 'tools/call': () => new Promise(() => undefined) }, { tools: {} });
    const link = await linkTo({ instance: server });
    const waiting = link.request('tools/call', {}, patience());
    await link.close();
    expect(await waiting).toEqual({ kind: 'lost', message: 'the connection was closed' });
    expect(await link.ended).toBe('the connection was closed');
    expect(await link.request('tools/list', {}, patience())).toMatchObject({ kind: 'lost' });
    expect(await link.request('tools/list', {}, patience(AbortSignal.abort()))).toEqual({ kind: 'cancelled' });
  });

  test.each([
    { as: 'a text', change: (id: unknown) => String(id), answered: true },
    { as: 'true, which is no id', change: () => true, answered: false },
    { as: 'another number', change: (id: unknown) => Number(id) + 1, answered: false },
  ])('M1.1 takes an answer for its own when its id comes back as $as: $answered', async ({ change, answered }) => {
    const server = raw({ odd: () => ({}) }, {});
    const link = await linkTo({ instance: server });
    server.changeIds(change);
    const answer = await link.request('odd', {}, { ...patience(), idleMs: answered ? 10_000 : 100 });
    expect(answer.kind).toBe(answered ? 'result' : 'late');
  });

  test('M1.1 gives each answer to whoever asked for it, in whatever order they come', async () => {
    const first = counter();
    const server = raw(
      {
        'tools/call': async ({ name }) => {
          if (name === 'slow') await first.reached(1);
          else first.count();
          return says(name);
        },
      },
      { tools: {} },
    );
    const link = await linkTo({ instance: server });
    const answers = await Promise.all(['slow', 'quick'].map((name) => link.request('tools/call', { name }, patience())));
    expect(answers).toEqual(['slow', 'quick'].map((name) => ({ kind: 'result', result: says(name) })));
  });
});

describe('a link to a server of the newer era', () => {
  const serve = async (answer: (asked: Asked) => void): Promise<Served> => {
    const served = await serveHttp((asked) => {
      const capabilities = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } };
      if (asked.message.method === 'server/discover') return reply(asked, { result: { supportedVersions: ['2026-07-28'], capabilities } });
      answer(asked);
      return undefined;
    });
    opened.push(() => served.stop());
    return served;
  };

  test('M2.6 opens one stream for all that is listened to and was declared, another when that changes, and none for nothing', async () => {
    const [listened, closed] = [counter(), counter()];
    const served = await serve(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.on('close', closed.count);
      listened.count();
    });
    const link = await linkTo({ url: served.url });
    const nothing = (): void => undefined;
    const leave = [
      link.listen({ kind: 'tools' }, nothing),
      link.listen({ kind: 'prompts' }, nothing),
      link.listen({ kind: 'resource', uri: 'doc://a' }, nothing),
    ];
    await listened.reached(1);
    leave[2]?.();
    await Promise.all([listened.reached(2), closed.reached(1)]);
    leave[0]?.();
    await closed.reached(2);
    const filters = served.asked.flatMap(({ message }) =>
      message.method === 'subscriptions/listen' ? [message.params?.['notifications']] : [],
    );
    expect(filters).toEqual([{ toolsListChanged: true, resourceSubscriptions: ['doc://a'] }, { toolsListChanged: true }]);
  });

  test.each([
    {
      status: 404,
      json: { error: { code: -32601, message: 'unknown' } },
      words: 'changes will not be heard of, subscriptions/listen was refused: ',
    },
    { status: 405, json: undefined, words: 'changes will not be heard of, subscriptions/listen was refused: HTTP 405' },
    { status: 503, json: undefined, words: 'subscriptions/listen has ended and will be asked for again: HTTP 503' },
  ])('M2.6 that answers $status to listening is asked again only where that may help', async ({ status, json, words }) => {
    const asked = counter();
    const served = await serve(({ response, message }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(json && JSON.stringify({ jsonrpc: '2.0', id: message.id, ...json }));
      asked.count();
    });
    const link = await linkTo({ url: served.url });
    link.listen({ kind: 'tools' }, () => undefined);
    await asked.reached(1);
    await expect.poll(() => readFile(join(folder.path, 'log'), 'utf8').catch(() => '')).toContain(words);
  });
});
