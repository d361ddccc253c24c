import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parseRule, textOf, type Rule } from 'pegboard';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bashPlace, type BashPlace } from './bash-place.ts';

let place: BashPlace;
/** Stands in for the program where it is not: it says what it was given. */
let program: string;

beforeAll(async () => {
  const home = await bashPlace();
  program = join(home.outside, 'pwsh');
  await writeFile(
    program,
    `#!/usr/bin/env node\nconst at = process.argv.indexOf('-EncodedCommand');\nconsole.log(Buffer.from(process.argv[at + 1], 'base64').toString('utf16le'));\nconsole.error(process.argv.slice(2, at).join(' '));\nprocess.exitCode = 3;\n`,
    { mode: 0o755 },
  );
  place = await bashPlace({ mode: 'default', shell: { powershell: program } });
  await mkdir(join(place.cwd, 'src'));
  return home.stop;
});
afterAll(() => place.stop());

const judged = async (command: string, rules: readonly Rule[] = [], mode: 'default' | 'bypassPermissions' = 'default') => {
  const own = await bashPlace({ mode, shell: { powershell: program }, turn: () => ({ rules, mode }) });
  const { decision } = await own.session.explain('PowerShell', { command });
  await own.stop();
  return decision.kind;
};

describe('permissions 34 what only reads, written out', () => {
  test.each([
    'Get-ChildItem',
    'get-childitem -Path src -Recurse -Filter *.ts',
    'gci src -File | Sort-Object Length -Descending | Select-Object -First 5',
    "Get-Content -LiteralPath 'a file.txt' -TotalCount 10",
    'Get-Content src\\a.txt -Tail 3; Get-Location',
    'Select-String -Pattern "see: x" -Path src/*.ts -SimpleMatch',
    'Test-Path src',
    'Get-Item src | Measure-Object',
    'Write-Output one two',
  ])('%s', async (command) => {
    expect(await judged(command)).toBe('allow');
  });
});

describe('M5.1 everything else is asked about', () => {
  test.each([
    'Remove-Item src',
    'npm test',
    'ls',
    'Get-Content ../../../etc/passwd',
    'Get-Content ..\\..\\..\\etc\\passwd',
    'Get-Content ~/.ssh/id_rsa',
    "Get-Content '~\\.ssh\\id_rsa'",
    'Get-Content Env:SECRET',
    'Get-ChildItem HKLM:\\Software',
    'Get-Content \\\\host\\share\\x',
    'Get-Content file.txt:stream',
    'Get-Content $HOME/x',
    'Get-Content (Get-Item x)',
    'Get-ChildItem | ForEach-Object { Remove-Item $_ }',
    'Get-ChildItem > out.txt',
    'Get-ChildItem -Rec',
    'Get-ChildItem -Recurse:1',
    'Get-Content a,b',
    'Get-ChildItem; Invoke-Expression x',
    'Get-ChildItem `\n| Remove-Item',
    'Get-ChildItem # x',
    'Get-ChildItem --% | del',
    '& Get-ChildItem',
    '. ./x.ps1',
    "'Get-ChildItem'",
    'Get-ChildItem –Recurse',
    'Get-Content ‘a’',
    'Get-ChildItem && Remove-Item x',
    'Get-ChildItem\u00a0src',
    '.\\Get-ChildItem',
    'if (1) { Get-ChildItem }',
    'Get-Content "$(Remove-Item x)"',
    '2+2',
  ])('%s', async (command) => {
    expect(await judged(command)).toBe('ask');
  });
});

describe('rules', () => {
  const rule = (list: 'allow' | 'ask' | 'deny', text: string) => [parseRule(text, list, 'cli')];
  test('M4.3 speak of each command, and a restriction sees the cmdlet behind an alias', async () => {
    expect(await judged('npm test', rule('allow', 'PowerShell(npm test)'))).toBe('allow');
    expect(await judged('npm test; git push', rule('allow', 'PowerShell(npm test)'))).toBe('ask');
    expect(await judged('npm test $(x)', rule('allow', 'PowerShell(npm *)'))).toBe('ask');
    expect(await judged('rm x', rule('deny', 'PowerShell(Remove-Item *)'))).toBe('deny');
    expect(await judged('Get-Location | del x', rule('deny', 'PowerShell(Remove-Item *)'))).toBe('deny');
    expect(await judged('Get-Content src/a', rule('deny', 'Read(src/**)'))).toBe('deny');
  });

  test('M4.8 a folder that nobody gets back is asked about in every mode', async () => {
    expect(await judged('Remove-Item -Recurse /usr', [], 'bypassPermissions')).toBe('ask');
    expect(await judged('rm -Recurse -Force /', [], 'bypassPermissions')).toBe('ask');
    expect(await judged('Remove-Item build', [], 'bypassPermissions')).toBe('allow');
  });
});

describe('the tool', () => {
  test('permissions 5 gets the command as it was judged, and no profile', async () => {
    const command = `Write-Output 'ü "quoted" $x'`;
    const outcome = await place.session.call('PowerShell', { command });
    expect(textOf(outcome.result.content)).toBe(`${command}\n-NoProfile -NonInteractive\n[exit code 3]`);
    expect(outcome.result.isError).toBe(true);
  });

  test('M11.2 is there where PowerShell is', async () => {
    expect(place.session.pool().get('PowerShell')).toBeDefined();
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    const without = await bashPlace();
    process.env['PATH'] = path;
    expect(without.session.pool().get('PowerShell')).toBeUndefined();
    await without.stop();
  });
});
