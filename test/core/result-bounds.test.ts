import { describe, expect, onTestFinished, test } from 'vitest';
import type { ImageBlock, ToolResult } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { gifBytes, imageBlock, jpegBytes, pngBytes, webpBytes } from './images.ts';
import { openSession, play, resultsOf } from './play.ts';
import { probeTool } from './probe-tool.ts';

const SAFE = { isConcurrencySafe: () => true } as const;
const textOf = ({ content }: ToolResult) => content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
const referenceIn = (text: string) => /pegboard:\/\/result\/[\w-]+/.exec(text)?.[0] ?? '';

describe('M8.2 the results of one message share a budget', () => {
  test('M8.2 RES-04 the largest are shortened first, until all fit together; the small ones stay whole', async () => {
    const say = probeTool('Say', { ...SAFE, maxResultSizeChars: 150_000 }, ({ count = 0 }) => `${count % 10}`.repeat(count));
    const session = await openSession([say]);
    const sizes = [90_000, 1_000, 140_000, 50_000];
    await play(session, [{ calls: sizes.map((count) => ({ name: 'Say', input: { count } })) }, { text: 'done' }]);
    const lengths = Object.values(resultsOf(session.messages[2])).map(({ length }) => length);
    expect(lengths).toEqual([90_000, 1_000, expect.any(Number), 50_000]);
    expect(lengths[2]).toBeLessThan(2_300);
    const shortened = resultsOf(session.messages[2])['call-1-3'] ?? '';
    expect(await session.results.read(referenceIn(shortened))).toBe('0'.repeat(140_000));
  });

  test('M8.2 two hundred results at once fit as well', async () => {
    const say = probeTool('Say', SAFE, () => 'x'.repeat(24_000));
    const session = await openSession([say]);
    await play(session, [{ calls: Array.from({ length: 200 }, () => ({ name: 'Say' })) }, { text: 'done' }]);
    const all = Object.values(resultsOf(session.messages[2]));
    expect(all).toHaveLength(200);
    expect(all.join('').length).toBeLessThanOrEqual(200_000);
  });

  test('M8.1 RES-05 results of tools with a bound of their own are shortened too, but never kept in a file', async () => {
    const own = probeTool('Own', { ...SAFE, maxResultSizeChars: Infinity }, () => 'y'.repeat(90_000));
    const session = await openSession([own]);
    await play(session, [{ calls: [1, 2, 3].map(() => ({ name: 'Own' })) }, { text: 'done' }]);
    const all = Object.values(resultsOf(session.messages[2]));
    expect(all.map(({ length }) => length > 2_300)).toEqual([false, true, true]);
    expect(all[0]).toMatch(/^\[Result of 90000 characters; the first 2000 follow\. .*ask for it again alone/);
    expect(all[0]).not.toContain('pegboard://');
  });

  test('M8.3 what was decided is in the history, and no later request says it otherwise', async () => {
    const say = probeTool('Say', SAFE, () => 'x'.repeat(60_000));
    const session = await openSession([say]);
    const more = { calls: [{ name: 'Say' }, { name: 'Say' }] };
    const { model } = await play(session, [more, more, more, { text: 'done' }]);
    const sent = model.requests.map(({ messages }) => messages.map((message) => JSON.stringify(message)));
    for (const [at, messages] of sent.entries()) expect(sent.at(-1)?.slice(0, messages.length)).toEqual(sent[at]);
  });

  test('M8.1 RES-04 an error, and what a hook adds, are bounded like any result', async () => {
    const fails = probeTool('Fails', { maxResultSizeChars: Infinity }, () => {
      throw new Error('z'.repeat(2_000_000));
    });
    const session = await openSession([fails, probeTool('Say')], {
      'tool.before': ({ tool }) => (tool === 'Say' ? { kind: 'none', reason: '', context: 'w'.repeat(2_000_000) } : undefined),
    });
    await play(session, [{ calls: [{ name: 'Fails' }, { name: 'Say' }] }, { text: 'done' }]);
    for (const text of Object.values(resultsOf(session.messages[2]))) expect(text.length).toBeLessThan(25_000);
  });
});

describe('M8.1 what a model cannot be shown stays out of the context', () => {
  async function keptOf(content: ToolResult['content'], limit?: number) {
    const tool = probeTool('Show', limit === undefined ? {} : { maxResultSizeChars: limit }, () => ({ content }));
    const session = await openSession([tool]);
    const outcome = await session.call('Show', {});
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return { kept: outcome.kept, session };
  }

  test.each<readonly [string, ImageBlock]>([
    ['PNG', imageBlock(pngBytes(8_000, 10), 'image/png')],
    ['JPEG', imageBlock(jpegBytes(800, 600), 'image/jpeg')],
    ['GIF', imageBlock(gifBytes(1, 1), 'image/gif')],
    ['WebP', imageBlock(webpBytes(2_000, 2_000), 'image/webp')],
  ])('M8.1 an image within the bounds stays as it is: %s', async (_kind, image) => {
    expect((await keptOf([image])).kept.content).toEqual([image]);
  });

  test.each<readonly [string, ImageBlock, RegExp]>([
    ['too wide', imageBlock(pngBytes(8_001, 10), 'image/png'), /8001 x 10 pixels, at most 8000/],
    ['too high', imageBlock(jpegBytes(10, 9_000), 'image/jpeg'), /10 x 9000 pixels/],
    ['too large', imageBlock(Buffer.concat([pngBytes(10, 10), Buffer.alloc(4_000_000)]), 'image/png'), /characters of base64/],
    ['cut off', imageBlock(pngBytes(10, 10).subarray(0, 18), 'image/png'), /a broken one/],
    ['no image', imageBlock(Buffer.from('hello, this is text'), 'image/png'), /no PNG/],
    ['no base64', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'not base64!' } }, /a broken one/],
  ])('M8.1 an image that no endpoint takes is a line that says why: %s', async (_what, image, why) => {
    const { kept } = await keptOf([{ type: 'text', text: 'before' }, image]);
    expect(kept.content.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(textOf(kept)).toMatch(why);
  });

  test('M8.1 an image is what its bytes are, and no result has more of them than one request takes', async () => {
    const image = imageBlock(pngBytes(10, 10), 'image/jpeg');
    const { kept } = await keptOf(Array.from({ length: 22 }, () => image));
    expect(kept.content[0]).toEqual(imageBlock(pngBytes(10, 10), 'image/png'));
    expect(kept.content.filter(({ type }) => type === 'image')).toHaveLength(20);
  });

  test('M8.1 binary data is kept in a file and not shown, however short it is', async () => {
    const bytes = String.fromCharCode(...Array.from({ length: 200 }, (_, i) => i % 9));
    const { kept, session } = await keptOf([{ type: 'text', text: bytes }]);
    expect(textOf(kept)).toMatch(/^\[Result of 200 characters kept as pegboard:\S+; it is binary data and is not shown\./);
    expect(await session.results.read(referenceIn(textOf(kept)))).toBe(bytes);
  });

  test('LOOP-12 a text with a NUL is text, and half a character is none: what is sent is well-formed', async () => {
    const { kept } = await keptOf([{ type: 'text', text: 'one\0two \ud83d three' }]);
    expect(textOf(kept)).toBe('one\0two \ufffd three');
    const cut = await keptOf([{ type: 'text', text: `x${'😀'.repeat(30)}` }], 10);
    expect(() => encodeURIComponent(textOf(cut.kept))).not.toThrow();
  });
});

describe('M8.1 a reference leads to what was kept', () => {
  test('M8.1 also in a session that is resumed under its id, and says so where the file was removed', async () => {
    const { host, stop } = await startHost({ tools: [probeTool('Long', {}, () => 'x'.repeat(30_000))], rules: { allow: ['Long'] } });
    onTestFinished(stop);
    const first = host.session();
    const outcome = await first.call('Long', {});
    const reference = referenceIn(textOf((outcome as { kept: ToolResult }).kept));
    const again = host.session({ saved: { id: first.id, records: [] } });
    expect(await again.results.read(reference)).toHaveLength(30_000);
    await expect(again.results.read('pegboard://result/gone')).rejects.toMatchObject({
      code: 'RESULT_UNKNOWN',
      message: expect.stringContaining('a file that was removed since is gone'),
    });
  });
});

describe('M8.1 a part of a kept result as an argument', () => {
  const data = {
    rows: [
      { name: 'a/b', text: 'first' },
      { name: 'c~d', text: 'x'.repeat(30_000) },
    ],
    address: 'https://example.com/',
    '': 7,
  };
  const dump = probeTool('Dump', {}, () => JSON.stringify(data));
  const inputs: unknown[] = [];
  const take = (name: string, given: object = {}) =>
    probeTool(name, { input: anyObject(), ...given } as never, (input) => {
      inputs.push(input);
      return 'taken';
    });

  /** A session in which something was kept, and the reference to it. */
  async function withKept(...tools: Parameters<typeof openSession>[0]) {
    inputs.length = 0;
    const session = await openSession([dump, ...tools]);
    const outcome = await session.call('Dump', {});
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return { session, reference: referenceIn(textOf(outcome.kept)) };
  }

  test('M8.1 comes in before the call is parsed and judged; the history keeps the reference', async () => {
    const judged: unknown[] = [];
    const tool = take('Take', {
      checkPermissions: async (input: unknown) => {
        judged.push(input);
        return { kind: 'passthrough' };
      },
    });
    const { session, reference } = await withKept(tool);
    const input = { text: `${reference}#/rows/1/text`, deep: [{ all: `${reference}#/rows/0` }], empty: `${reference}#/` };
    await play(session, [{ calls: [{ name: 'Take', input }] }, { text: 'done' }]);
    const resolved = { text: 'x'.repeat(30_000), deep: [{ all: { name: 'a/b', text: 'first' } }], empty: 7 };
    expect(inputs).toEqual([resolved]);
    expect(judged[0]).toEqual(resolved);
    expect(session.messages[1]?.content).toEqual([{ type: 'tool_use', id: 'call-1-1', name: 'Take', input }]);
  });

  test.each([
    ['#/rows/7', 'there is no "7"'],
    ['#/rows/0/name/x', 'there is no "x"'],
    ['#/constructor', 'there is no "constructor"'],
    ['#rows', 'begins with "/"'],
  ])('M8.1 a pointer that leads nowhere is an error that says so: %s', async (pointer, why) => {
    const { session, reference } = await withKept(take('Take'));
    const outcome = await session.call('Take', { text: `${reference}${pointer}` });
    expect([outcome.kind, textOf(outcome.result)]).toEqual(['invalid', expect.stringContaining(why)]);
    expect(inputs).toEqual([]);
  });

  test("M8.1 another session's results are not there", async () => {
    const { reference } = await withKept(take('Take'));
    const other = await withKept(take('Take'));
    const outcome = await other.session.call('Take', { text: `${reference}x#/rows` });
    expect(textOf(outcome.result)).toContain('No kept result has the reference');
  });

  test.each<readonly [string, object, string]>([
    ['a shell tool', { kind: 'shell' }, 'text'],
    ['a tool that fetches', { kind: 'fetch' }, 'text'],
    ['an argument named url', {}, 'url'],
    ['an argument named callbackUrl', {}, 'callbackUrl'],
    ['an argument named command', {}, 'command'],
    ['an argument whose schema says uri', { uri: true }, 'target'],
  ])('M8.1 never into commands and addresses: %s', async (_what, { uri, ...given }: { uri?: boolean }, argument) => {
    const tool = take('Take', { ...given, input: anyObject(uri ? { target: { type: 'string', format: 'uri' } } : {}) });
    const { session, reference } = await withKept(tool);
    const outcome = await session.call('Take', { [argument]: `${reference}#/address` });
    expect([outcome.kind, textOf(outcome.result)]).toEqual(['invalid', expect.stringContaining('A kept result cannot be put into')]);
    expect(inputs).toEqual([]);
  });

  test('M8.1 nor by way of a tool that calls others: there the call that it makes decides', async () => {
    const passes = probeTool('Pass', { provides: ['tool-call'], input: anyObject() } as never, async (input, context) =>
      context.call('Shell', input),
    );
    const { host, stop } = await startHost({
      tools: [dump, passes, take('Shell', { kind: 'shell' })],
      rules: { allow: ['Dump', 'Pass', 'Shell'] },
    });
    onTestFinished(stop);
    inputs.length = 0;
    const session = host.session();
    session.strategy = 'call';
    const kept = await session.call('Dump', {});
    const reference = referenceIn(textOf((kept as { kept: ToolResult }).kept));
    const outcome = await session.call('Pass', { text: `${reference}#/address` });
    expect(textOf(outcome.result)).toContain('a shell command');
    expect(inputs).toEqual([]);
  });

  test('M8.1 a reference inside a longer text, and one without a fragment, stay as they are', async () => {
    const { session, reference } = await withKept(take('Take'));
    const input = { text: `see ${reference}#/rows`, file: reference };
    await session.call('Take', input);
    expect(inputs).toEqual([input]);
  });
});

function anyObject(properties: Record<string, unknown> = {}) {
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object', properties }) },
    },
  };
}
