import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { textOf } from 'pegboard';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bashPlace, type BashPlace } from './bash-place.ts';

let place: BashPlace;
let evil: string;
let ran: string;
const LONG_MS = 60_000;

/** git as somebody prepares a repository with it. */
function git(folder: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', '-c', 'commit.gpgSign=false'];
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/** A repository with a submodule, a merge, and attributes for files whose drivers its configuration names. */
async function prepare(folder: string, outside: string): Promise<void> {
  const inner = join(outside, 'inner');
  await mkdir(inner);
  await writeFile(join(inner, 's'), 's\n');
  git(inner, 'init', '-q');
  git(inner, 'add', '.');
  git(inner, 'commit', '-qm', 's');
  git(folder, 'init', '-q', '-b', 'main');
  await writeFile(join(folder, 'a.txt'), 'one\n');
  await writeFile(join(folder, '.gitattributes'), '*.txt diff=d filter=f merge=m\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'one');
  git(folder, 'checkout', '-qb', 'side');
  await writeFile(join(folder, 'a.txt'), 'side\n');
  git(folder, 'commit', '-qam', 'side');
  git(folder, 'checkout', '-q', 'main');
  git(folder, 'merge', '-q', '--no-ff', 'side', '-m', 'merged');
  git(folder, 'submodule', 'add', '-q', inner, 'sub');
  await appendFile(join(folder, '.gitmodules'), '\tignore = none\n');
  git(folder, 'commit', '-qam', 'sub');
  await writeFile(join(folder, 'a.txt'), 'changed\n');
  await writeFile(join(folder, 'sub', 's'), 'changed\n');
  await writeFile(join(folder, 'sub', '.gitattributes'), '* filter=g\n');
}

const PROGRAMS =
  'core.fsmonitor core.pager pager.status pager.diff core.sshCommand core.editor diff.d.textconv diff.d.command diff.external ' +
  'filter.f.clean filter.f.smudge filter.f.process merge.m.driver gpg.program interactive.diffFilter core.alternateRefsCommand';

beforeAll(async () => {
  place = await bashPlace({ mode: 'default' });
  evil = join(place.outside, 'evil.sh');
  ran = join(place.outside, 'ran');
  await writeFile(evil, `#!/bin/sh\necho "$*" >> '${ran}'\ncat\n`);
  await chmod(evil, 0o755);
  await prepare(place.cwd, place.outside);
  for (const key of PROGRAMS.split(' ')) git(place.cwd, 'config', key, evil);
  for (const [key, value] of [
    ['log.diffMerges', 'remerge'],
    ['log.showSignature', 'true'],
    ['diff.submodule', 'log'],
    ['status.submoduleSummary', 'true'],
    ['submodule.sub.ignore', 'none'],
  ] as const)
    git(place.cwd, 'config', key, value);
  for (const key of ['core.fsmonitor', 'filter.g.clean']) git(join(place.cwd, 'sub'), 'config', key, evil);
  for (const name of ['post-index-change', 'pre-commit'])
    await writeFile(join(place.cwd, '.git', 'hooks', name), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
}, LONG_MS);
afterAll(() => place.stop());

describe('M5.2 statement 38: git that nobody is asked about runs nothing that a repository names', () => {
  test.each([
    ...[
      'git status',
      'git status -v',
      'git diff',
      'git diff --stat',
      'git diff HEAD~1',
      'git log -p',
      'git log -p -m',
      'git show',
      'git show -m HEAD~1',
    ],
    ...[
      'git log --diff-merges=combined -p',
      'git blame a.txt',
      'git describe --always --dirty',
      'git ls-files -m',
      'git --no-pager diff --cc',
    ],
    ...["bash -c 'git diff'", 'timeout 20 git status && git diff | cat', 'git reflog -p'],
  ])(
    '%s',
    async (command) => {
      const outcome = await place.call(command);
      expect([outcome.kind, textOf(outcome.result.content)]).toEqual(['done', expect.stringMatching(/exit code 0\]$/)]);
      expect(existsSync(ran) ? await readFile(ran, 'utf8') : '').toBe('');
    },
    LONG_MS,
  );

  test('the difference is still shown', async () => {
    expect(await place.said('git diff')).toMatch(/-side\n\+changed\n/);
  });

  test('the same repository does run them for a git that is not told otherwise', async () => {
    git(place.cwd, 'diff');
    expect(await readFile(ran, 'utf8')).toContain('a.txt');
  });
});
