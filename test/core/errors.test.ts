import { describe, expect, test } from 'vitest';
import { PegboardError, causeText, errorTable } from 'pegboard';

describe('errors', () => {
  test('carry a code, whose mistake it is, the sentence with its values, and the cause', () => {
    const cause = new Error('disk full');
    const error = new PegboardError('PLUGIN_SETUP', { plugin: 'notes', cause: 'disk full' }, { cause });
    expect(error).toMatchObject({ name: 'PegboardError', code: 'PLUGIN_SETUP', blame: 'config', cause });
    expect(error.message).toBe(
      'Plugin "notes" failed while starting and was taken down whole: disk full. Mend the plugin or remove it; all others run.',
    );
    expect(error).toBeInstanceOf(Error);
  });

  test('put values in as they are: a value that looks like a place of the sentence stays a value', () => {
    expect(new PegboardError('PLUGIN_DOUBLE', { plugin: '{plugin} {other} $&' }).message).toContain('"{plugin} {other} $&"');
  });

  test('are sentences: a code in capitals, an area first, text that begins and ends as one', () => {
    for (const [code, { text }] of Object.entries(errorTable)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
      expect(text).toMatch(/^(["A-Z{])/);
      expect(text).toMatch(/[.}]$/);
    }
  });

  test.each([
    [new Error('oh'), 'oh'],
    [new TypeError(''), 'TypeError'],
    ['a text', 'a text'],
    [{ status: 500 }, '{"status":500}'],
    [undefined, 'undefined'],
    [Symbol('x'), 'Symbol(x)'],
  ])('say in one line what was thrown: %s', (thrown, text) => {
    expect(causeText(thrown)).toBe(text);
  });

  test('survive a thrown value that cannot be written down', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(causeText(circular)).toBe('an unknown value was thrown');
  });
});
