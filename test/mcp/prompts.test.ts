import { createMcpHandler } from '@modelcontextprotocol/server';
import { headlessAsker, textOf, type PermissionQuestion, type Session } from 'pegboard';
import { commands, type Commands, type ReadPrompt } from 'pegboard/builtin-plugins';
import { mcp } from 'pegboard/mcp';
import { fakeServer, readRecord, scriptedModel, type StartOptions } from 'pegboard/testing';
import { describe, expect, test, vi } from 'vitest';

import { libraryServer } from '../fixtures/servers/library-server.mjs';
import { RawError, RawServer, type Handlers } from './raw-server.ts';
import type { RunningServers } from './start-servers.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();

/** A host with these servers, and what people type into it. */
interface Typing {
  readonly servers: RunningServers;
  readonly typed: Commands;
  readonly session: Session;
  read(prompt: string): Promise<ReadPrompt>;
  /** What a model is sent, or the sentence that says why nothing is. */
  sent(prompt: string): Promise<string>;
  complete(begun: string): Promise<readonly string[]>;
}

async function typing(
  definitions: Readonly<Record<string, unknown>>,
  options: StartOptions & { readonly wait?: boolean } = {},
): Promise<Typing> {
  const typed = commands();
  const servers = await place.start(definitions, { builtins: [typed.plugin, mcp()], ...options });
  const session = servers.host.session();
  const how = { session, signal: new AbortController().signal };
  const read = (prompt: string) => typed.read(prompt, how);
  const sent = async (prompt: string) => {
    const made = await read(prompt);
    if (made.kind === 'wrong') return made.error.message;
    return made.kind === 'prompt'
      ? textOf([{ type: 'text', text: made.text }, ...made.attached])
      : textOf(made.readings.at(-1)?.outcome.result.content ?? []);
  };
  return { servers, typed, session, read, sent, complete: (begun) => typed.complete(begun, how) };
}

/** The same server in both eras, and the requests it got. */
const eras = [
  {
    era: 'legacy',
    library: () => {
      const heard: { readonly method?: string; readonly params?: Record<string, unknown> }[] = [];
      const server = libraryServer();
      const instance = {
        connect: async (wire: Parameters<typeof server.connect>[0]) => {
          await server.connect(wire);
          const hear = wire.onmessage;
          wire.onmessage = (message, extra) => {
            heard.push(message as (typeof heard)[number]);
            hear?.(message, extra);
          };
        },
      };
      return { definition: { instance }, heard, update: (uri: string) => void server.server.sendResourceUpdated({ uri }) };
    },
  },
  {
    era: 'modern',
    library: () => {
      const heard: { readonly method?: string; readonly params?: Record<string, unknown> }[] = [];
      const handler = createMcpHandler(() => libraryServer());
      const fetch = async (request: Request) => {
        heard.push((await request.clone().json()) as (typeof heard)[number]);
        return handler.fetch(request);
      };
      return {
        definition: { instance: { fetch }, protocol: 'modern' },
        heard,
        update: (uri: string) => handler.notify.resourceUpdated(uri),
      };
    },
  },
] as const;

describe.each(eras)('the prompts of a server of the $era era', ({ library }) => {
  test('MCP-41 are commands with their arguments', async () => {
    const { typed } = await typing({ library: library().definition });
    expect(typed.list().map(({ name, description, arguments: wanted }) => ({ name, description, wanted }))).toEqual([
      { name: 'mcp__library__none', description: '', wanted: [] },
      { name: 'mcp__library__opt_only', description: 'Greets', wanted: [{ name: 'name', description: '', required: false }] },
      {
        name: 'mcp__library__two_req',
        description: 'Compares two books.',
        wanted: [
          { name: 'first', description: 'One book', required: true },
          { name: 'second', description: '', required: true },
        ],
      },
    ]);
  });

  test('MCP-41 are asked for with the words behind the command, and only where those fit', async () => {
    const { definition, heard } = library();
    const { sent } = await typing({ library: definition });
    expect(await sent('/mcp__library__two_req "moby dick" it\'s')).toBe('Compare {"first":"moby dick","second":"it\'s"}');
    expect(await sent('/mcp__library__opt_only')).toBe('Greet {}');
    expect(await sent('/mcp__library__opt_only ""')).toBe('Greet {}');
    expect(await sent('/mcp__library__none')).toContain('Which part?');
    const form = 'Its form is /mcp__library__two_req <first> <second>.';
    expect(await sent('/mcp__library__two_req')).toBe(
      `The prompt /mcp__library__two_req was not asked for: it needs <first> and <second>. ${form}`,
    );
    expect(await sent('/mcp__library__two_req a')).toBe(`The prompt /mcp__library__two_req was not asked for: it needs <second>. ${form}`);
    expect(await sent('/mcp__library__two_req a b c')).toContain('it takes 2 arguments, and 3 words were given');
    expect(await sent('/mcp__library__none more')).toContain('it takes no arguments, and 1 word was given');
    const gets = heard.flatMap(({ method, params }) => (method === 'prompts/get' ? [params?.['arguments']] : []));
    expect(gets).toEqual([{ first: 'moby dick', second: "it's" }, {}, {}, undefined]);
  });

  test('MCP-41 say who says what, show pictures, and what they name is not read for them', async () => {
    const { read } = await typing({ library: library().definition });
    const made = await read('/mcp__library__none');
    expect(made).toMatchObject({
      kind: 'prompt',
      text: 'User:\nRead @library:book:2 to me.\nAssistant:\nWhich part?\nUser:',
      attached: [{ type: 'image', source: { media_type: 'image/png' } }],
      readings: [],
    });
  });

  test('M2.1 are completed, each argument with what stands before it', async () => {
    const { complete } = await typing({ library: library().definition });
    expect(await complete('/mcp__library__t')).toEqual(['/mcp__library__two_req']);
    expect(await complete('/mcp__library__two_req emma mo')).toEqual([
      '/mcp__library__two_req emma moby dick',
      '/mcp__library__two_req emma momo',
    ]);
    expect(await complete('/mcp__library__two_req emma not')).toEqual(['/mcp__library__two_req emma not emma']);
    expect(await complete('/mcp__library__none x')).toEqual([]);
  });
});

describe('prompts that are odd', () => {
  const declares = (capabilities: object) => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } });
  const raw = (handlers: Handlers) =>
    new RawServer({ initialize: () => declares({ tools: {}, prompts: { listChanged: true } }), ...handlers });

  test('M2.5 cost themselves and no other, and a list that fails costs no tool', async () => {
    const odd = raw({
      'prompts/list': () => ({
        prompts: [null, { name: '' }, { name: 'a', arguments: ['x', { name: 1 }] }, { name: 'a' }, { name: 'b c' }],
      }),
    });
    const none = raw({ 'prompts/list': () => new RawError({ code: -32603, message: 'not today' }) });
    const { servers, typed } = await typing({ odd: { instance: odd }, none: { instance: none } });
    expect(typed.list().map(({ name, arguments: wanted }) => [name, wanted])).toEqual([
      ['mcp__odd__a', []],
      ['mcp__odd__b_c', []],
    ]);
    const notes = (server: string) => servers.source(server)?.notes?.map(({ why }) => why);
    expect(notes('odd')).toEqual([
      'prompt #1 was left out: it has no name',
      'prompt #2 was left out: it has no name',
      'prompt "a" was left out: the server lists one of this name before it',
    ]);
    expect(notes('none')).toEqual([expect.stringContaining('not today')]);
    expect(await servers.call('mcp__none__act')).not.toContain('not today');
  });

  test('M2.1 that have changed are commands as they are now', async () => {
    let prompts = [{ name: 'old' }];
    const server = raw({ 'prompts/list': () => ({ prompts }) });
    const { typed } = await typing({ s: { instance: server } });
    prompts = [{ name: 'new' }];
    server.tell('notifications/prompts/list_changed');
    await vi.waitFor(() => expect(typed.list().map(({ name }) => name)).toEqual(['mcp__s__new']));
  });

  test.each([
    ['an error', new RawError({ code: -32602, message: 'no such prompt' }), 'no such prompt'],
    ['no messages', {}, 'its answer has no messages'],
    ['empty messages', { messages: [{ role: 'user', content: { type: 'text', text: '' } }, 7] }, 'its messages are empty'],
  ])('M2.5 that are answered with %s say so, and nothing is sent', async (_what, answer, words) => {
    const { read } = await typing({
      s: { instance: raw({ 'prompts/list': () => ({ prompts: [{ name: 'p' }] }), 'prompts/get': () => answer }) },
    });
    expect(await read('/mcp__s__p')).toMatchObject({ kind: 'wrong', error: { code: 'MCP_CALL', message: expect.stringContaining(words) } });
  });

  test('M8.3 that are too long are kept, and their beginning is sent with a reference', async () => {
    const long = { messages: [{ role: 'user', content: { type: 'text', text: 'word '.repeat(100_000) } }] };
    const { sent, session } = await typing({
      s: { instance: raw({ 'prompts/list': () => ({ prompts: [{ name: 'p' }] }), 'prompts/get': () => long }) },
    });
    const text = await sent('/mcp__s__p');
    expect(text.length).toBeLessThan(3_000);
    expect(await session.results.read(/pegboard:\/\/result\/[\w-]+/.exec(text)?.[0] ?? '')).toHaveLength(500_000);
  });
});

describe('prompts of an earlier start', () => {
  test('M2.1 are commands without starting anything, until one is typed', async () => {
    const prompts = [{ name: 'hello', arguments: [{ name: 'who', required: true }] }];
    const server = fakeServer({ tools: [{ name: 'act' }], prompts, record: place.record });
    const starts = async () => (await readRecord(place.record)).filter(({ kind }) => kind === 'start').length;
    await (await typing({ s: server })).servers.host.close();
    const { typed, sent } = await typing({ s: server }, { wait: false });
    expect(typed.list().map(({ name }) => name)).toEqual(['mcp__s__hello']);
    expect(await sent('/mcp__s__hello')).toContain('it needs <who>');
    expect(await starts()).toBe(1);
    expect(await sent('/mcp__s__hello you')).toBe('hello {"who":"you"}');
    expect(await starts()).toBe(2);
  });
});

describe('a prompt that begins with a slash', () => {
  test('M2.5 names the nearest command where a server has no such prompt', async () => {
    const { read } = await typing({ library: eras[0].library().definition });
    expect(await read('/mcp__library__two_reqs a b')).toMatchObject({
      kind: 'wrong',
      error: { code: 'COMMAND_UNKNOWN', message: expect.stringContaining('the nearest one is /mcp__library__two_req') },
    });
  });

  test.each(['/tmp is full, what now?', '/etc/hosts has a line too many', '/ is a slash', 'what does /mcp__library__nothing do?'])(
    'M10.1 and is no command goes to the model as it is: %s',
    async (prompt) => {
      const { read } = await typing({ library: eras[0].library().definition });
      expect(await read(prompt)).toEqual({ kind: 'prompt', text: prompt, attached: [], readings: [] });
    },
  );

  test('M2.3 is refused for a server that a rule hides', async () => {
    const { read, complete, typed, session } = await typing(
      { library: eras[0].library().definition },
      { rules: { deny: ['mcp__library'] } },
    );
    expect([typed.list().length > 0, typed.list(session.pool()), await complete('/mcp__lib')]).toEqual([true, [], []]);
    expect(await read('/mcp__library__none')).toMatchObject({ kind: 'wrong', error: { code: 'MCP_HIDDEN' } });
    expect(await complete('/mcp__library__two_req a mo')).toEqual([]);
  });
});

describe.each(eras)('what a prompt names with @ of a server of the $era era', ({ library }) => {
  test('M10.1 is read and goes into the first message', async () => {
    const { session, read } = await typing({ library: library().definition });
    const made = await read('Compare @library:book:1 with (@library:book:2).');
    if (made.kind !== 'prompt') throw new Error(made.kind);
    const model = scriptedModel([{ text: 'Done.' }]);
    for await (const event of session.run(made.text, { model, attached: made.attached })) void event;
    expect(model.requests[0]?.messages[0]?.content.slice(0, 5)).toEqual([
      { type: 'text', text: 'Compare @library:book:1 with (@library:book:2).' },
      { type: 'text', text: '@library:book:1:' },
      { type: 'text', text: 'Once upon a time.' },
      { type: 'text', text: '@library:book:2:' },
      { type: 'text', text: 'The end.' },
    ]);
    expect(made.readings.map(({ tool, input }) => [tool, input])).toEqual([
      ['ReadMcpResource', { server: 'library', uri: 'book:1' }],
      ['ReadMcpResource', { server: 'library', uri: 'book:2' }],
    ]);
  });

  test('M2.1 is completed: servers, their resources, and templates with what stands before', async () => {
    const { complete } = await typing({ library: library().definition, plain: fakeServer({ tools: 1 }) });
    expect(await complete('read @li')).toEqual(['read @library:']);
    expect(await complete('read @library:book:')).toEqual(['read @library:book:1', 'read @library:book:2']);
    expect(await complete('read @library:shelf://at')).toEqual(['read @library:shelf://attic']);
    expect(await complete('read @library:shelf://attic/')).toEqual(['read @library:shelf://attic/top of attic']);
    expect(await complete('mail somebody@li')).toEqual([]);
  });

  test('M2.6 is watched once it was read: the list and the notes of its server say that it has changed', async () => {
    const { definition, heard, update } = library();
    const { servers, sent } = await typing({ library: definition });
    await sent('@library:book:1');
    await vi.waitFor(() =>
      expect(
        heard.some(
          ({ method, params }) =>
            method === 'resources/subscribe' || (params?.['notifications'] !== undefined && JSON.stringify(params).includes('book:1')),
        ),
      ).toBe(true),
    );
    const notes = () => servers.source('library')?.notes?.map(({ why }) => why) ?? [];
    await vi.waitFor(() => {
      update('book:1');
      expect(notes()).toEqual(['resource book:1 may have changed since it was read']);
    });
    const lines = (await servers.call('ListMcpResources')).split('\n');
    expect(lines.filter((line) => line.includes('"changedSinceRead":true'))).toEqual([expect.stringContaining('book:1')]);
    await sent('@library:book:1');
    expect(notes()).toEqual([]);
  });
});

describe('what a prompt names with @', () => {
  test('M2.5 says which servers there are where it names another, and what the server says of an address it does not know', async () => {
    const { sent, read } = await typing({ library: eras[0].library().definition });
    expect(await sent('@libary:book://1')).toBe('There is no server "libary". Known servers: library.');
    expect(await read('@library:book:9')).toMatchObject({
      kind: 'unread',
      readings: [{ word: 'library:book:9', outcome: { kind: 'done', result: { isError: true } } }],
    });
    expect(await sent('@library:book:9')).toContain('book:9');
  });

  test.each(['mail me@library:8080', 'ask @somebody: now', '`@library:book:1`', 'see @library', 'at @team:note, please'])(
    'M10.1 and is nothing of a server goes to the model as it is: %s',
    async (prompt) => {
      const { read } = await typing({ library: eras[0].library().definition });
      expect(await read(prompt)).toMatchObject({ kind: 'prompt', text: prompt, readings: [] });
    },
  );

  test('M4.1 is read by a call that rules and people decide about', async () => {
    const refused = await typing({ library: eras[0].library().definition }, { rules: { deny: ['ReadMcpResource'] } });
    expect(await refused.read('@library:book:1')).toMatchObject({ kind: 'unread' });
    const asked: PermissionQuestion[] = [];
    const permission = async (question: PermissionQuestion) => (asked.push(question), { kind: 'allow' as const });
    const { sent } = await typing({ library: eras[0].library().definition }, { asker: { ...headlessAsker, permission } });
    expect(await sent('@library:book:1')).toContain('Once upon a time.');
    expect(asked).toMatchObject([{ tool: 'ReadMcpResource', input: { server: 'library', uri: 'book:1' } }]);
  });

  test('M2.3 is not read from a server that a rule hides', async () => {
    const { read } = await typing(
      { library: eras[0].library().definition },
      { rules: { deny: ['mcp__library'], allow: ['ReadMcpResource'] } },
    );
    expect(await read('@library:book:1')).toMatchObject({ kind: 'unread', readings: [{ outcome: { kind: 'refused' } }] });
  });

  test('M8.3 is bounded: a long one is kept and its beginning sent, and too many are not read', async () => {
    const long = fakeServer({
      tools: [],
      resources: [{ uri: 'long:1', name: 'Long' }],
      contents: [{ uri: 'long:1', text: 'word '.repeat(100_000) }],
    });
    const { sent, read } = await typing({ long });
    expect((await sent('@long:long:1')).length).toBeLessThan(3_000);
    const many = Array.from({ length: 21 }, (_, at) => `@long:many:${at}`).join(' ');
    expect(await read(many)).toMatchObject({ kind: 'wrong', error: { code: 'MENTIONS_MANY' } });
  });

  test('M2.1 may be a server whose name has colons or white space', async () => {
    const named = fakeServer({ tools: [], resources: [], contents: [{ uri: 'a:1', text: 'found' }] });
    const { sent } = await typing({ 'plugin:x:y': named, 'two words': named });
    expect(await sent('@plugin:x:y:a:1')).toContain('found');
    expect(await sent('@two_words:a:1')).toContain('found');
  });
});
