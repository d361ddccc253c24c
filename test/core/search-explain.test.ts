import { Registry } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf, putServer, serverTool } from '../support/fake-tools.ts';

test('M3.3 an explanation names the words, where they were met and what they count, and its numbers add up to the score', async () => {
  const registry = new Registry();
  registry.replace('disk', [fakeTool('Read', { description: 'Reads a file of the local disk.' })], { builtin: true });
  putServer(registry, 'github', [serverTool('github', 'list_issues', { description: 'Lists the issues of a repository.' })]);
  const pool = poolOf(registry);
  for (const query of ['issues of a repository', 'list_issues', 'read files']) {
    const { matches } = await pool.search(query, { explain: true });
    expect(matches.length).toBeGreaterThan(0);
    for (const { explanation, score } of matches) {
      const parts = explanation?.terms.flatMap(({ fields }) => Object.values(fields)) ?? [];
      const sum = [...parts, ...Object.values(explanation?.signals ?? {})].reduce((all, part) => all + part, 0);
      expect(sum).toBeCloseTo(score, 3);
      expect(explanation?.score).toBe(score);
      expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
    }
  }
  const best = (await pool.search('repositories', { explain: true })).matches[0];
  expect(best?.explanation?.terms).toMatchObject([{ asked: 'repositories', fields: { lead: expect.any(Number) } }]);
  expect((await pool.search('issues')).matches[0]).not.toHaveProperty('explanation');
});
