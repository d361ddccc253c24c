/**
 * Reads catalogues in place and compares names of plugins, skills, commands, agents, hook events and servers with inventories of them:
 *   tsx --conditions=source bench/plugins/catalogues.ts INVENTORIES CHECKOUTS
 * INVENTORIES has a file owner+name.json for each; CHECKOUTS a folder owner+name at the commit of the inventory. What is not there is
 * said to be not comparable.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { createHost } from 'pegboard';
import { agentDefinitions, packedFolders, type PackedContents } from 'pegboard/builtin-plugins';
import { skills } from 'pegboard/skills';

interface Listed {
  readonly name: string;
  readonly entry?: string;
  readonly dir: string;
  readonly loads: boolean;
  readonly skills: readonly string[];
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly hookEvents: readonly string[];
  readonly mcpServers: readonly string[];
  readonly lspServers: readonly string[];
}
interface Inventory {
  readonly marketplace: object | null;
  readonly plugins: readonly Listed[];
}

const [inventories, checkouts] = process.argv.slice(2);
if (inventories === undefined || checkouts === undefined) throw new Error('name the folder of inventories and the folder of checkouts');
const home = await mkdtemp(join(tmpdir(), 'pegboard-catalogues-'));
try {
  for (const file of (await readdir(inventories)).filter((name) => name.endsWith('.json')).sort()) {
    const name = file.replace(/\.json$/, '');
    const folder = join(checkouts, name);
    const inventory = JSON.parse(await readFile(join(inventories, file), 'utf8')) as Inventory;
    process.stdout.write(existsSync(folder) ? await compare(name, folder, inventory) : `${name}: not comparable, no checkout\n`);
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

async function compare(name: string, folder: string, { marketplace, plugins }: Inventory): Promise<string> {
  const { readCatalogue, readPacked, sourceIn } = await packedFolders();
  const started = performance.now();
  const catalogue = marketplace === null ? undefined : readCatalogue(folder);
  const here = catalogue?.entries.filter(({ kind }) => kind === 'here').length ?? plugins.length;
  const read = plugins.map((want) => ({
    want,
    got: readPacked(catalogue ? sourceIn(catalogue, want.entry ?? want.name) : { folder: join(folder, want.dir) }),
  }));
  const ms = Math.round(performance.now() - started);
  const lines: string[] = [];
  for (const { want, got } of read) {
    if ((got.kind === 'loads') !== want.loads)
      lines.push(`  ${want.name}: expected ${want.loads ? 'to load' : 'not to load'}; ${got.problems[0]?.error.message ?? ''}`);
    if (got.kind !== 'loads' || !want.loads) continue;
    const found = await partsOf(got);
    for (const [field, names] of Object.entries(found))
      if (!isDeepStrictEqual(names, want[field as keyof typeof found].toSorted()))
        lines.push(`  ${want.name} ${field}: expected ${want[field as keyof typeof found].join(' ')}\n    got ${names.join(' ')}`);
  }
  const verdict = lines.length === 0 ? 'equal' : `${lines.length} differences`;
  return [`${name}: ${here} of ${plugins.length} plugins, ${verdict}, located in ${ms} ms`, ...lines, ''].join('\n');
}

/** The names of a plugin's parts, by kind, without its namespace. */
async function partsOf(read: PackedContents) {
  const written = skills();
  const described = agentDefinitions();
  const { packedPlugin } = await packedFolders();
  const host = await createHost({
    builtins: [written.plugin, described.plugin],
    plugins: [packedPlugin(read, { trusted: true, options: {}, project: home })],
    home,
    cwd: home,
  });
  try {
    const own = (await written.look()).skills.filter(({ from }) => from.plugin === read.id);
    const named = (kind: 'skill' | 'command') =>
      own
        .filter((each) => each.kind === kind)
        .map(({ id }) => id.slice(read.name.length + 1))
        .toSorted();
    return {
      skills: named('skill'),
      commands: named('command'),
      agents: (await described.look())
        .filter(({ from }) => from.plugin === read.id)
        .map(({ id }) => id.slice(read.name.length + 1))
        .toSorted(),
      hookEvents: [...new Set(read.hooks.flatMap(({ map }) => Object.keys(map)))].toSorted(),
      mcpServers: read.servers.map(({ name }) => name).toSorted(),
      lspServers: read.languageServers.toSorted(),
    };
  } finally {
    await host.close();
  }
}
