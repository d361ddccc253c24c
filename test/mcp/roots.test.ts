import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fakeServer, readRecord } from 'pegboard/testing';
import { describe, expect, test, vi } from 'vitest';

import { RawServer, says } from './raw-server.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();
const files = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');

/** What a server hears that asks for roots in a call of it. */
async function rootsOf(definition: object): Promise<readonly string[]> {
  await mkdir(join(place.folder, 'some', 'files'), { recursive: true });
  const record = { tools: [{ name: 'act' }], scripts: { act: [{ kind: 'ask', method: 'roots/list' }] }, record: place.record } as const;
  const { command, args } = fakeServer(record);
  const { args: more = [], ...rest } = definition as { readonly args?: readonly string[] };
  const servers = await place.start({ s: { command, args: [...args, ...more], ...rest } });
  await servers.call('mcp__s__act');
  const heard = (await readRecord(place.record)).flatMap((each) => (each.kind === 'message' ? [each.message] : []));
  const { roots = [] } = (heard.findLast(({ result }) => result !== undefined)?.result ?? {}) as { roots?: readonly { uri: string }[] };
  return roots.map(({ uri }) => fileURLToPath(uri));
}

describe('a server that asks for roots', () => {
  test('MCP-47 is told of the folders the host works in where its definition names none', async () => {
    expect(await rootsOf({})).toEqual([place.folder]);
  });

  test.each([
    ['as it stands', (folder: string) => join(folder, 'some', 'files')],
    ['from where it works', () => 'some/files'],
    ['in an option', () => '--folder=some/files'],
  ])('is told of the folders its arguments name, and of no other: %s', async (_how, word) => {
    expect(await rootsOf({ args: ['stdio', word(place.folder), 'not-there'] })).toEqual([join(place.folder, 'some', 'files')]);
  });

  test('is told of what its definition says, whatever its arguments name', async () => {
    vi.stubEnv('SOME_FOLDER', 'some');
    expect(await rootsOf({ args: ['stdio', 'some/files'], roots: ['.', '${SOME_FOLDER}'] })).toEqual([
      place.folder,
      join(place.folder, 'some'),
    ]);
    vi.unstubAllEnvs();
  });

  test('cannot ask where its definition says that there are none', async () => {
    const server = new RawServer({ 'tools/call': async (_, { ask }) => says(await ask.call(server, 'roots/list')) });
    const servers = await place.start({ s: { instance: server, roots: [] } });
    expect(await servers.call('mcp__s__act')).toContain('"error"');
    expect(server.heard.find(({ method }) => method === 'initialize')?.params?.['capabilities']).not.toHaveProperty('roots');
  });

  test('is told of a change only where it follows the folders of the host', async () => {
    const server = () => new RawServer({});
    const [free, fixed] = [server(), server()];
    let add: (folders: readonly string[]) => void = () => undefined;
    const adds = {
      name: 'adds',
      setup: (scope: { contribute(point: 'mcp.root', all: readonly string[]): void }) =>
        void (add = (all) => scope.contribute('mcp.root', all)),
    };
    await place.start({ free: { instance: free }, fixed: { instance: fixed, roots: ['.'] } }, { plugins: [adds] });
    add([join(place.folder, 'other')]);
    await vi.waitFor(() => expect(free.methods).toContain('notifications/roots/list_changed'));
    expect(fixed.methods).not.toContain('notifications/roots/list_changed');
  });
});

describe('the server for files', () => {
  test('keeps to the folder of its arguments, although it follows the roots of a client', async () => {
    const inside = join(place.folder, 'inside');
    await mkdir(inside);
    await writeFile(join(place.folder, 'outside.txt'), 'not for it');
    const definition = { command: process.execPath, args: [files, inside] };
    const servers = await place.start({ narrow: definition, wide: { ...definition, roots: ['.'] } });
    const allowed = (server: string) => servers.call(`mcp__${server}__list_allowed_directories`);
    // When it has asked for roots is its own affair.
    await vi.waitFor(async () => expect((await allowed('wide')).split('\n')).toContain(place.folder), { timeout: 20_000, interval: 50 });
    expect(await allowed('narrow')).toContain(inside);
    expect((await allowed('narrow')).split('\n')).not.toContain(place.folder);
    expect(await servers.call('mcp__narrow__read_text_file', { path: join(place.folder, 'outside.txt') })).not.toContain('not for it');
    expect(await servers.call('mcp__wide__read_text_file', { path: join(place.folder, 'outside.txt') })).toContain('not for it');
  });
});
