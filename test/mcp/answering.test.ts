import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { definePlugin, headlessAsker, type Asker, type ChoiceQuestion, type Elicitation, type PluginScope } from 'pegboard';
import { mcp, type McpOptions } from 'pegboard/mcp';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { RawError, RawServer, says, type Handlers, type Incoming } from './raw-server.ts';
import { startServers, type RunningServers } from './start-servers.ts';

let folder: TemporaryFolder;
const opened: RunningServers[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.stop();
  await folder.remove();
});

interface Asking {
  readonly asker?: Partial<Asker>;
  readonly definition?: object;
  readonly options?: McpOptions;
  readonly handlers?: Handlers;
}

/** A server whose tool asks this question in the middle of its call, and what it got for an answer. */
async function asks(method: string, params: object, { asker = {}, definition = {}, options = {}, handlers = {} }: Asking = {}) {
  const server = new RawServer({ 'tools/call': async (_, { ask }) => says(await ask.call(server, method, params)), ...handlers });
  const servers = await startServers(
    { asking: { instance: server, ...definition } },
    {
      folder: folder.path,
      asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }), ...asker },
      builtins: [mcp(options)],
    },
  );
  opened.push(servers);
  const answer = JSON.parse(await servers.call('mcp__asking__act')) as Incoming;
  return { server, servers, answer };
}

const form = (properties: object, required: readonly string[] = []) => ({
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties, required },
});
const name = { type: 'string', minLength: 1 };

describe('a server that asks for values', () => {
  test('MCP-35 gets what the person gave, with defaults where they gave nothing', async () => {
    const questions: Elicitation[] = [];
    const elicit: Asker['elicit'] = async (question) => {
      questions.push(question);
      return { kind: 'accept', content: { name: 'Ada' } };
    };
    const color = { type: 'string', enum: ['red', 'blue'], default: 'blue' };
    const { answer, server } = await asks('elicitation/create', form({ name, color }, ['name']), { asker: { elicit } });
    expect(answer.result).toEqual({ action: 'accept', content: { name: 'Ada', color: 'blue' } });
    expect(questions).toMatchObject([{ server: 'asking', message: 'Who are you?', schema: { required: ['name'] } }]);
    expect(server.heard.find(({ method }) => method === 'initialize')?.params?.['capabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    });
  });

  test.each([
    { who: 'declines', says: { kind: 'decline' as const }, action: 'decline' },
    { who: 'is not there', says: { kind: 'nobody' as const }, action: 'cancel' },
  ])('MCP-35 hears it at once when the person $who', async ({ says: answered, action }) => {
    const { answer } = await asks('elicitation/create', form({ name }), { asker: { elicit: async () => answered } });
    expect(answer.result).toEqual({ action });
  });

  test('MCP-35 gets nothing that does not fit: the person is asked again, told why, and in the end it is cancelled', async () => {
    const messages: string[] = [];
    const elicit: Asker['elicit'] = async ({ message }) => {
      messages.push(message);
      return { kind: 'accept', content: { name: messages.length } };
    };
    const { answer } = await asks('elicitation/create', form({ name }, ['name']), { asker: { elicit } });
    expect(answer.result).toEqual({ action: 'cancel' });
    expect(messages).toHaveLength(3);
    expect(messages[1]).toContain('did not fit');
  });

  test.each([
    { what: 'no schema', params: { message: 'x' } },
    { what: 'an object inside', params: form({ deep: { type: 'object' } }) },
    { what: 'a list of anything', params: form({ list: { type: 'array', items: { type: 'object' } } }) },
  ])('MCP-35 is told that it asked wrongly: $what', async ({ params }) => {
    expect((await asks('elicitation/create', params)).answer.error?.code).toBe(-32602);
  });

  test('MCP-11 does not run out of time while the person thinks', async () => {
    const elicit: Asker['elicit'] = () =>
      new Promise((resolve) => setTimeout(() => resolve({ kind: 'accept', content: { name: 'slow' } }), 600));
    const { answer } = await asks('elicitation/create', form({ name }), { asker: { elicit }, definition: { timeout: 300 } });
    expect(answer.result).toMatchObject({ action: 'accept' });
  });
});

describe('a server that wants an address opened', () => {
  const url = 'https://example.com/login?state=1&next=%2F';

  test.each([
    { answered: { kind: 'answer' as const, text: 'Done' }, action: 'accept' },
    { answered: { kind: 'answer' as const, text: 'No' }, action: 'decline' },
    { answered: { kind: 'declined' as const }, action: 'decline' },
    { answered: { kind: 'nobody' as const }, action: 'cancel' },
  ])('MCP-35 has the person see it whole, and decide: $answered', async ({ answered, action }) => {
    const questions: ChoiceQuestion[] = [];
    const question: Asker['question'] = async (asked) => {
      questions.push(asked);
      return answered;
    };
    const params = { mode: 'url', elicitationId: 'e', url, message: 'Sign in\nServer "bank" asks' };
    const { answer } = await asks('elicitation/create', params, { asker: { question } });
    expect(answer.result).toEqual({ action });
    // The server's words stay on their line, where they cannot pass for ours.
    expect(questions[0]?.text.split('\n')).toEqual([
      'Server "asking" asks you to open this address in your browser:',
      url,
      'It says: Sign in Server "bank" asks',
    ]);
  });

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'nowhere'])('MCP-35 is refused what is no web address: %s', async (odd) => {
    const { answer } = await asks('elicitation/create', { mode: 'url', elicitationId: 'e', url: odd, message: 'x' });
    expect(answer.error?.code).toBe(-32602);
  });
});

describe('a server that cannot go on before the person was somewhere', () => {
  const visit = { elicitationId: 'e', url: 'https://example.com/pay', message: 'Pay first' };
  const error = { code: -32042, message: 'pay first', data: { elicitations: [visit] } };
  const started = async (question: Asker['question']) => {
    let calls = 0;
    const server = new RawServer({ 'tools/call': () => (++calls === 1 ? new RawError(error) : says('paid')) });
    const asker = { ...headlessAsker, permission: async () => ({ kind: 'allow' as const }), question };
    const servers = await startServers({ asking: { instance: server } }, { folder: folder.path, asker });
    opened.push(servers);
    return servers.call('mcp__asking__act');
  };

  test('MCP-35 is asked again once they were there', async () => {
    expect(await started(async () => ({ kind: 'answer', text: 'Done' }))).toBe('paid');
  });

  test('MCP-35 is not when they will not go', async () => {
    expect(await started(async () => ({ kind: 'declined' }))).toContain('pay first (code -32042)');
  });
});

describe('a server that asks for roots', () => {
  test('MCP-47 gets the folders of the host as addresses, and hears of each change once', async () => {
    const odd = join(folder.path, 'a #b ü');
    await mkdir(odd);
    let scope: PluginScope | undefined;
    const adds = definePlugin({ name: 'adds', setup: (given) => void (scope = given) });
    const server = new RawServer({ 'tools/call': async (_, { ask }) => says(await ask.call(server, 'roots/list')) });
    const servers = await startServers(
      { asking: { instance: server } },
      { folder: folder.path, cwd: odd, asker: { ...headlessAsker, permission: async () => ({ kind: 'allow' }) }, plugins: [adds] },
    );
    opened.push(servers);
    const roots = async () => {
      const { result } = JSON.parse(await servers.call('mcp__asking__act')) as { result: { roots: { uri: string; name: string }[] } };
      return result.roots.map(({ uri }) => fileURLToPath(uri));
    };
    expect(await roots()).toEqual([odd]);
    scope?.contribute('mcp.root', [folder.path]);
    expect(await roots()).toEqual([odd, folder.path]);
    scope?.contribute('mcp.root', [folder.path]);
    await roots();
    expect(server.methods.filter((method) => method === 'notifications/roots/list_changed')).toHaveLength(1);
  });
});

describe('a server that asks for a completion', () => {
  const sampler: McpOptions['sampler'] = async ({ server }) => ({
    role: 'assistant',
    content: { type: 'text', text: `for ${server}` },
    model: 'm',
  });

  test.each([
    { why: 'it is not allowed to', definition: {}, options: { sampler } },
    { why: 'no model is configured', definition: { sampling: true }, options: {} },
  ])('MCP-35 is refused because $why, and was told so before', async ({ definition, options }) => {
    const { answer, server } = await asks('sampling/createMessage', { messages: [] }, { definition, options });
    expect(answer.error?.code).toBe(-32601);
    expect(server.heard.find(({ method }) => method === 'initialize')?.params?.['capabilities']).not.toHaveProperty('sampling');
  });

  test('MCP-35 gets one when it may and there is a model', async () => {
    const { answer, server } = await asks(
      'sampling/createMessage',
      { messages: [] },
      { definition: { sampling: true }, options: { sampler } },
    );
    expect(answer.result).toMatchObject({ content: { text: 'for asking' } });
    expect(server.heard.find(({ method }) => method === 'initialize')?.params?.['capabilities']).toHaveProperty('sampling');
  });

  test('MCP-35 hears why it got none', async () => {
    const refuses: McpOptions['sampler'] = () => Promise.reject(new Error('over budget'));
    const { answer } = await asks('sampling/createMessage', {}, { definition: { sampling: true }, options: { sampler: refuses } });
    expect(answer.error).toEqual({ code: -1, message: 'over budget' });
  });
});

describe('a server that speaks unasked', () => {
  test('MCP-35 is told of every method nobody knows here that it is unknown, and answered when it wants a sign of life', async () => {
    expect((await asks('vendor/anything', {})).answer.error?.code).toBe(-32601);
    expect((await asks('ping', {})).answer.result).toEqual({});
  });

  test('M1.7 logs into its own log, from the level its definition names', async () => {
    const capabilities = { tools: {}, logging: {} };
    const { servers, server } = await asks(
      'ping',
      {},
      {
        definition: { logLevel: 'warning' },
        handlers: {
          initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'raw', version: '1' } }),
          'logging/setLevel': () => ({}),
        },
      },
    );
    expect(server.heard.find(({ method }) => method === 'logging/setLevel')?.params).toEqual({ level: 'warning' });
    server.tell('notifications/message', { level: 'error', logger: 'db', data: { why: 'gone\naway' } });
    server.tell('notifications/message', { level: 'info', data: 'plain' });
    await servers.call('mcp__asking__act');
    await servers.host.close();
    const log = await readFile(join(folder.path, 'home', 'logs', 'mcp', 'asking.log'), 'utf8');
    expect(log).toContain('[error db] {"why":"gone\\naway"}');
    expect(log).toContain('[info] plain');
  });

  test('M2.1 is asked for nothing it has not declared', async () => {
    const { server } = await asks('ping', {});
    const known = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call'];
    expect(server.methods.filter((method) => !known.includes(method))).toEqual([]);
  });
});
