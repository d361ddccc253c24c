import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ResultBlock, ToolResult } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { imageBlock, pngBytes } from './images.ts';
import { probeTool } from './probe-tool.ts';

const textOf = (result: ToolResult) => result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

/** A session with one tool that says `said`, and what stays of each call in the context. */
async function spilling(said: ResultBlock[] | string, limit?: number) {
  const content = typeof said === 'string' ? [{ type: 'text' as const, text: said }] : said;
  const tool = probeTool('Long', limit === undefined ? {} : { maxResultSizeChars: limit }, () => ({ content }));
  const { host, stop } = await startHost({ tools: [tool], rules: { allow: ['Long'] } });
  onTestFinished(stop);
  const session = host.session();
  const folder = `${host.home}/sessions/${session.id}/results`;
  const call = async () => {
    const outcome = await session.call('Long', {});
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return outcome;
  };
  return { session, folder, call };
}

describe('M8.1 a result that is too long', () => {
  test('M8.1 is written to a file of the session; the context keeps a preview and a reference that leads to all of it', async () => {
    const long = Array.from({ length: 6_000 }, (_, i) => `line ${i}`).join('\n');
    const { session, folder, call } = await spilling(long);
    const { result, kept } = await call();
    expect(textOf(result)).toBe(long);
    const preview = textOf(kept);
    expect(preview.length).toBeLessThan(2_300);
    expect(preview.split('\n')[0]).toMatch(/^\[Result of 58889 characters kept as pegboard:\/\/result\/[\w-]+; the first 2000 follow\./);
    expect(preview.split('\n').slice(1).join('\n')).toBe(long.slice(0, 2_000));
    const reference = /pegboard:\/\/result\/[\w-]+/.exec(preview)?.[0] ?? '';
    expect(await session.results.read(reference)).toBe(long);
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    expect((await stat(`${folder}/${files[0]}`)).mode & 0o777).toBe(0o600);
  });

  test('M8.1 a result within the limit stays whole, to the last code unit', async () => {
    const { call, folder } = await spilling('x'.repeat(100), 100);
    expect(textOf((await call()).kept)).toBe('x'.repeat(100));
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    const over = await spilling('x'.repeat(101), 100);
    expect(textOf((await over.call()).kept)).toContain('kept as');
  });

  test('M8.1 a tool with a bound of its own declares infinity and is never spilled', async () => {
    const { call } = await spilling('x'.repeat(300_000), Infinity);
    expect(textOf((await call()).kept)).toHaveLength(300_000);
  });

  test('M8.1 a preview shows no more than the tool itself may', async () => {
    const { call } = await spilling('x'.repeat(5_000), 10);
    expect(
      textOf((await call()).kept)
        .split('\n')
        .at(-1),
    ).toBe('x'.repeat(10));
  });

  test('M8.1 no character is cut in two', async () => {
    const { call } = await spilling(`x${'😀'.repeat(20_000)}`);
    const { kept } = await call();
    expect(() => encodeURIComponent(textOf(kept))).not.toThrow();
  });

  test('M8.1 counts all texts of a result; images stay beside the preview', async () => {
    const image = imageBlock(pngBytes(1, 1), 'image/png');
    const { call, session } = await spilling([{ type: 'text', text: 'a'.repeat(60) }, image, { type: 'text', text: 'b'.repeat(60) }], 100);
    const { kept } = await call();
    expect(kept.content.map(({ type }) => type)).toEqual(['text', 'image']);
    expect(await session.results.read(/pegboard:\S+(?=;)/.exec(textOf(kept))?.[0] ?? '')).toBe(`${'a'.repeat(60)}\n${'b'.repeat(60)}`);
  });

  test('M8.1 an error stays an error', async () => {
    const tool = probeTool('Long', { maxResultSizeChars: 10 }, () => ({
      content: [{ type: 'text', text: 'x'.repeat(50) }],
      isError: true,
    }));
    const { host, stop } = await startHost({ tools: [tool], rules: { allow: ['Long'] } });
    onTestFinished(stop);
    expect(await host.call('Long', {})).toMatchObject({ kind: 'done', kept: { isError: true } });
  });

  test('M8.1 a folder that cannot be written is no failure of the call: the beginning stays, with a note', async () => {
    const { call, folder } = await spilling('y'.repeat(30_000));
    await mkdir(folder.replace(/\/results$/, ''), { recursive: true });
    await writeFile(folder, 'a file stands where the folder should be');
    const text = textOf((await call()).kept);
    expect(text.split('\n')[0]).toMatch(/^\[Result of 30000 characters; the first 2000 follow. The rest could not be kept: /);
    expect(text.split('\n')[1]).toBe('y'.repeat(2_000));
  });
});

describe('the result store', () => {
  test('what was decided for a call stays decided', async () => {
    const { session } = await spilling('x');
    const first: ToolResult = { content: [{ type: 'text', text: 'x'.repeat(50) }] };
    const kept = await session.results.keep('c1', first, 10);
    expect(await session.results.keep('c1', first, 1_000)).toBe(kept);
    expect(await session.results.keep('c2', first, 1_000)).toBe(first);
  });

  test.each(['../../escape', '/etc/passwd', 'a/b', '', 'x'.repeat(500), 'ü'])(
    'a call\'s id names a file of the folder and nothing else: "%s"',
    async (id) => {
      const { session, folder } = await spilling('x');
      const kept = await session.results.keep(id, { content: [{ type: 'text', text: 'long enough' }] }, 3);
      const files = await readdir(folder);
      expect(files).toEqual([expect.stringMatching(/^[a-f0-9]{32}\.txt$/)]);
      expect(await session.results.read(/pegboard:\S+(?=;)/.exec(textOf(kept))?.[0] ?? '')).toBe('long enough');
    },
  );

  test.each(['pegboard://result/unknown', 'pegboard://result/../../secret', '/etc/passwd', ''])(
    'reads nothing but its own references: "%s"',
    async (reference) => {
      const { session } = await spilling('x');
      await expect(session.results.read(reference)).rejects.toMatchObject({ code: 'RESULT_UNKNOWN' });
    },
  );

  test("one session does not read another's", async () => {
    const { session, call } = await spilling('x'.repeat(50), 10);
    const reference = /pegboard:\S+(?=;)/.exec(textOf((await call()).kept))?.[0] ?? '';
    expect(await session.results.read(reference)).toBe('x'.repeat(50));
    const other = await spilling('x');
    await expect(other.session.results.read(reference)).rejects.toMatchObject({ code: 'RESULT_UNKNOWN' });
  });
});
