import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { ProcessGroups, ProcessLedger } from 'pegboard/kit';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let folder: TemporaryFolder;
const strays: ChildProcess[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  for (const each of strays.splice(0)) each.kill('SIGKILL');
  await folder.remove();
});

const ledgerIn = (path: string) => new ProcessLedger({ folder: path, now: Date.now });
const files = () => readdir(folder.path).then((all) => all.filter((file) => file.endsWith('.json')));
const untilNoted = async (): Promise<string> => {
  for (;;) {
    const [file] = await files();
    if (file !== undefined && (await readFile(join(folder.path, file), 'utf8')).endsWith('}')) return file;
    await delay(10);
  }
};
/** One that was not collected by its parent counts as ended. */
const isAlive = async (pid: number) => !/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z ')) && pid > 0;
const untilDead = async (pid: number) => {
  while (await isAlive(pid)) await delay(20);
};

/** Deaf to the end of its input and to a polite request, like what it starts. */
const STUBBORN = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`;

/** A host that starts one process in a group, prints its number, and is killed. */
async function killedHost(command: string, args: readonly string[]): Promise<number> {
  const [groups, ledger] = ['process-group', 'process-ledger'].map((name) => new URL(`../../../core/kit/${name}.ts`, import.meta.url).href);
  const program = `
    import { ProcessGroups } from ${JSON.stringify(groups)};
    import { ProcessLedger } from ${JSON.stringify(ledger)};
    const groups = new ProcessGroups({ windows: false, ledger: new ProcessLedger({ folder: ${JSON.stringify(folder.path)}, now: Date.now }) });
    const member = groups.start({ command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, env: {}, cwd: '.' });
    member.stdout.on('data', (text) => process.stdout.write(text));`;
  const file = join(folder.path, 'host.mts');
  await writeFile(file, program);
  const host = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => host.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))));
  await untilNoted();
  host.kill('SIGKILL');
  await new Promise((resolve) => host.once('exit', resolve));
  return pid;
}

describe.runIf(process.platform === 'linux')('what a killed host leaves behind', () => {
  test('is ended by the next one together with what it has started', async () => {
    const inner = `${STUBBORN} console.log(process.pid)`;
    const pid = await killedHost('sh', ['-c', `${process.execPath} -e "${inner}"; exit 0`]);
    expect(await isAlive(pid)).toBe(true);
    expect(await ledgerIn(folder.path).sweep()).toBe(1);
    await untilDead(pid);
    expect(await files()).toEqual([]);
    expect(await ledgerIn(folder.path).sweep()).toBe(0);
  });

  test('is ended also where only the wrapper was noted, and goes at the first word', async () => {
    const inner = `${STUBBORN} console.log(process.pid)`;
    const pid = await killedHost('sh', ['-c', `${process.execPath} -e "${inner}"; exit 0`]);
    const file = join(folder.path, await untilNoted());
    const entry = JSON.parse(await readFile(file, 'utf8')) as { readonly processes: readonly object[] };
    await writeFile(file, JSON.stringify({ ...entry, processes: entry.processes.slice(0, 1) }));
    expect(await ledgerIn(folder.path).sweep()).toBe(1);
    await untilDead(pid);
  });

  test('is left alone while the host lives, and forgotten when it has ended by itself', async () => {
    const ledger = ledgerIn(folder.path);
    const member = new ProcessGroups({ windows: false, ledger }).start({
      command: process.execPath,
      args: ['-e', STUBBORN],
      env: {},
      cwd: '.',
    });
    await untilNoted();
    expect(await ledgerIn(folder.path).sweep()).toBe(0);
    expect(await files()).toHaveLength(1);
    await member.stop();
    expect(await files()).toEqual([]);
  });

  test.each([
    { what: 'another process that has its number by now', change: { started: '1' } },
    { what: 'one of another machine or an earlier boot', change: { place: 'elsewhere' } },
    { what: 'a process that moved to a group of its own', change: { leader: 'none' } },
  ])('is never taken for $what', async ({ change }) => {
    const ledger = ledgerIn(folder.path);
    const groups = new ProcessGroups({ windows: false, ledger });
    const member = groups.start({
      command: process.execPath,
      args: ['-e', 'console.log(process.pid); process.stdin.resume()'],
      env: {},
      cwd: '.',
    });
    const pid = await new Promise<number>((resolve) => member.stdout.once('data', (text: Buffer) => resolve(Number(text.toString()))));
    const file = join(folder.path, await untilNoted());
    const entry = JSON.parse(await readFile(file, 'utf8')) as { host: object; processes: { pid: number; started: string }[] };
    const [leader] = entry.processes;
    const processes = 'leader' in change ? [{ pid: 2 ** 22 + 1, started: '5' }, leader] : [{ ...leader, ...change }];
    // Its host is gone: nobody has this number with this start.
    await writeFile(file, JSON.stringify({ ...entry, ...change, host: { ...entry.host, started: '1' }, processes }));
    expect(await ledgerIn(folder.path).sweep()).toBe(0);
    expect(await isAlive(pid)).toBe(true);
    await member.stop();
  });

  test('a broken note is thrown away, and other files are not looked at', async () => {
    await writeFile(join(folder.path, '7-8.json'), '{"host":{"pid":0}}');
    await writeFile(join(folder.path, 'notes.json'), 'mine');
    expect(await ledgerIn(folder.path).sweep()).toBe(0);
    expect(await files()).toEqual(['notes.json']);
    expect(await ledgerIn(join(folder.path, 'nowhere')).sweep()).toBe(0);
  });
});
