import { describe, expect, test } from 'vitest';
import { definePlugin, loadOrder } from 'pegboard';

const plugin = (name: string, ...requires: string[]) => definePlugin({ name, requires });
const order = (...plugins: Parameters<typeof loadOrder>[0]) => loadOrder(plugins).map(({ name }) => name);

describe('loadOrder', () => {
  test('puts what is required first and keeps the order given otherwise', () => {
    expect(order(plugin('c'), plugin('a', 'b'), plugin('d'), plugin('b'))).toEqual(['c', 'b', 'a', 'd']);
    expect(order()).toEqual([]);
  });
  test('takes a long chain', () => {
    const chain = Array.from({ length: 200 }, (_, i) => (i === 199 ? plugin('p199') : plugin(`p${i}`, `p${i + 1}`)));
    expect(order(...chain)[0]).toBe('p199');
  });
  test('says who requires what is not there', () => {
    expect(() => order(plugin('notes', 'files'))).toThrow('Plugin "notes" requires "files", which is not loaded.');
  });
  test('says the way around a circle, without who only leads to it', () => {
    expect(() => order(plugin('x', 'a'), plugin('a', 'b'), plugin('b', 'a'))).toThrow('in a circle: a → b → a.');
    expect(() => order(plugin('a', 'a'))).toThrow('a → a');
  });
  test('refuses one name twice', () => {
    expect(() => order(plugin('a'), plugin('a'))).toThrow(expect.objectContaining({ code: 'PLUGIN_DOUBLE' }));
  });
});
