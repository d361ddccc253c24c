import { createHash } from 'node:crypto';
import { onTestFinished, test, expect } from 'vitest';

import { definePlugin, type ModelRequest, type PluginScope, type Tool } from 'pegboard';

import { fakeTool, serverTool } from '../support/fake-tools.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { startHost } from '../support/start-host.ts';

/** A session with two built-ins and whatever servers are put up between its turns; gives what each turn sent. */
async function talk(turns: readonly ((put: (server: string, tools: readonly Tool[] | undefined) => void) => void)[]) {
  let scope: PluginScope | undefined;
  const servers = definePlugin({ name: 'servers', setup: (given) => void (scope = given) });
  const builtins = [definePlugin({ name: 'own', tools: [fakeTool('Look'), fakeTool('Act')] })];
  const started = await startHost({ builtins, plugins: [servers], deferral: { mode: 'never' } });
  onTestFinished(() => started.stop());
  const put = (server: string, tools: readonly Tool[] | undefined) =>
    scope?.provideFrom(`mcp__${server}`, tools && { tools, namespace: `mcp__${server}__` });
  const session = started.host.session();
  const model = scriptedModel(turns.map(() => ({ text: 'Yes.' })));
  for (const turn of turns) {
    turn(put);
    for await (const event of session.run('Go on.', { model, system: 'Be brief.' })) void event;
  }
  return model.requests;
}

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const toolsOf = (requests: readonly ModelRequest[]) => new Set(requests.map(({ tools }) => hashOf(tools)));
const a = () => [serverTool('a', 'one'), serverTool('a', 'two')];
const b = () => [serverTool('b', 'one')];
/** Nobody may edit what was sent. */
function expectGrowing(requests: readonly ModelRequest[]): void {
  for (const [at, { messages }] of requests.entries())
    if (at > 0) expect(messages.slice(0, requests[at - 1]?.messages.length)).toEqual(requests[at - 1]?.messages);
}

test('CACHE-01 a server that goes for a turn and comes back changes nothing before the newest message', async () => {
  const requests = await talk([(put) => (put('a', a()), put('b', b())), (put) => put('b', undefined), (put) => put('b', b())]);
  expect(toolsOf(requests).size).toBe(1);
  expect(new Set(requests.map(({ system }) => system)).size).toBe(1);
  expectGrowing(requests);
});

test('CACHE-02 the order in which servers answer does not show in what is sent', async () => {
  const forth = await talk([(put) => (put('a', a()), put('b', b()))]);
  const back = await talk([(put) => (put('b', b()), put('a', [...a()].reverse()))]);
  expect(hashOf(forth[0]?.tools)).toBe(hashOf(back[0]?.tools));
});

/** The same tools in another order, and with the members of their schemas in another order. */
const shuffled = (tools: readonly Tool[], by: number) =>
  tools.map((_each, at) => {
    const tool = tools[(at + by) % tools.length] as Tool;
    const members = Object.entries(tool.inputSchema);
    const turned = [...members.slice(by % members.length), ...members.slice(0, by % members.length)];
    return { ...tool, inputSchema: Object.fromEntries(turned) as Tool['inputSchema'] };
  });

test('CACHE-09 a server that lists its tools and the members of their schemas in another order each turn sends the same bytes', async () => {
  const turns = Array.from(
    { length: 10 },
    (_, at) => (put: (server: string, tools: readonly Tool[]) => void) => put('a', shuffled(a(), at)),
  );
  const requests = await talk(turns);
  expect(toolsOf(requests).size).toBe(1);
  expectGrowing(requests);
});

test('M3.4 an announcement takes no more than the settings say', async () => {
  const many = definePlugin({
    name: 'many',
    tools: Array.from({ length: 60 }, (_, at) => fakeTool(`Later${at}`, { shouldDefer: true, searchHint: 'does it later' })),
  });
  const told = async (announcementBytes?: number) => {
    const { host, stop } = await startHost({ plugins: [many], deferral: { mode: 'always', announcementBytes } });
    onTestFinished(stop);
    const model = scriptedModel([{ text: 'Yes.' }]);
    for await (const event of host.session().run('Go on.', { model })) void event;
    return Buffer.byteLength(JSON.stringify(model.requests[0]?.messages));
  };
  const [usual, little] = [await told(), await told(1_024)];
  expect(usual).toBeGreaterThan(1_500);
  expect(little).toBeLessThan(1_200);
});

test('CACHE-10 connecting anew with the same tools tells the model nothing', async () => {
  const turns = Array.from({ length: 6 }, () => (put: (server: string, tools: readonly Tool[]) => void) => put('a', a()));
  const requests = await talk(turns);
  expect(toolsOf(requests).size).toBe(1);
  for (const [at, { messages }] of requests.entries())
    expect(messages.at(-1)?.content).toHaveLength(at === 0 ? (messages.at(-1)?.content.length ?? 0) : 1);
});
