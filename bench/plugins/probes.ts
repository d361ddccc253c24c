/**
 * Loads small packed plugins, one edge case each, and compares what came of each with what was expected:
 *   tsx --conditions=source bench/plugins/probes.ts FOLDER
 * FOLDER has the plugins and an expected.json: {case: {name, loads, listed, modelListed, agents, errors: [{type}]}}.
 */
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { createHost } from 'pegboard';
import { agentDefinitions, packedFolders } from 'pegboard/builtin-plugins';
import { skills } from 'pegboard/skills';

interface Expected {
  readonly name: string | null;
  readonly loads: boolean;
  readonly listed: readonly string[];
  readonly modelListed: readonly string[];
  readonly agents: readonly string[];
  readonly errors: readonly { readonly type: string }[];
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('name the folder of the plugins');
const expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Readonly<Record<string, Expected>>;
const home = await mkdtemp(join(tmpdir(), 'pegboard-probes-'));
let missed = 0;
try {
  for (const [name, want] of Object.entries(expected)) {
    const copy = join(home, 'copies', name);
    await cp(join(folder, name), copy, { recursive: true });
    await linkAgain(copy);
    const got = await look(copy);
    const fields = (Object.keys(got) as (keyof Expected)[]).filter((field) => !isDeepStrictEqual(got[field], want[field]));
    if (fields.length > 0) missed++;
    for (const field of fields)
      process.stdout.write(`${name} ${field}: expected ${JSON.stringify(want[field])}, got ${JSON.stringify(got[field])}\n`);
  }
  const all = Object.keys(expected).length;
  process.stdout.write(`${all - missed} of ${all} as expected\n`);
  process.exitCode = missed === 0 ? 0 : 1;
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Links that a checkout has turned into files with nothing but a path in them are links again. */
async function linkAgain(copy: string): Promise<void> {
  const entries = await readdir(copy, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await stat(path)).size > 200) continue;
    const text = await readFile(path, 'utf8');
    if (!/^[\w./-]+$/.test(text) || (entry.name.includes('.') && !text.includes('/'))) continue;
    await rm(path, { force: true });
    await symlink(text, path);
  }
}

/** One plugin alone on a host. `modelListed` is what the format's owner lists at a start: skills that say what they are for and that people may type. */
async function look(path: string): Promise<Expected> {
  const { packedPlugin, readPacked } = await packedFolders();
  const read = readPacked({ folder: path });
  const errors = read.problems.flatMap((problem) => (problem.kind === 'error' ? [{ type: problem.type }] : []));
  if (read.kind === 'broken') return { name: null, loads: false, listed: [], modelListed: [], agents: [], errors };
  const written = skills();
  const agents = agentDefinitions();
  const plugin = packedPlugin(read, { trusted: true, options: {}, project: home });
  const host = await createHost({ builtins: [written.plugin, agents.plugin], plugins: [plugin], home, cwd: home });
  try {
    const all = (await written.look()).skills.filter(({ from }) => from.plugin === read.id);
    const names = (ids: readonly string[]) => ids.map((id) => id.slice(read.name.length + 1)).toSorted();
    return {
      name: read.name,
      loads: true,
      listed: names(all.filter(({ fields }) => fields.forPerson).map(({ id }) => id)),
      modelListed: names(
        all.filter(({ kind, described, fields }) => kind === 'skill' && described && fields.forPerson).map(({ id }) => id),
      ),
      agents: names((await agents.look()).agents.filter(({ from }) => from.plugin === read.id).map(({ id }) => id)),
      errors,
    };
  } finally {
    await host.close();
  }
}
