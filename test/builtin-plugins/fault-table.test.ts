import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const tests = ['anthropic', 'odd-endpoints', 'kept-answers', 'compaction']
  .map((name) => read(`test/builtin-plugins/${name}.test.ts`))
  .join('\n');
const [, section = ''] = read('docs/models.md').split('## When a request fails');
const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| (?!what|-)/.test(line));

test('every row of the fault table names a test that is there', () => {
  expect(rows.length).toBeGreaterThanOrEqual(13);
  for (const row of rows) {
    const named = [...(row.split(' | ').at(-1) ?? '').matchAll(/"([^"]+?)(?: …)?"/g)].map(([, title = '']) => title);
    expect({ row, named: named.length > 0, missing: named.filter((title) => !tests.includes(title)) }).toEqual({
      row,
      named: true,
      missing: [],
    });
  }
});
