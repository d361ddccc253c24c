import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { textOf, textResult } from 'pegboard';

import { fakeTool } from '../support/fake-tools.ts';
import { startHost } from '../support/start-host.ts';

/** One call of a tool that gives so many letters, and where its home is. */
async function callLong(letters: number, before: (home: string) => Promise<void> = async () => undefined) {
  const started = await startHost({
    tools: [fakeTool('Long', { call: async () => textResult('x'.repeat(letters)) })],
    rules: { allow: ['Long'] },
  });
  onTestFinished(() => started.stop());
  const { home } = started.host;
  await before(home);
  const outcome = await started.host.call('Long', {});
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return { home, isError: outcome.kept.isError, text: textOf(outcome.kept.content) };
}

async function keptFiles(home: string): Promise<readonly number[]> {
  const folder = join(home, 'sessions');
  const names = await readdir(folder, { recursive: true });
  const files = await Promise.all(names.filter((name) => name.endsWith('.txt')).map((name) => stat(join(folder, name))));
  return files.map(({ size }) => size);
}

test('RES-03 what was left out stands at the head: how long the whole is, and where', async () => {
  const { text } = await callLong(250_000);
  expect(text.slice(0, 300)).toMatch(/250[,.]?000/);
  expect(text.slice(0, 300)).toContain('pegboard://result/');
});

test('RES-07 three megabytes are kept whole and are no failure', async () => {
  const { home, isError, text } = await callLong(3_000_000);
  expect(isError).not.toBe(true);
  expect(text.length).toBeLessThan(30_000);
  expect(await keptFiles(home)).toEqual([3_000_000]);
});

test('RES-08 where nothing can be kept the call has still been made, and its result says what is missing', async () => {
  const { isError, text } = await callLong(250_000, async (home) => {
    await rm(home, { recursive: true, force: true });
    await writeFile(home, 'in the way of every folder');
  });
  expect(isError).not.toBe(true);
  expect(text).toMatch(/xxxx/);
  expect(text.slice(0, 400)).toMatch(/could not be kept|lost|not written|cannot be/);
});
