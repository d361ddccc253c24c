import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { libraryAsker, textOf } from 'pegboard';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { bashPlace, isAlive, type BashPlace } from './bash-place.ts';

let place: BashPlace;
beforeEach(async () => {
  place = await bashPlace();
});
afterEach(() => place.stop());

const HANG_MS = 20_000;

describe('how a command ends', () => {
  test('BASH-01 what keeps its output open does not keep the call', async () => {
    const began = performance.now();
    expect(await place.said('sleep 45 & echo started')).toContain('started\n[exit code 0]');
    expect(await place.said('(sleep 45 >/dev/null 2>&1 &) ; echo ok')).toContain('ok\n[exit code 0]');
    expect(performance.now() - began).toBeLessThan(HANG_MS);
  });

  test('BASH-01 one that leaves its group and keeps the output open does not keep the call either', async () => {
    const said = await place.said(`setsid sh -c 'echo $$ > pid; exec sleep 45' & until [ -s pid ]; do :; done; echo on`);
    expect(said).toContain('on\n[exit code 0]');
    process.kill(Number(await readFile(join(place.cwd, 'pid'), 'utf8')), 'SIGKILL');
  });

  test('BASH-01 a time limit ends what waits for its children', async () => {
    const outcome = await place.call('sleep 45 & echo $!; wait', { timeout: 300 });
    const text = textOf(outcome.result.content);
    expect(text).toMatch(/^\d+\n\[ended at its time limit after [\d.]+ s\]$/);
    expect(outcome.result.isError).toBe(true);
    expect(isAlive(Number.parseInt(text, 10))).toBe(false);
  });

  test('BASH-03 what does not heed the first signal is ended by force, and nobody else is', async () => {
    const said = await place.said(`trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done`, { timeout: 300 });
    expect(said).toContain('ended at its time limit');
    expect(isAlive(Number(await readFile(join(place.cwd, 'pid'), 'utf8')))).toBe(false);
    expect(await place.said('echo still here')).toContain('still here');
  });

  test('BASH-03 one that has stopped itself is ended at its time limit', async () => {
    const said = await place.said('echo $$ > pid; kill -STOP $$', { timeout: 300 });
    expect(said).toContain('ended at its time limit');
    expect(isAlive(Number(await readFile(join(place.cwd, 'pid'), 'utf8')))).toBe(false);
  });

  test('BASH-06 nobody types: what reads finds an empty input', async () => {
    expect(await place.said('cat')).toBe('[no output, exit code 0]');
    expect(await place.said('read x; echo "<$x>"')).toContain('<>');
    expect(await place.said('grep foo')).toBe('[no output, exit code 1: nothing matched]');
  });

  test('SCHED-08 M7.4 an abort ends the whole group', async () => {
    const stop = new AbortController();
    const running = place.session.call('Bash', { command: 'sleep 45 & echo $! > child; echo $$ > pid; wait' }, { signal: stop.signal });
    const pids = async () =>
      Promise.all(['pid', 'child'].map(async (name) => Number(await readFile(join(place.cwd, name), 'utf8').catch(() => ''))));
    while ((await pids()).includes(0)) await delay(10);
    stop.abort();
    expect((await running).kind).toBe('cancelled');
    for (const pid of await pids()) expect(isAlive(pid)).toBe(false);
  });

  test('BASH-14 the exit code is always said, and is no error where it is an answer', async () => {
    await writeFile(join(place.cwd, 'f'), 'a\n');
    await writeFile(join(place.cwd, 'g'), 'b\n');
    const ended = async (command: string) => {
      const { result } = await place.call(command);
      return [textOf(result.content).split('\n').at(-1), result.isError ?? false] as const;
    };
    expect(await ended('grep x f')).toEqual(['[no output, exit code 1: nothing matched]', false]);
    expect(await ended('diff f g')).toEqual(['[exit code 1: they differ]', false]);
    expect(await ended('test -f no')).toEqual(['[no output, exit code 1: it is not so]', false]);
    expect(await ended('cmp f g')).toEqual(['[exit code 1: they differ]', false]);
    expect(await ended('cd . && cat f | grep x')).toEqual(['[no output, exit code 1: nothing matched]', false]);
    expect(await ended('grep x no-such-file')).toEqual(['[exit code 2]', true]);
    expect(await ended('ls no-such-file && grep a f')).toEqual(['[exit code 2]', true]);
    expect(await ended('cat f; exit 1')).toEqual(['[exit code 1]', true]);
    expect(await ended('false')).toEqual(['[no output, exit code 1]', true]);
    expect(await ended('kill -9 $$')).toEqual(['[no output, ended by signal SIGKILL]', true]);
    expect(await place.said('no-such-command-here; exit 127')).toMatch(/no-such-command-here: command not found\n\[exit code 127\]$/);
    expect(await place.said('echo out; echo err >&2; exit 4')).toBe('out\nerr\n[exit code 4]');
  });

  test('BASH-05 what runs in the background is a task of the session, with a time limit of its own', async () => {
    expect(await place.said('until [ -e go ]; do sleep 0.05; done; echo late; cd /', { run_in_background: true })).toContain('task-1');
    await writeFile(join(place.cwd, 'go'), '');
    expect(await place.said('sleep 45', { run_in_background: true, timeout: 200 })).toContain('task-2');
    while (place.session.news.length < 2) await delay(20);
    expect(place.session.news.join(' ')).toMatch(
      /task-1 .* has ended: done.*task-2 .* has ended: failed: no output, ended at its time limit after [\d.]+ s/s,
    );
    expect(await place.said('pwd')).toContain(`${place.cwd}\n`);
  });

  test('TaskStop ends what runs in the background with all it has started, also what heeds no TERM', async () => {
    const own = await bashPlace();
    await own.said(`trap '' TERM; (trap '' TERM; echo $BASHPID > pids; while :; do sleep 0.1; done) & while :; do sleep 0.1; done`, {
      run_in_background: true,
    });
    const pid = async () => Number(await readFile(join(own.cwd, 'pids'), 'utf8').catch(() => ''));
    while ((await pid()) === 0) await delay(10);
    const started = await pid();
    expect(isAlive(started)).toBe(true);
    expect(textOf((await own.session.call('TaskStop', { task_id: 'task-1' })).result.content)).toBe('task-1 was stopped.');
    while (isAlive(started)) await delay(10);
    expect(own.session.news.join(' ').match(/has ended: stopped/g)).toHaveLength(1);
    await own.stop();
  });

  test('M6.5 a failed command cancels the calls that come after it', () => {
    expect(place.session.pool().get('Bash')?.errorCancelsBatch).toBe(true);
  });
});

describe('what a command prints', () => {
  test('M8.1 an output without bounds loses its middle, and the context gets a preview', async () => {
    const outcome = await place.call('echo first; yes | head -c 20000000; echo last');
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    const whole = textOf(outcome.result.content);
    expect(whole).toMatch(/^first\ny\n[^]*\[\d+ bytes left out here\][^]*\nlast\n\[exit code 0\]$/);
    expect(whole.length).toBeLessThan(2_100_000);
    expect(textOf(outcome.kept.content).length).toBeLessThan(30_000);
  });

  test('a flood leaves room for other calls', async () => {
    const stop = new AbortController();
    const flood = place.session.call('Bash', { command: 'yes' }, { signal: stop.signal });
    const other = await place.said('sleep 0.3; echo between');
    stop.abort();
    expect(other).toContain('between');
    expect((await flood).kind).toBe('cancelled');
  });

  test('what is no text is counted and not shown; NUL, colours and overwritten lines are made readable', async () => {
    expect(await place.said('head -c 100000 /dev/urandom')).toContain('[100000 bytes that are not text; send them to a file to use them]');
    expect(await place.said(`printf 'a\\0b\\0'`)).toBe('a␀b␀\n[exit code 0]');
    expect(await place.said(`printf '\\033[31mred\\033[0m\\n 10%%\\r 50%%\\r100%%\\nümlaut 漢字\\n'`)).toBe(
      'red\n100%\nümlaut 漢字\n[exit code 0]',
    );
  });

  test('M1.7 it says how far it is while it runs', async () => {
    const told: unknown[] = [];
    const running = place.session.call('Bash', { command: 'echo begun; until [ -e go ]; do sleep 0.05; done' });
    const tool = place.session.pool().get('Bash');
    const deaf = place.listen((progress) => told.push(progress));
    while (told.length === 0) await delay(20);
    await writeFile(join(place.cwd, 'go'), '');
    await running;
    deaf();
    expect(tool?.display.progress?.(told[0])).toEqual({ kind: 'text', text: expect.stringMatching(/^\d+ s, 6 bytes: begun$/) as string });
  });

  test('M1.6 people see the command, its output, its exit code and how long it took', async () => {
    const outcome = await place.call('echo hi; exit 3');
    const { result } = outcome;
    const shown = place.session
      .pool()
      .get('Bash')
      ?.display.result?.({ command: 'echo hi; exit 3' }, { text: textOf(result.content), structuredContent: result.structuredContent });
    expect(shown).toEqual({
      kind: 'text',
      text: expect.stringMatching(/^\$ echo hi; exit 3\nhi\n\[exit code 3\]\nexit code 3, \d+\.\d s, in /) as string,
    });
  });
});

describe('where a command runs', () => {
  test('BASH-09 the folder follows the shell, wherever and however it ends', async () => {
    await mkdir(join(place.cwd, 'sub', 'deep'), { recursive: true });
    const at = async (command: string) => {
      await place.said(command);
      return (await place.said('pwd')).split('\n')[0];
    };
    const sub = join(place.cwd, 'sub');
    expect(await at('cd sub')).toBe(sub);
    expect(await at('cd nope && x')).toBe(sub);
    expect(await at('(cd /)')).toBe(sub);
    expect(await at('cd deep; exit 3')).toBe(join(sub, 'deep'));
    expect(await at('cd ..; set -e; false')).toBe(sub);
    expect(await at('if then')).toBe(sub);
    expect(await place.said('cd /')).toContain(`[The working folder is ${place.cwd} again: / is outside of the workspace.]`);
    expect(await at('true')).toBe(place.cwd);
  });

  test('BASH-09 a trap and descriptors of its own do not lose the folder, nor get anything of it', async () => {
    await mkdir(join(place.cwd, 'sub', 'deep'), { recursive: true });
    expect(await place.said(`trap 'echo bye' EXIT; cd sub; false`)).toBe('bye\n[exit code 1]');
    expect(await place.said('exec 3>out; cd deep; echo x >&3; exit 2')).toBe('[no output, exit code 2]');
    expect(await place.said('pwd; cat ../out')).toBe(`${place.cwd}/sub/deep\nx\n[exit code 0]`);
  });

  test('BASH-09 a link that leads out of the workspace is outside', async () => {
    await symlink(place.outside, join(place.cwd, 'link'));
    expect(await place.said('cd link')).toContain(`${place.outside} is outside of the workspace`);
  });

  test('BASH-08 a folder that is gone is replaced by one that is there, with a word about it', async () => {
    await mkdir(join(place.cwd, 'x'));
    await place.said('cd x');
    await rm(join(place.cwd, 'x'), { recursive: true });
    expect(await place.said('echo hi')).toBe(`hi\n[exit code 0]\n[The folder ${place.cwd}/x is gone; this ran in ${place.cwd}.]`);
    expect(await place.said('echo hi')).toBe('hi\n[exit code 0]');
    await mkdir(join(place.cwd, 'y'));
    await place.said('cd y');
    await rename(join(place.cwd, 'y'), join(place.cwd, 'z'));
    expect(await place.said('echo hi')).toContain(`${place.cwd}/y is gone`);
    expect(await place.said('cd z && pwd')).toContain(`${place.cwd}/z\n`);
    await rm(place.cwd, { recursive: true });
    expect(await place.said('echo hi')).toMatch(/^hi\n\[exit code 0\]\n\[The folder .* is gone; this ran in /);
  });

  test('permissions 5 an approval is for the folder it was given in: led elsewhere meanwhile, the command does not run', async () => {
    const asker = libraryAsker({
      permission: async () => {
        if (existsSync(join(own.cwd, 'was'))) return { kind: 'allow' };
        await rename(join(own.cwd, 'in'), join(own.cwd, 'was'));
        await symlink(own.outside, join(own.cwd, 'in'));
        return { kind: 'allow' };
      },
    });
    const own = await bashPlace({ mode: 'default', asker });
    await mkdir(join(own.cwd, 'in'));
    await own.said('cd in');
    expect(await own.said('touch made')).toContain('is another folder than when the command was judged');
    await own.stop();
  });

  test('a command with a NUL character is not run', async () => {
    expect((await place.call('echo a\0b')).kind).toBe('invalid');
  });
});

describe('what a command finds in its environment', () => {
  test('permissions 58 no keys and nothing of the host itself, and what the settings declare unless it changes what runs', async () => {
    const host = { ANTHROPIC_API_KEY: 'sk-1', PEGBOARD_HOME: '/x', LD_LIBRARY_PATH: '/x', MY_OWN: '1', LC_TIME: 'C' };
    for (const [name, value] of Object.entries(host)) vi.stubEnv(name, value);
    const own = await bashPlace({
      settings: { env: { GIVEN: '2', LD_AUDIT: '/x', BASH_ENV: './x', PEGBOARD_TOKEN: 't', PATH: './bin' } },
      pluginOptions: { shell: { environment: ['MY_OWN'] } },
    });
    const said = await own.said('/usr/bin/env');
    await own.stop();
    vi.unstubAllEnvs();
    for (const name of ['ANTHROPIC_API_KEY', 'PEGBOARD_', 'LD_', 'BASH_ENV', './bin']) expect(said).not.toContain(name);
    for (const pair of ['MY_OWN=1', 'GIVEN=2', 'LC_TIME=C', 'TERM=dumb', 'NO_COLOR=1']) expect(said).toContain(pair);
  });

  test('permissions 38 git that only reads runs nothing that a repository names', async () => {
    const script = join(place.cwd, 'evil.sh');
    await writeFile(script, '#!/bin/sh\ntouch "$(dirname "$0")/evil-ran"\n');
    await chmod(script, 0o755);
    for (const args of [
      ['init', '-q'],
      ['config', 'core.fsmonitor', script],
      ['config', 'core.pager', script],
    ])
      execFileSync('git', args, { cwd: place.cwd });
    expect(await place.said('git status --short')).toContain('?? evil.sh');
    expect(await place.said('ls')).not.toContain('evil-ran');
  });

  test('what only reads is not taken from the workspace, whatever PATH says', async () => {
    await mkdir(join(place.cwd, 'bin'));
    await writeFile(join(place.cwd, 'bin', 'ls'), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const path = process.env['PATH'];
    process.env['PATH'] = `${place.cwd}/bin:bin:${path}`;
    const said = [await place.said('ls'), await place.said('ls; true > f')];
    process.env['PATH'] = path;
    expect(said[0]).toBe('bin\n[exit code 0]');
    expect(said[1]).toContain('planted');
  });
});

test('M1.3 a command that only reads may run beside others, unless it says where the next one starts', () => {
  const tool = place.session.pool().get('Bash');
  const facts = (command: string) => [
    tool?.isReadOnly({ command }),
    tool?.isConcurrencySafe({ command }),
    tool?.isDestructive({ command }),
  ];
  expect(facts('ls -la')).toEqual([true, true, false]);
  expect(facts('cd sub')).toEqual([true, false, false]);
  expect(facts('rm -rf build')).toEqual([false, false, true]);
});

test('M6.5 a folder that a link has taken the place of is not gone on in', async () => {
  await mkdir(join(place.cwd, 'sub'));
  await place.said('cd sub');
  await rename(join(place.cwd, 'sub'), join(place.cwd, 'old'));
  await symlink(place.outside, join(place.cwd, 'sub'));
  const said = await place.said('pwd -P');
  expect(said).toContain('is a link now');
  expect(said).not.toContain(`${place.outside}\n`);
});
