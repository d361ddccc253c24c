import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Pool } from 'pegboard';
import { fakeServer } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { fetchedProgram } from '../../mcp/package-runner.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();

/** A program of this name that takes `seconds` to fetch what it runs, unless it has done so before. */
async function runner(
  name: string,
  seconds: number,
  server = fakeServer({ tools: [{ name: 'work' }], record: place.record }),
): Promise<string> {
  const folder = join(place.folder, 'bin');
  await mkdir(folder, { recursive: true });
  const command = [server.command, ...server.args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const fetched = join(place.folder, 'fetched');
  const lines = [
    '#!/bin/sh',
    `echo "$@" >> '${join(place.folder, 'begun')}'`,
    `if [ ! -e '${fetched}' ]; then echo "will be installed: some-server" >&2; sleep ${seconds}; touch '${fetched}'; fi`,
    `exec ${command}`,
  ];
  await writeFile(join(folder, name), `${lines.join('\n')}\n`);
  await chmod(join(folder, name), 0o755);
  return join(folder, name);
}

const begun = async () => (await readFile(join(place.folder, 'begun'), 'utf8')).trim().split('\n').length;
const statusOf = ({ sources }: Pool) => sources.find(({ owner }) => owner === 'mcp__it')?.status;

describe('a server that has to be fetched first', () => {
  test('M2.1 is given the time for that in one start, and says meanwhile what it is busy with', async () => {
    const command = await runner('npx', 5);
    const servers = await place.start({ it: { command, args: ['-y', 'some-server'], connectTimeout: 1_500 } }, { wait: false });
    const busy: unknown[] = [];
    await servers.until((pool) => {
      const status = statusOf(pool);
      if (status?.kind === 'connecting' && status.doing !== undefined) busy.push(status.doing);
      return status?.kind === 'ready';
    });
    expect(busy[0]).toBe('npx may be fetching the package, for which it has 300 s; it last printed "will be installed: some-server"');
    expect(await begun()).toBe(1);
    expect(await servers.call('mcp__it__work')).toContain('work');
  });

  test('M2.1 once met it has no longer than any other, but for one start after it was silent, of which whoever calls hears', async () => {
    const command = await runner('npx', 7);
    const it = { command, args: ['-y', 'some-server'], connectTimeout: 3_000, fetchTimeout: 60_000 };
    await writeFile(join(place.folder, 'fetched'), '');
    await (await place.start({ it })).host.close();
    await writeFile(command, (await readFile(command, 'utf8')).replaceAll('/fetched', '/fetched-anew'));
    const servers = await place.start({ it }, { wait: false });
    expect(await servers.call('mcp__it__work')).toMatch(
      /did not answer initialize within 3000 ms.* The first time npx fetches the package/,
    );
    expect(await servers.call('mcp__it__work')).toContain('"name":"work"');
    expect(servers.events).toContainEqual(
      expect.objectContaining({
        kind: 'progress',
        progress: expect.stringMatching(/^server "it": npx may be fetching the package, for which it has 60 s/),
      }),
    );
  });

  test.each([
    { what: '`fetchTimeout: 0`', definition: { args: ['-y', 'x'], fetchTimeout: 0 }, name: 'npx', says: /within 600 ms/ },
    { what: 'no program that fetches', definition: { args: ['-y', 'x'] }, name: 'serve', says: /within 600 ms/ },
    {
      what: 'a `fetchTimeout` that is over',
      definition: { args: ['x'], fetchTimeout: 900 },
      name: 'uvx',
      says: /within 900 ms.*uvx fetches/,
    },
  ])('M2.1 with $what it is ended at the limit', async ({ definition, name, says }) => {
    const command = await runner(name, 60);
    const servers = await place.start({ it: { command, connectTimeout: 600, ...definition } }, { wait: false });
    await servers.until((pool) => statusOf(pool)?.kind === 'failed');
    expect(statusOf(servers.host.pool())).toMatchObject({ message: expect.stringMatching(says) });
  });
});

test.each<[line: string, program: string | undefined, args?: string]>([
  ['npx -y some-server --port 1', 'npx', '-y some-server --port 1'],
  ['/usr/local/bin/npx some-server', 'npx'],
  ['C:\\Program_Files\\nodejs\\npx.cmd some-server', 'npx'],
  ['cmd /c npx -y some-server', 'npx', '-y some-server'],
  ['cmd.exe /d /s /C npx.cmd x', 'npx'],
  ['env A=1 B=2 uvx some-server', 'uvx', 'some-server'],
  ['npm exec --yes some-server', 'npm exec', '--yes some-server'],
  ['npm --silent exec x', 'npm exec', 'x'],
  ['uv run server.py', 'uv run'],
  ['uv tool run x', 'uv tool run', 'x'],
  ['docker run -i --rm mcp/fetch', 'docker run', '-i --rm mcp/fetch'],
  ['bunx x', 'bunx'],
  ['npm install x', undefined],
  ['docker ps', undefined],
  ['uv', undefined],
  ['node npx', undefined],
  ['sh run.sh', undefined],
])('which program fetches what a line runs: %s', (line, program, args) => {
  const [command = '', ...words] = line.split(' ');
  const found = fetchedProgram({ kind: 'stdio', command, args: words, env: {} });
  expect(found?.words.join(' ')).toBe(program);
  if (args !== undefined) expect(found?.args.join(' ')).toBe(args);
});

test.each(['npx -y x', 'A=1 exec npx -y x', '  npx   -y x'])('a line within a shell is looked at: sh -c "%s"', (line) => {
  expect(fetchedProgram({ kind: 'stdio', command: 'sh', args: ['-lc', line], env: {} })?.words).toEqual(['npx']);
});
