import { describe, expect, test } from 'vitest';
import { readFrontmatter } from 'pegboard/kit';

const fenced = (yaml: string, body = 'body') => readFrontmatter(`---\n${yaml}\n---\n${body}`);

describe('frontmatter', () => {
  test('what is YAML is read as it is, and the body stands behind it', async () => {
    const read = await fenced('name: a\ntags: [x, y]\nabout: >\n  two\n  lines', 'text\n');
    expect(read).toEqual({ fields: { name: 'a', tags: ['x', 'y'], about: 'two lines\n' }, body: 'text\n', state: 'whole' });
  });

  test.each([
    ['a colon in a value', 'description: Use when: it rains', 'Use when: it rains'],
    ['a value over two lines', 'description: Use when: it rains\n  and snows: too', 'Use when: it rains and snows: too'],
    ['a star', 'description: *bold* words', '*bold* words'],
    ['an at sign', 'description: @who knows', '@who knows'],
    ['an open bracket', 'description: [open words', '[open words'],
    ['a tab before a key below', 'description: d\nmetadata:\n\tk: v', 'd'],
    ['tags at the margin', 'description: Use it: so\n<example>\nuser: "hi"\n</example>\nmodel: x', 'Use it: so <example>'],
    [
      'a plain value with tags at the margin behind it',
      'description: Use it.\n\n<example>\nuser: "hi"\n</example>\nmodel: x',
      'Use it.\n<example>',
    ],
  ])('EXT-12 %s is mended by one repair, and said', async (_, yaml, description) => {
    const read = await fenced(yaml);
    expect(read).toMatchObject({ state: 'repaired', body: 'body', fields: { description } });
    expect(read.problem?.line).toBeGreaterThan(1);
  });

  test.each([
    ['CRLF and a byte order mark', '\uFEFF---\r\nname: a\r\n---\r\nbody'],
    ['blanks behind the dashes', '---  \nname: a\n--- \nbody'],
    ['a key that stands twice, of which the last counts', '---\nname: b\nname: a\n---\nbody'],
  ])('EXT-12 %s', async (_, text) => {
    expect(await readFrontmatter(text)).toMatchObject({ state: 'whole', fields: { name: 'a' }, body: 'body' });
  });

  test.each([
    ['a blank line first', '\n---\nname: a\n---\n'],
    ['four dashes', '----\nname: a\n----\n'],
    ['no end', '---\nname: a\n'],
    ['nothing', ''],
  ])('without a beginning between dashes all is body: %s', async (_, text) => {
    expect(await readFrontmatter(text)).toEqual({ fields: {}, body: text, state: 'absent' });
  });

  test('EXT-12 a list that ends at the margin is the list it was meant to be', async () => {
    expect(await fenced('tools: [\n  Read,\n  Write\n]\ndescription: a: b')).toMatchObject({
      state: 'repaired',
      fields: { tools: ['Read', 'Write'], description: 'a: b' },
    });
  });

  test('EXT-12 what no repair mends has no fields, and the line is told', async () => {
    expect(await fenced('a: 1\ndescription: "so" and more')).toMatchObject({
      fields: {},
      body: 'body',
      state: 'broken',
      problem: { line: 3 },
    });
  });

  test('aliases that would grow without end are not followed', async () => {
    const grown = [
      'a: &a [x, x]',
      ...['b', 'c', 'd', 'e'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcd'[at]}`).join(', ')}]`),
    ];
    expect(await fenced(grown.join('\n'))).toMatchObject({ fields: {}, state: 'broken' });
  });

  test.each([
    ['brackets in brackets', `description: ${'['.repeat(60)}`, 'it is nested deeper than 50'],
    ['a great length', `description: ${'x'.repeat(70_000)}`, 'it is longer than 65536'],
    ['very many lines', `description: x\n${' y\n'.repeat(2_500)}`, 'it has more than 2000 lines'],
  ])('of %s nothing is parsed, and why is told', async (_, yaml, cause) => {
    expect(await fenced(yaml)).toMatchObject({ fields: {}, body: 'body', state: 'broken', problem: { line: 1, cause } });
  });

  test('what has very many lines is not repaired', async () => {
    const many = Array.from({ length: 600 }, (_, at) => `k${at}: a: b`).join('\n');
    expect(await fenced(many)).toMatchObject({ fields: {}, state: 'broken', problem: { line: 2 } });
  });

  test('fields called as what every object has change no object', async () => {
    const { fields } = await fenced('__proto__:\n  polluted: yes\nconstructor: x\ndescription: d');
    expect(fields['description']).toBe('d');
    expect(fields['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  test('lists and bare words have no fields', async () => {
    expect(await fenced('- a\n- b')).toMatchObject({ fields: {}, state: 'whole' });
    expect(await fenced('words')).toMatchObject({ fields: {}, body: 'body' });
  });
});
