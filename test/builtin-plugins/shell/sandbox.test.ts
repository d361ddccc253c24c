import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { textOf } from 'pegboard';
import { examineSandbox, type Sandbox, type SandboxRules } from 'pegboard/builtin-plugins';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { bashPlace, type BashPlace } from './bash-place.ts';

const { missing } = await examineSandbox('on', process.env['PATH']);

/** A path as JavaScript, in a form in which nobody sees it. */
const hidden = (path: string) => `Buffer.from("${Buffer.from(path).toString('hex')}", "hex").toString()`;

/** Needs what a sandbox is made of. */
describe.skipIf(missing !== undefined)(`in the sandbox${missing === undefined ? '' : ` (left out: ${missing})`}`, () => {
  let place: BashPlace;
  beforeAll(async () => {
    place = await bashPlace({ mode: 'default', settings: { sandbox: 'on' } });
    execFileSync('git', ['init', '-q'], { cwd: place.cwd });
    await mkdir(join(place.cwd, 'sub', '.vscode'), { recursive: true });
    await symlink('.git/hooks', join(place.cwd, 'link'));
  });
  afterAll(() => place.stop());

  test('M5.4 what runs inside needs no leave, works in the workspace and in a temporary folder, and keeps its folder', async () => {
    const outcome = await place.call('echo a > f && mkdir -p d && cd d && echo b > "$TMPDIR/t" && cat ../f "$TMPDIR/t"');
    if (outcome.kind !== 'done') throw new Error(textOf(outcome.result.content));
    expect(textOf(outcome.result.content)).toBe('a\nb\n[exit code 0]');
    expect(outcome.decision.reason).toMatchObject({ by: 'sandbox' });
    expect(outcome.result.structuredContent).toMatchObject({ sandboxed: true, exitCode: 0 });
    expect(await place.said('pwd; cd ..')).toContain(`${place.cwd}/d\n`);
  });

  test('M5.4 nothing outside of the workspace can be written', async () => {
    const said = await place.said(`node -e 'require("fs").writeFileSync(process.argv[1], "x")' ${place.outside}/f`);
    expect(said).toContain('EROFS');
    expect(existsSync(join(place.outside, 'f'))).toBe(false);
  });

  test.each([
    '.git/hooks/post-commit',
    '.git/config',
    'link/post-commit',
    '.bashrc',
    '.mcp.json',
    '.pegboard/settings.json',
    'pegboard.config.mjs',
    '.vscode/tasks.json',
    '.claude/settings.json',
    'sub/.vscode/tasks.json',
  ])('permissions 45 %s cannot be written from inside, there or not, also through links', async (path) => {
    const before = await readFile(join(place.cwd, path), 'utf8').catch(() => undefined);
    const write = `const fs = require("fs"), p = process.argv[1]; fs.mkdirSync(require("path").dirname(p), { recursive: true }); fs.writeFileSync(p, "x")`;
    // What a program does by itself no look at the command finds: only the sandbox is left to stop it.
    const outcome = await place.call(`node -e '${write.replace('process.argv[1]', hidden(path))}'`);
    expect(outcome.kind).toBe('done');
    expect(textOf(outcome.result.content)).toMatch(/EROFS|EACCES|EEXIST|ENOTDIR/);
    expect(await readFile(join(place.cwd, path), 'utf8').catch(() => undefined)).toBe(before);
  });

  test('permissions 45 git is not led to another configuration, and its folder cannot be put aside', async () => {
    expect(await place.said(`node -e 'require("fs").writeFileSync(${hidden('.git/commondir')}, "/tmp")'`)).toContain(
      'Protected and moved away',
    );
    expect(await place.said(`node -e 'require("fs").renameSync(${hidden('.git')}, "g")'`)).toContain('EBUSY');
    expect(await place.said('git status --short')).toContain('[exit code 0]');
  });

  test('M5.4 git sees no marks where protected files are not there, and commits', async () => {
    const said = await place.said('git add -A && git -c user.name=n -c user.email=e commit -qm m && git status --short; git log --oneline');
    expect(said).toMatch(/^[\da-f]+ m\n\[exit code 0\]$/);
  });

  test("permissions 48 the host's own folder is neither read nor written", async () => {
    const home = join(place.cwd, '..', 'home');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'trust.json'), 'SECRET');
    const inside = (code: string) => place.call(`node -e 'const fs = require("fs"); ${code}'`);
    const outcome = await inside(
      `console.log(fs.readdirSync(${hidden('../home')}), fs.readFileSync(${hidden('../home/trust.json')}, "utf8"))`,
    );
    expect(outcome.kind).toBe('done');
    expect(textOf(outcome.result.content)).toContain('ENOENT');
    expect(textOf(outcome.result.content)).not.toContain('SECRET');
    expect((await inside(`fs.writeFileSync(${hidden('../home/trust.json')}, "{}")`)).kind).toBe('done');
    expect(await readFile(join(home, 'trust.json'), 'utf8')).toBe('SECRET');
  });

  test('M5.4 no network and no sockets of this machine', async () => {
    const server = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };
    const reach = (to: string) =>
      `node -e 'require("net").connect(${to}).on("error", (e) => console.log(e.code)).on("data", (d) => console.log(String(d)))'`;
    expect(await place.said(reach(`${port}, "127.0.0.1"`))).not.toContain('reached');
    const path = join(place.outside, 'socket');
    const local = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => local.listen(path, resolve));
    expect(await place.said(reach(JSON.stringify(path)))).not.toContain('reached');
    server.close();
    local.close();
  });

  test('BASH-03 a time limit ends all that runs inside', async () => {
    expect(await place.said(`trap '' TERM; setsid sleep 77 & sleep 77`, { timeout: 500 })).toContain('ended at its time limit');
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/^sleep 77$/m);
  });

  test('permissions 50 leaving it is asked about', async () => {
    const outcome = await place.call('touch g', { dangerouslyDisableSandbox: true });
    expect(outcome.kind).toBe('refused');
    expect(existsSync(join(place.cwd, 'g'))).toBe(false);
  });

  test('permissions 51 a second host of one process is told that it has none', async () => {
    const other = await bashPlace({ settings: { sandbox: 'required' } });
    expect(await other.said('true')).toContain('another host of this process has it');
    await other.stop();
  });
});

describe('without what it is made of', () => {
  const without = async (word: string, run: (place: BashPlace) => Promise<void>) => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    const place = await bashPlace({ mode: 'default', settings: { sandbox: word } });
    process.env['PATH'] = path;
    try {
      await run(place);
    } finally {
      await place.stop();
    }
  };

  test('permissions 51 what is missing is said, nothing is allowed for its sake, and a run outside says that it is one', async () => {
    expect(await examineSandbox('on', '/nowhere')).toEqual({
      mode: 'on',
      missing: expect.stringMatching(/not on PATH; `apt-get install bubblewrap socat/) as string,
    });
    await without('on', async (place) => {
      expect((await place.call('touch f')).kind).toBe('refused');
      expect(await place.said('ls')).toMatch(/\[Not sandboxed: the sandbox is not available: bwrap, socat/);
    });
  });

  test('permissions 51 where it is required nothing runs', async () => {
    await without('required', async (place) => {
      const outcome = await place.call('ls');
      expect(outcome.kind).toBe('refused');
      expect(textOf(outcome.result.content)).toContain('apt-get install bubblewrap socat');
    });
  });
});

describe('what it lets through', () => {
  const rules: SandboxRules = { mode: 'on', autoAllow: true, mayLeave: true, excluded: ['docker *'], missing: undefined };
  /** One that nothing runs in. */
  const told = (more: Partial<SandboxRules>): Sandbox => ({
    rules: async () => ({ ...rules, ...more }),
    open: async () => ({ kind: 'refused', why: 'nothing runs here' }),
    close: async () => undefined,
  });
  const judged = async (
    command: string,
    options: Parameters<typeof bashPlace>[0] = {},
    more: Partial<SandboxRules> = {},
    input: object = {},
  ) => {
    const place = await bashPlace({ mode: 'default', shell: { sandbox: told(more) }, ...options });
    const { decision } = await place.session.explain('Bash', { command, ...input });
    await place.stop();
    return decision.kind;
  };

  test('permissions 51 every part must really run inside', async () => {
    expect(await judged('make')).toBe('allow');
    expect(await judged('make && docker run x')).toBe('ask');
    expect(await judged('docker run x')).toBe('ask');
    expect(await judged('make', {}, { autoAllow: false })).toBe('ask');
    expect(await judged('make', {}, { missing: 'no bwrap' })).toBe('ask');
    expect(await judged('make', {}, { mode: 'off' })).toBe('ask');
    expect(await judged('make', { mode: 'plan' })).toBe('ask');
    expect(await judged('rm -rf /usr')).toBe('ask');
  });

  test('permissions 50 nothing that leaves it inherits its leave', async () => {
    const leaving = { dangerouslyDisableSandbox: true };
    expect(await judged('make', {}, {}, leaving)).toBe('ask');
    expect(await judged('make', {}, { mayLeave: false }, leaving)).toBe('ask');
    expect(await judged('docker run x', {}, { mayLeave: false })).toBe('deny');
  });

  test('a sandbox that cannot be opened runs nothing outside instead', async () => {
    const place = await bashPlace({ shell: { sandbox: told({}) } });
    expect(await place.said('touch f')).toBe('The command was not run: nothing runs here');
    expect(existsSync(join(place.cwd, 'f'))).toBe(false);
    await place.stop();
  });
});

test('permissions 51 settings of the sandbox that nobody can read stop the shell and not the sandbox', async () => {
  const place = await bashPlace({ settings: { sandbox: { enabled: true, nett: [] } } });
  expect((await place.call('ls')).kind).toBe('unknown');
  await place.stop();
});
