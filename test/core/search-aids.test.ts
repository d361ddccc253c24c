import { Registry, ToolIndex, createHost, definePlugin, type Reranker, type SearchEvidence } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf } from '../support/fake-tools.ts';

function boardWith(
  evidence: readonly SearchEvidence[],
  report: (name: string, cause: unknown) => void = () => undefined,
  rerankers: readonly Reranker[] = [],
) {
  const registry = new Registry();
  registry.replace('office', [
    fakeTool('send_letter', { description: 'Posts a letter to somebody.' }),
    fakeTool('print_letter', { description: 'Prints a letter on paper.' }),
    fakeTool('water_plants', { description: 'Waters what grows here.' }),
  ]);
  return poolOf(registry, {}, new ToolIndex({ aids: () => ({ evidence, rerankers }), report }));
}

const learned = (name: string, share: number): SearchEvidence => ({
  name: 'use',
  evidence: (terms) => new Map(terms.includes('letter') ? [[name, share]] : []),
});

test('M3.3 what was learned raises a tool, even one whose text says nothing of it, but never above a name that was given', async () => {
  const names = async (pool: ReturnType<typeof boardWith>, query: string) =>
    (await pool.search(query)).matches.map(({ place }) => place.tool.name);
  expect((await names(boardWith([]), 'letter')).length).toBe(2);
  expect((await names(boardWith([learned('send_letter', 1)]), 'letter'))[0]).toBe('send_letter');
  expect((await names(boardWith([learned('print_letter', 1)]), 'letter'))[0]).toBe('print_letter');
  expect(await names(boardWith([learned('water_plants', 1)]), 'letter')).toContain('water_plants');
  expect((await names(boardWith([learned('print_letter', 1_000)]), 'send letter'))[0]).toBe('send_letter');
  expect(await names(boardWith([learned('nobody', 1), learned('Send_Letter', Number.NaN)]), 'paper')).toEqual(['print_letter']);
});

test('M3.3 who measures can leave out what was learned', async () => {
  const { matches } = await boardWith([learned('water_plants', 1)]).search('letter', { learned: false });
  expect(matches.map(({ place }) => place.tool.name)).toEqual(['send_letter', 'print_letter']);
});

test('M3.3 an answer says by which terms it was asked for, and an explanation what learning added', async () => {
  const { terms, matches } = await boardWith([learned('print_letter', 0.5)]).search('letters on paper', { explain: true });
  expect(terms).toEqual(['letter', 'paper']);
  expect(matches[0]?.explanation?.signals).toMatchObject({ learned: 0.25 });
});

test('M3.3 evidence that fails is reported and the search goes on', async () => {
  const reports: string[] = [];
  const broken: SearchEvidence = { name: 'broken', evidence: () => 42 as never };
  const throwing: SearchEvidence = {
    name: 'throwing',
    evidence: () => {
      throw new Error('no');
    },
  };
  const pool = boardWith([throwing, broken, learned('print_letter', 1)], (name) => reports.push(name));
  expect((await pool.search('letter')).matches[0]?.place.tool.name).toBe('print_letter');
  expect(reports).toEqual(['throwing', 'broken']);
});

test('M3.3 plugins offer evidence to the host at a point', async () => {
  const tools = [fakeTool('send_letter'), fakeTool('print_letter')];
  const use = definePlugin({ name: 'use', tools, contributes: { 'search.evidence': [learned('send_letter', 1)] } });
  const host = await createHost({ plugins: [use] });
  expect((await host.search('letter')).matches[0]?.place.tool.name).toBe('send_letter');
  await host.close();
});

const judging = (name: string, judge: (name: string) => number): Reranker => ({
  name,
  rerank: async (_query, candidates) => candidates.map((candidate) => judge(candidate.name)),
});

test('M3.3 a reranker orders what was found, but leaves names that were given first; the numbers still add up', async () => {
  const last = judging('last', (name) => (name === 'print_letter' ? 0.9 : 0.1));
  const pool = boardWith([], undefined, [last]);
  const { matches } = await pool.search('post a letter', { explain: true });
  expect(matches.map(({ place }) => place.tool.name)).toEqual(['print_letter', 'send_letter']);
  expect(matches[0]?.explanation?.signals['reranked']).toBeCloseTo(2.7);
  expect(matches[0]?.explanation?.score).toBe(matches[0]?.score);
  expect((await pool.search('send letter')).matches[0]?.place.tool.name).toBe('send_letter');
  expect((await pool.search('nothing of the kind')).matches).toEqual([]);
});

test('M3.3 a reranker that fails, answers nonsense or is late is reported, told to stop, and changes nothing', async () => {
  const reports: string[] = [];
  let stopped = false;
  const broken: readonly Reranker[] = [
    { name: 'failing', rerank: () => Promise.reject(new Error('no model')) },
    { name: 'short', rerank: async () => [1] },
    judging('nonsense', () => Number.NaN),
    {
      name: 'late',
      rerank: (_query, _candidates, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (stopped = true));
        }),
    },
  ];
  const pool = boardWith([], (name, cause) => reports.push(`${name}: ${String(cause)}`), broken);
  const { matches } = await pool.search('post a letter');
  expect(matches.map(({ place }) => place.tool.name)).toEqual(['send_letter', 'print_letter']);
  expect(reports.map((report) => report.split(':')[0])).toEqual(['failing', 'short', 'nonsense', 'late']);
  expect(reports[3]).toContain('1000 ms');
  expect(stopped).toBe(true);
});
