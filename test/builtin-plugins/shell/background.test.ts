import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { temporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { bashPlace, isAlive, type BashPlace } from './bash-place.ts';

let place: BashPlace;
beforeEach(async () => {
  place = await bashPlace();
});
afterEach(() => place.stop());

const KEPT = 1_000_000;
const background = { run_in_background: true };

async function ended(): Promise<string> {
  while (place.session.news.length === 0) await delay(20);
  return place.session.news.join('\n');
}

test('BASH-05 a background command that takes too long is ended, and its end says why', async () => {
  await place.said('echo $$ > pid; sleep 45', { ...background, timeout: 300 });
  expect(await ended()).toMatch(/task-1 .* has ended: failed: no output, ended at its time limit after [\d.]+ s\.$/);
  expect(isAlive(Number(await readFile(join(place.cwd, 'pid'), 'utf8')))).toBe(false);
});

test('BASH-06 one that reads finds an empty input', async () => {
  await place.said('cat; read x; echo end', background);
  expect(await ended()).toContain('has ended: done.');
});

test('BASH-10 one that prints without end fills neither the disk nor the memory, and its end is announced', async () => {
  await place.said('yes', { ...background, timeout: 2_000 });
  const task = async () => {
    const { result } = await place.session.call('TaskOutput', { task_id: 'task-1', block: false });
    return result.structuredContent as { readonly text: string; readonly next: number };
  };
  while ((await task()).next < 3 * KEPT) await delay(20);
  expect((await task()).text.length).toBeLessThanOrEqual(KEPT);
  expect(await ended()).toContain('ended at its time limit');
  expect((await task()).text.length).toBeLessThanOrEqual(KEPT);
});

test('BASH-10 what a killed host leaves in the background is ended by the next one that runs something there', async () => {
  const folder = await temporaryFolder();
  const [home, program] = [join(folder.path, 'home'), join(folder.path, 'host.mts')];
  const source = (path: string) => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);
  await writeFile(
    program,
    `import { createHost } from ${source('core/index.ts')};
    import { builtinPlugins } from ${source('builtin-plugins/index.ts')};
    const mode = 'bypassPermissions';
    const options = { builtins: builtinPlugins(), cwd: ${JSON.stringify(place.cwd)}, home: ${JSON.stringify(home)} };
    const host = await createHost({ ...options, turn: () => ({ mode }) });
    await host.session({ mode }).call('Bash', { command: 'echo $$ > pid; exec sleep 300', run_in_background: true });`,
  );
  const host = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', program], {
    cwd: new URL('../../..', import.meta.url),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const text = (path: string) => readFile(path, 'utf8').catch(() => '');
  while ((await text(join(place.cwd, 'pid'))) === '') await delay(20);
  const noted = join(home, 'data', 'shell', 'processes');
  while ((await readdir(noted).catch(() => [])).length === 0) await delay(20);
  const gone = once(host, 'exit');
  host.kill('SIGKILL');
  await gone;
  const pid = Number(await text(join(place.cwd, 'pid')));
  expect(isAlive(pid)).toBe(true);
  const next = await bashPlace({ home });
  await next.said('true', background);
  while (isAlive(pid)) await delay(20);
  await next.stop();
  await folder.remove();
});
