/**
 * Reads catalogues in place and compares names of plugins, skills, commands, agents, hook events and servers with inventories of them:
 *   tsx --conditions=source bench/plugins/catalogues.ts INVENTORIES CHECKOUTS
 * INVENTORIES has a file owner+name.json for each; CHECKOUTS a folder owner+name at the commit of the inventory. What is not there is
 * said to be not comparable. A table of what was expected and what came comes first, then every name that differs. Hook events count
 * once for each plugin.
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

const FIELDS = ['skills', 'commands', 'agents', 'hookEvents', 'mcpServers', 'lspServers'] as const;

/** One catalogue: how many of each kind were expected and came, and what differs. */
interface Compared {
  readonly name: string;
  /** Plugins that load, then the fields in their order. */
  readonly counts: readonly { readonly want: number; readonly got: number }[];
  readonly lines: readonly string[];
  readonly ms: number;
}

const [inventories, checkouts] = process.argv.slice(2);
if (inventories === undefined || checkouts === undefined) throw new Error('name the folder of inventories and the folder of checkouts');
const home = await mkdtemp(join(tmpdir(), 'pegboard-catalogues-'));
const rows: (Compared | string)[] = [];
try {
  for (const file of (await readdir(inventories)).filter((name) => name.endsWith('.json')).sort()) {
    const name = file.replace(/\.json$/, '');
    const folder = join(checkouts, name);
    const inventory = JSON.parse(await readFile(join(inventories, file), 'utf8')) as Inventory;
    rows.push(existsSync(folder) ? await compare(name, folder, inventory) : name);
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
const head = ['catalogue', 'plugins', 'skills', 'commands', 'agents', 'hook events', 'servers', 'language servers', 'names', 'ms'];
const lines = [head.join(' | '), head.map(() => '---').join(' | '), ...rows.map(rowOf)].map((line) => `| ${line} |`);
process.stdout.write(`${lines.join('\n')}\n`);
for (const row of rows) if (typeof row !== 'string') for (const line of row.lines) process.stdout.write(`${row.name} ${line}\n`);

function rowOf(row: Compared | string): string {
  if (typeof row === 'string') return [row, 'not comparable: no checkout', ...head.slice(2).map(() => '')].join(' | ');
  const { name, counts, lines: differing, ms } = row;
  const verdict = differing.length === 0 ? 'equal' : `${differing.length} differ`;
  return [name, ...counts.map(({ want, got }) => `${want} / ${got}`), verdict, String(ms)].join(' | ');
}

async function compare(name: string, folder: string, { marketplace, plugins }: Inventory): Promise<Compared> {
  const { readCatalogue, readPacked, sourceIn } = await packedFolders();
  const started = performance.now();
  const catalogue = marketplace === null ? undefined : readCatalogue(folder);
  const read = plugins.map((want) => ({
    want,
    got: readPacked(catalogue ? sourceIn(catalogue, want.entry ?? want.name) : { folder: join(folder, want.dir) }),
  }));
  const ms = Math.round(performance.now() - started);
  const differing: string[] = [];
  // A plugin of the catalogue that nobody expected is a difference too.
  for (const entry of catalogue?.entries ?? [])
    if (entry.kind === 'here' && !plugins.some((want) => (want.entry ?? want.name) === entry.name))
      differing.push(`${entry.name}: nobody expected it`);
  const pairs = await Promise.all(
    read.map(async ({ want, got }) => {
      if ((got.kind === 'loads') !== want.loads)
        differing.push(`${want.name}: expected ${want.loads ? 'to load' : 'not to load'}; ${got.problems[0]?.error.message ?? ''}`);
      const found = got.kind === 'loads' ? await partsOf(got) : undefined;
      for (const field of FIELDS)
        if (found && want.loads && !isDeepStrictEqual(found[field], want[field].toSorted()))
          differing.push(`${want.name} ${field}: expected ${want[field].join(' ')}\n    got ${found[field].join(' ')}`);
      return { want: want.loads ? want : undefined, found };
    }),
  );
  const sum = (of: (pair: (typeof pairs)[number]) => number) => pairs.reduce((all, pair) => all + of(pair), 0);
  const counts = [
    { want: sum(({ want }) => (want ? 1 : 0)), got: sum(({ found }) => (found ? 1 : 0)) },
    ...FIELDS.map((field) => ({ want: sum(({ want }) => want?.[field].length ?? 0), got: sum(({ found }) => found?.[field].length ?? 0) })),
  ];
  return { name, counts, lines: differing, ms };
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
      agents: (await described.look()).agents
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
