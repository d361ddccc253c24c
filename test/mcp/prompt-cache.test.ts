import { createHash, randomInt } from 'node:crypto';
import { onTestFinished, expect, test } from 'vitest';

import type { ModelRequest } from 'pegboard';

import { fakeServer } from '../support/fake-server.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { there } from '../support/there.ts';
import { startServers } from './start-servers.ts';

const callOf = (name: string) => ({ calls: [{ name: `mcp__s__${name}`, input: { street: 'Long' } }] });
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
const hashes = (requests: readonly ModelRequest[], of: (request: ModelRequest) => unknown) =>
  new Set(requests.map((each) => hashOf(of(each))));

/** A tool whose definition says the same, with its members in another order each time. */
function shuffled(name: string, turn: number): object {
  const properties = Object.fromEntries(
    rotated(['street', 'house', 'floor', 'door'], turn).map((key) => [key, inOrder({ type: 'string', description: `The ${key}.` }, turn)]),
  );
  return inOrder(
    { name, description: `Does ${name}.`, inputSchema: inOrder({ type: 'object', properties, required: ['street'] }, turn) },
    turn,
  );
}
const rotated = <Value>(values: readonly Value[], by: number) => values.map((_each, at) => values[(at + by) % values.length] as Value);
const inOrder = (value: object, turn: number) => Object.fromEntries(rotated(Object.entries(value), turn));

test('CACHE-02 two server processes that answer sooner or later, started twenty times: the tools that are sent are the same bytes', async () => {
  const requests: ModelRequest[] = [];
  for (let start = 0; start < 20; start++) {
    const server = () => fakeServer({ tools: 6, delayMs: randomInt(51), instructions: 'Ask for what you need.' });
    const started = await startServers({ near: server(), far: server() }, { deferral: { mode: 'never' } });
    const model = scriptedModel([{ text: 'Yes.' }]);
    for await (const event of started.host.session().run('Go.', { model, system: 'Be brief.' })) void event;
    requests.push(there(model.requests[0]));
    await started.stop();
  }
  expect(there(requests[0]).tools.filter(({ name }) => name.startsWith('mcp__'))).toHaveLength(12);
  expect(hashes(requests, ({ tools }) => tools).size).toBe(1);
  expect(hashes(requests, ({ messages }) => messages).size).toBe(1);
}, 120_000);

test('CACHE-09 a server that lists its tools anew, in another order and with the members of each in another order, has redefined nothing: also a new epoch sends the same bytes', async () => {
  const names = ['alpha', 'beta', 'gamma'];
  const listed = (turn: number) => rotated(names, turn).map((name) => shuffled(name, turn));
  // A further tool shows that the list was read again.
  const relists = (turn: number) => [{ kind: 'tools', tools: [...listed(turn), { name: `late_${turn}` }] } as const];
  const scripts = { alpha: relists(1), beta: relists(2) };
  const started = await startServers({ s: fakeServer({ tools: listed(0), scripts }) }, { deferral: { mode: 'never' } });
  onTestFinished(() => started.stop());
  const session = started.host.session();
  const model = scriptedModel([callOf('alpha'), { text: 'Yes.' }, callOf('beta'), { text: 'Yes.' }, { text: 'Anew.' }]);
  const turn = async () => {
    for await (const event of session.run('Go on.', { model, system: 'Be brief.' })) void event;
  };
  for (const relisted of [1, 2]) {
    await turn();
    await started.until((pool) => pool.get(`mcp__s__late_${relisted}`) !== undefined);
  }
  await session.replace([]);
  await turn();
  const known = new Set(names.map((name) => `mcp__s__${name}`));
  const [first, last] = [there(model.requests[0]), there(model.requests.at(-1))];
  expect(last.tools.length).toBe(first.tools.length + 1);
  expect(first.tools.filter(({ name }) => known.has(name))).toHaveLength(3);
  expect(hashes(model.requests, ({ tools }) => tools.filter(({ name }) => known.has(name))).size).toBe(1);
  expect(started.events.filter(({ kind }) => kind === 'redefined')).toEqual([]);
});
