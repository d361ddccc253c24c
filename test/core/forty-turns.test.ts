import { expect, onTestFinished, test } from 'vitest';
import { definePlugin, revealed, type PluginScope, type RunEvent, type Session, type Strategy } from 'pegboard';
import { scriptedModel, startHost, type ScriptedModel, type ScriptedTurn } from 'pegboard/testing';

import { expectSound } from './play.ts';
import { probeTool } from './probe-tool.ts';
import { serverTool } from '../support/fake-tools.ts';

const SAFE = { isConcurrencySafe: () => true, isReadOnly: () => true } as const;
const TURNS = 40;

const running = probeTool('Wait', { ...SAFE, interruptBehavior: () => 'cancel' }, async (_input, { signal, report }) => {
  report('running');
  return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
});
const holds = probeTool('Hold', SAFE, async (_input, { report }) => {
  report('running');
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return 'held';
});
const spills = probeTool('Spill', SAFE, ({ count = 0 }) => `${count} `.repeat(30_000));
const reveals = probeTool('Reveal', SAFE, ({ text = '' }, { state }) => {
  state(revealed).add(text);
  return `${text} can be called now`;
});

/** Servers that come late, announce changes all the time, and go for a while. */
function servers() {
  let scope: PluginScope | undefined;
  const put = (server: string, count: number, round: number) =>
    scope?.provideFrom(server, {
      tools: Array.from({ length: count }, (_, i) => serverTool(server, `tool_${(i * 7 + round) % count}`)),
      namespace: `mcp__${server}__`,
      status: { kind: count === 0 ? 'connecting' : 'ready' },
    });
  return {
    plugin: definePlugin({ name: 'servers', setup: (given) => void (scope = given) }),
    /** What happens between two turns. */
    stir: (turn: number) => {
      for (let again = 0; again < 5; again++) put('early', 12, turn + again);
      if (turn >= 10) put('late', turn % 9 === 0 ? 0 : 20, turn);
      if (turn === 20) scope?.provideFrom('early', undefined);
    },
  };
}

/** What the model does at each turn: searches, long results, calls at once, and calls that are stopped. */
function script(stir: (turn: number) => void): readonly ScriptedTurn[] {
  return Array.from({ length: TURNS * 2 }, (_, turn) => () => {
    stir(turn);
    if (turn % 10 === 3) return { calls: [{ name: 'Reveal', input: { text: `mcp__early__tool_${turn % 12}` } }] };
    if (turn % 10 === 6)
      return {
        calls: [
          { name: 'Spill', input: { count: turn } },
          { name: 'Spill', input: { count: turn } },
        ],
      };
    if (turn % 10 === 8) return { calls: [{ name: 'Hold' }, { name: 'Wait' }] };
    if (turn % 10 === 9) return { calls: [{ name: 'Wait' }] };
    return { text: `turn ${turn}`, calls: [{ name: 'Hold' }] };
  });
}

/** Forty turns in as many runs as the stops make of them: three hard stops, three messages that end a query, three that wait. */
async function play(strategy: Strategy) {
  const { plugin, stir } = servers();
  const tools = [running, holds, spills, reveals, probeTool('CallIt', { provides: ['tool-call'] })];
  const { host, stop } = await startHost({
    builtins: [definePlugin({ name: 'own', tools })],
    plugins: [plugin],
    rules: { allow: tools.map(({ name }) => name) },
  });
  onTestFinished(stop);
  const session = host.session();
  const model = scriptedModel(script(stir), { strategy });
  const events: RunEvent[] = [];
  const done = { interrupt: 0, supersede: 0, wait: 0 };
  let alone = false;
  while (model.requests.length < TURNS) {
    for await (const event of session.run(`go on from ${model.requests.length}`, { model, maxTurns: TURNS - model.requests.length })) {
      events.push(event);
      if (event.kind === 'receipt') alone = true;
      if (event.kind === 'tool_use' && event.call.tool === 'Hold') alone = false;
      if (event.kind === 'progress') stopOne(session, event.call.tool, alone, done);
    }
  }
  return { session, model, events, done };
}

function stopOne(session: Session, tool: string, alone: boolean, done: Record<'interrupt' | 'supersede' | 'wait', number>): void {
  if (tool === 'Hold' && done.wait < 3) {
    done.wait++;
    session.submit(`waiting ${done.wait}`);
  } else if (tool === 'Wait' && alone) {
    done.supersede++;
    session.submit(`instead ${done.supersede}`);
  } else if (tool === 'Wait') {
    done.interrupt++;
    session.interrupt();
  }
}

const bytes = (value: unknown) => JSON.stringify(value);

/** Every request begins with the system prompt and all messages of the one before, to the byte. */
function expectSameMessages({ requests }: ScriptedModel): void {
  for (const [at, { system, messages }] of requests.entries()) {
    const before = requests[at - 1];
    if (before === undefined) continue;
    expect(system).toBe(before.system);
    expect(messages.slice(0, before.messages.length).map(bytes)).toEqual(before.messages.map(bytes));
  }
}

test.each<Strategy>(['call', 'reference', 'append'])(
  'M8.3 M7.3 forty turns with late servers, storms of changes, reveals, spills and nine stops keep every byte that was sent: %s',
  async (strategy) => {
    const { model, events, done } = await play(strategy);
    expect(model.requests.length).toBeGreaterThanOrEqual(TURNS);
    expect([done.interrupt >= 3, done.supersede >= 3, done.wait]).toEqual([true, true, 3]);
    expectSound(model);
    expectSameMessages(model);
    const last = bytes(model.requests.at(-1)?.messages);
    expect(last.match(/kept as pegboard:/g)?.length).toBeGreaterThanOrEqual(6);
    for (const said of ['can be called now', 'mcp__late__', 'has interrupted', 'waiting 3', 'instead 3']) expect(last).toContain(said);
    const loaded = model.requests.map(({ tools }) => bytes(tools.filter(({ name }) => !name.startsWith('mcp__'))));
    expect(new Set(loaded).size).toBe(1);
    for (const [at, { tools }] of model.requests.entries()) {
      const before = model.requests[at - 1]?.tools ?? [];
      expect(tools.slice(0, before.length).map(bytes)).toEqual(before.map(bytes));
    }
    const receipts = events.filter((event) => event.kind === 'receipt');
    const changes = receipts.flatMap((receipt) => receipt.changes);
    expect(changes.filter(({ kind }) => kind !== 'added')).toEqual([]);
    if (strategy === 'call') expect(new Set(model.requests.map(({ tools }) => bytes(tools))).size).toBe(1);
    if (strategy !== 'append') expect(receipts.every(({ readAgain }) => readAgain === 0)).toBe(true);
    else expect(changes.map(({ segment }) => segment).every((segment) => segment.startsWith('tool mcp__early__'))).toBe(true);
    if (strategy !== 'call') expect(changes.length).toBeGreaterThanOrEqual(2);
  },
);
