import { expect, test } from 'vitest';
import type { Strategy } from 'pegboard';
import { scriptedModel, type ScriptedModel } from 'pegboard/testing';

import { expectSound } from './play.ts';
import { playStirred, stirredHost, stirredTurn, TURNS } from './stirred-turns.ts';

/** Forty stirred turns of a scripted model. */
async function play(strategy: Strategy) {
  const { host, stir } = await stirredHost();
  const turns = Array.from({ length: TURNS * 2 }, (_, turn) => () => {
    stir(turn);
    return stirredTurn(turn, (text) => ({ name: 'Reveal', input: { text } }));
  });
  const model = scriptedModel(turns, { strategy });
  return { model, ...(await playStirred(host.session(), model, () => model.requests.length)) };
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
