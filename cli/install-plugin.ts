import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import { causeText, PegboardError } from 'pegboard';
import { packedFolders } from 'pegboard/builtin-plugins';

import { isNative } from './known-plugins.ts';

/** What was installed and where it lies. */
export interface InstalledPlugin {
  readonly name: string;
  readonly folder: string;
}

/**
 * Installs a package of npm (`npm:NAME`) or a tarball into the store of a home. No script of any package is run, every entry of the
 * tarball is judged before, and the store changes in one step or not at all. Throws PLUGIN_INSTALL or PACKED_ARCHIVE.
 */
export async function installPlugin(source: string, home: string): Promise<InstalledPlugin> {
  return inDraft(source, home, async (draft, store) => {
    await writeFile(join(draft, 'package.json'), '{"private":true}\n');
    const tarball = source.startsWith('npm:') ? await fetched(source.slice('npm:'.length), draft) : resolve(source);
    const name = await nameIn(tarball);
    await npm(['install', tarball, '--omit=dev', '--omit=peer', '--legacy-peer-deps', '--no-save', '--no-package-lock'], draft);
    await rm(join(draft, basename(tarball)), { force: true });
    const inside = join('node_modules', ...name.split('/'));
    if (!isNative(join(draft, inside)) && !(await packedFolders()).isPacked(join(draft, inside)))
      throw new Error(`the package ${name} is no plugin: it exports nothing and has no .claude-plugin folder`);
    await writeFile(join(draft, 'package.json'), `${JSON.stringify({ private: true, pegboardInstalled: { package: name, source } })}\n`);
    return { name, folder: join(await putInPlace(draft, store, name), inside) };
  });
}

/** Unpacks the archive of a packed folder into the store of a home, every entry judged before. Throws PLUGIN_INSTALL or PACKED_ARCHIVE. */
export async function installArchive(file: string, home: string): Promise<InstalledPlugin> {
  return inDraft(file, home, async (draft, store) => {
    const { isPacked, readPacked, unpackPlugin } = await packedFolders();
    const folder = await unpackPlugin(file, join(home, 'cache', 'archives'));
    if (isNative(folder) || !isPacked(folder))
      throw new Error('there is no packed folder in it; a native plugin comes as npm:NAME or .tgz');
    const read = readPacked({ folder });
    if (read.kind === 'broken') throw read.problems[0]?.error ?? new Error('it cannot be read');
    // Without a manifest the folder gives the name, and the one of the cache is nobody's.
    const name =
      basename(dirname(folder)) === 'archives' && read.name === basename(folder) ? basename(file).replace(/\.zip$/i, '') : read.name;
    await cp(folder, draft, { recursive: true, verbatimSymlinks: true });
    const place = await putInPlace(draft, store, name);
    return { name: name === read.name ? name : basename(place), folder: place };
  });
}

async function inDraft<Value>(source: string, home: string, install: (draft: string, store: string) => Promise<Value>): Promise<Value> {
  const store = join(home, 'plugins');
  await mkdir(store, { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(join(store, '.draft-'));
  try {
    return await install(draft, store);
  } catch (cause) {
    throw cause instanceof PegboardError
      ? cause
      : new PegboardError('PLUGIN_INSTALL', { source, cause: causeText(cause).replace(/\.$/, '') }, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function fetched(name: string, folder: string): Promise<string> {
  await npm(['pack', name, '--pack-destination', folder], folder);
  const file = (await readdir(folder)).find((each) => each.endsWith('.tgz'));
  if (file === undefined) throw new Error('npm has given no package');
  return join(folder, file);
}

/** The name of the package in a tarball, when nothing speaks against the tarball. */
async function nameIn(tarball: string): Promise<string> {
  const { tarComplaint, tarEntries } = await packedFolders();
  const entries = tarEntries(await readFile(tarball));
  const complaint = tarComplaint(entries);
  if (complaint) throw new PegboardError('PACKED_ARCHIVE', { file: tarball, ...complaint });
  const manifest = entries.find(({ name }) => /^[^/]+\/package\.json$/.test(name));
  const { name } = JSON.parse(manifest?.content.toString('utf8') ?? '{}') as { readonly name?: unknown };
  if (typeof name === 'string' && /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name)) return name;
  throw new Error('there is no package.json with a name in it');
}

/** The old one goes only when the new one is there. */
async function putInPlace(draft: string, store: string, name: string): Promise<string> {
  const place = join(store, name.replace(/[^A-Za-z0-9._-]/g, '_'));
  const old = `${draft}-old`;
  if (existsSync(place)) await rename(place, old);
  await rename(draft, place);
  await rm(old, { recursive: true, force: true });
  return place;
}

const LIMIT_MS = 300_000;

async function npm(words: readonly string[], cwd: string): Promise<void> {
  const program = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(program, [...words, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
    timeout: LIMIT_MS,
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  const code = await new Promise<number | null>((settle, fail) => {
    child.on('error', fail);
    child.on('close', settle);
  });
  if (code !== 0)
    throw new Error(`npm ${words[0] ?? ''} failed: ${said.trim().split('\n').slice(0, 3).join(' ') || `it ended with ${code}`}`);
}
