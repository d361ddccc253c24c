import { expect, test } from 'vitest';

import { itemsInTitles, readContract } from './contract-items.ts';
import { readRepositoryFile, sourceFiles } from './repository.ts';

/** How many items are not yet due. It may only shrink: lower it when a test has come for an item, and take the item off the list. */
const NOT_YET_DUE = 9;

const contract = readContract(readRepositoryFile('docs/contract.md'));
const tested = itemsInTitles(sourceFiles());

test('the list of what is not yet due only shrinks', () => {
  expect(contract.notYetDue).toHaveLength(NOT_YET_DUE);
});

test('every item stands there once, in order, with words', () => {
  const ids = contract.items.map(({ id }) => id);
  const inOrder = [...ids].sort((a, b) => number(a) - number(b));
  expect(ids).toEqual(inOrder);
  expect(new Set(ids).size).toBe(ids.length);
  expect(contract.notYetDue.filter((id) => !ids.includes(id))).toEqual([]);
});

test('every item that is due has a test that names it', () => {
  const due = contract.items.filter(({ id }) => !contract.notYetDue.includes(id));
  expect(due.filter(({ id }) => !tested.has(id)).map(({ id, text }) => `${id} ${text}: no test has it in its title.`)).toEqual([]);
});

test('tests name only items that exist', () => {
  const ids = contract.items.map(({ id }) => id);
  expect([...tested].filter((id) => !ids.includes(id))).toEqual([]);
});

test('an item is found in a title and nowhere else', () => {
  const text = [
    '// M1.1 in a comment',
    "const about = 'M1.2';",
    "test('M1.3 a sentence', () => undefined);",
    "test.each([['M1.4']])('M1.5 and M1.6 %s', f);",
  ].join('\n');
  expect([...itemsInTitles([{ path: 'test/core/a.test.ts', text }])]).toEqual(['M1.3', 'M1.5', 'M1.6']);
  expect([...itemsInTitles([{ path: 'core/a.ts', text }])]).toEqual([]);
  expect(readContract('- **M1.1** One.\n- **M1.2** Two.\n\n## Not yet due\n\nWords.\n\nM1.2 · M1.3\n')).toEqual({
    items: [
      { id: 'M1.1', text: 'One.' },
      { id: 'M1.2', text: 'Two.' },
    ],
    notYetDue: ['M1.2', 'M1.3'],
  });
});

function number(id: string): number {
  const [chapter = 0, item = 0] = id.slice(1).split('.').map(Number);
  return chapter * 100 + item;
}
