import { Registry, ToolIndex, createHost, definePlugin, type SearchEvidence } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf } from '../support/fake-tools.ts';

function boardWith(evidence: readonly SearchEvidence[], report: (name: string, cause: unknown) => void = () => undefined) {
  const registry = new Registry();
  registry.replace('office', [
    fakeTool('send_letter', { description: 'Posts a letter to somebody.' }),
    fakeTool('print_letter', { description: 'Prints a letter on paper.' }),
    fakeTool('water_plants', { description: 'Waters what grows here.' }),
  ]);
  return poolOf(registry, {}, new ToolIndex({ aids: () => ({ evidence, rerankers: [] }), report }));
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
