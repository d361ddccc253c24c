import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { fakeServer, readRecord, temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startServers } from './start-servers.ts';

let folder: TemporaryFolder;
let record: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  record = join(folder.path, 'record');
});
afterEach(() => folder.remove());

const started = async () => (await readRecord(record)).flatMap((each) => (each.kind === 'start' ? [each] : []));

/** A process that has ended and was not yet collected by its parent counts as dead. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !/\) Z /.test(state);
}

async function untilDead(pid: number): Promise<void> {
  while (await isAlive(pid)) await promisify(setTimeout)(20);
}

describe('the process of a server', () => {
  test('M2.1 finds what it needs and what its definition gives it, and no secret of the host', async () => {
    process.env['PEGBOARD_TEST_SECRET'] = 'secret';
    process.env['LC_PEGBOARD'] = 'C';
    try {
      const definition = {
        ...fakeServer({ record }),
        env: { GIVEN: '${PEGBOARD_TEST_SECRET}', LEVEL: 3, FALLBACK: '${PEGBOARD_UNSET:-none}' },
      };
      const servers = await startServers({ notes: definition }, { folder: folder.path });
      await servers.stop();
    } finally {
      delete process.env['PEGBOARD_TEST_SECRET'];
      delete process.env['LC_PEGBOARD'];
    }
    const env = (await started())[0]?.env ?? {};
    expect(env).toMatchObject({ GIVEN: 'secret', LEVEL: '3', FALLBACK: 'none', LC_PEGBOARD: 'C', PATH: process.env['PATH'] });
    const allowed = /^(HOME|PATH|SHELL|USER|LOGNAME|TERM|LANG|LC_.*|TMPDIR|GIVEN|LEVEL|FALLBACK)$/;
    expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([]);
  });

  test('M2.1 works in the folder of its definition, which starts at the file, or else in the host’s', async () => {
    await mkdir(join(folder.path, 'inner'));
    const servers = await startServers(
      { a: { ...fakeServer({ record }), cwd: 'inner' }, b: fakeServer({ record }) },
      { folder: folder.path, cwd: join(folder.path, '..') },
    );
    await servers.stop();
    expect((await started()).map(({ cwd }) => cwd).sort()).toEqual([join(folder.path, '..'), join(folder.path, 'inner')].sort());
  });

  test('M2.6 MCP-27 ends with the host together with what it has started, however stubborn it is', async () => {
    const { command, args } = fakeServer({ record, tools: 1, stubborn: true });
    const quoted = [command, ...args].map((word) => `'${word.replace(/'/g, `'\\''`)}'`).join(' ');
    const servers = await startServers({ wrapped: { command: 'sh', args: ['-c', `${quoted}; exit 0`] } }, { folder: folder.path });
    const [{ pid } = { pid: 0 }] = await started();
    expect(await isAlive(pid)).toBe(true);
    await servers.stop();
    await untilDead(pid);
    expect(await readRecord(record)).toContainEqual({ kind: 'signal', signal: 'SIGTERM' });
  });

  test.each(['exit', 'SIGTERM', 'throw'] as const)('M2.6 MCP-27 does not outlive a host that ends by %s', async (way) => {
    const { command, args } = fakeServer({ record, stubborn: true });
    const kit = new URL('../../core/kit/process-group.ts', import.meta.url).href;
    const program = `
      import { ProcessGroups } from ${JSON.stringify(kit)};
      const groups = new ProcessGroups({ windows: false });
      new ProcessGroups({ windows: false });
      const member = groups.start({ command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)}, env: {}, cwd: '.' });
      member.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) + '\\n');
      member.stdout.once('data', () => {
        if (${JSON.stringify(way)} === 'exit') process.exit(0);
        if (${JSON.stringify(way)} === 'throw') throw new Error('on purpose');
        process.kill(process.pid, 'SIGTERM');
      });`;
    const file = join(folder.path, 'host.mts');
    await writeFile(file, program);
    const host = spawn(process.execPath, ['--import', 'tsx', file], { stdio: 'ignore' });
    const signal = await new Promise((resolve) => host.once('exit', (_code, by) => resolve(by)));
    expect(signal).toBe(way === 'SIGTERM' ? 'SIGTERM' : null);
    const [{ pid } = { pid: 0 }] = await started();
    expect(pid).toBeGreaterThan(0);
    await untilDead(pid);
  });

  test('M2.1 leaves what it says beside the protocol in a log of its own', async () => {
    const servers = await startServers(
      {
        'my.notes': fakeServer({
          noise: 'booting…\n',
          tools: [{ name: 'act' }],
          scripts: { act: [{ kind: 'stderr', text: 'working\n' }] },
        }),
      },
      { folder: folder.path },
    );
    await servers.call('mcp__my_notes__act');
    await servers.stop();
    const log = await readFile(join(folder.path, 'home', 'logs', 'mcp', 'my_notes.log'), 'utf8');
    expect(log).toContain('stdout: booting…\n');
    expect(log).toContain('working\n');
  });

  test('M9 a server that ends and quotes its command line and environment tells no secret: not in its status, an event, or its log', async () => {
    const secrets = ['S3cretOne', 'S3cretTwo', 'S3cretThree', 'S3cretFour'];
    const [one = '', two = '', three = '', four = ''] = secrets;
    // In two pieces, cut within a secret.
    const script = `const said = process.argv.slice(1).join(' ') + ' ' + JSON.stringify(process.env.MY_TOKEN) + '\\n';
      process.stderr.write(said.slice(0, 15), () => setTimeout(() => process.stderr.write(said.slice(15), () => process.exit(3)), 50));`;
    const args = ['-e', script, 'x', '--key', one, `--password=${two}`, `https://me:${three}@host/`];
    const servers = await startServers({ s: { command: process.execPath, args, env: { MY_TOKEN: four } } }, { folder: folder.path });
    const told = JSON.stringify([servers.host.pool().sources, servers.reports()]);
    await servers.stop();
    const log = await readFile(join(folder.path, 'home', 'logs', 'mcp', 's.log'), 'utf8');
    for (const text of [told, log]) {
      expect(text).toContain('--password=');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });
});

describe('a flood on stdout', () => {
  const flood = (text: string) => fakeServer({ tools: [{ name: 'act' }], noise: text });

  test('M2.1 of very many messages in one line stops nothing', async () => {
    const script = `process.stdout.write('[' + Array(130000).fill('{"jsonrpc":"2.0"}').join(',') + ']\\n'); await import(process.argv[1]);`;
    const { command, args } = flood('');
    const [file = '', plan = ''] = args;
    const servers = await startServers({ s: { command, args: ['--input-type=module', '-e', script, file, plan] } });
    try {
      expect(await servers.call('mcp__s__act')).toContain('act');
    } finally {
      await servers.stop();
    }
  }, 60_000);

  test('M2.1 of very many short lines is logged and skipped while others still get their turn', async () => {
    const script = `for (let at = 0; at < 20; at++) process.stdout.write('x\\n'.repeat(200000)); await import(process.argv[1]);`;
    const { command, args } = flood('');
    const [file = '', plan = ''] = args;
    const servers = await startServers({ s: { command, args: ['--input-type=module', '-e', script, file, plan] } });
    try {
      expect(await servers.call('mcp__s__act')).toContain('act');
    } finally {
      await servers.stop();
    }
  }, 60_000);
});
