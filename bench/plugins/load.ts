/**
 * Load times of packed plugins, and what a model is told of many skills:
 *   tsx --conditions=source bench/plugins/load.ts [CATALOGUE]
 * CATALOGUE is a folder with a catalogue; all plugins that lie in it are loaded at once. Then a host without plugins is started beside one
 * with fifty, and 600 skills are listed. Last the built command line lists tools in homes with no plugin, with fifty and with all of the
 * catalogue, a process each, in turns. CPU time, and the best of several, as other work on the machine counts in no other way.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createHost, type Plugin } from 'pegboard';
import { builtinPlugins, packedFolders, type ReadPacked } from 'pegboard/builtin-plugins';
import { skills } from 'pegboard/skills';
import { scriptedModel } from 'pegboard/testing';

const TURNS = 7;
const home = await mkdtemp(join(tmpdir(), 'pegboard-load-'));
const { packedPlugin, readCatalogue, readPacked } = await packedFolders();

/** The least CPU time and wall time of some work in milliseconds, and what the last turn gave. */
async function best<Value>(
  work: () => Value | Promise<Value>,
): Promise<{ readonly cpu: number; readonly wall: number; readonly value: Value }> {
  let [cpu, wall] = [Infinity, Infinity];
  let value: Value | undefined;
  for (let turn = 0; turn < TURNS; turn++) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    value = await work();
    const { user, system } = process.cpuUsage(before);
    cpu = Math.min(cpu, (user + system) / 1_000);
    wall = Math.min(wall, performance.now() - began);
  }
  return { cpu, wall, value: value as Value };
}
const ms = ({ cpu, wall }: { readonly cpu: number; readonly wall: number }) => `${cpu.toFixed(1)} ms CPU, ${wall.toFixed(1)} ms`;

const pluginsOf = (all: readonly ReadPacked[]): readonly Plugin[] =>
  all.flatMap((read) => (read.kind === 'loads' ? [packedPlugin(read, { trusted: true, options: {}, project: home })] : []));

async function start(plugins: readonly Plugin[]): Promise<void> {
  const written = skills();
  const host = await createHost({ builtins: [...builtinPlugins(), written.plugin], plugins, home, cwd: home });
  await written.look();
  await host.close();
}

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Says at the end of a process what it cost. */
const METER = `data:text/javascript,import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(2, '\\nCPU ' + JSON.stringify(process.cpuUsage())))`;

/** One start of the command line in a home. */
async function startOf(at: string): Promise<{ readonly cpu: number; readonly wall: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', METER, PROGRAM, 'tools', 'list', '--json'], {
    cwd: at,
    env: { ...process.env, PEGBOARD_HOME: at },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
  await new Promise((settle) => child.on('close', settle));
  const { user, system } = JSON.parse(/\nCPU (.+)$/.exec(said)?.[1] ?? '{"user":0,"system":0}') as NodeJS.CpuUsage;
  return { cpu: (user + system) / 1_000, wall: performance.now() - began };
}

/** Homes in turns, so that a busy machine is busy for all of them; the least of each. */
async function startsOf(homes: Readonly<Record<string, string>>): Promise<void> {
  const least = new Map<string, { readonly cpu: number; readonly wall: number }>();
  for (let turn = 0; turn < TURNS; turn++)
    for (const [name, at] of Object.entries(homes)) {
      const { cpu, wall } = await startOf(at);
      const before = least.get(name) ?? { cpu, wall };
      least.set(name, { cpu: Math.min(cpu, before.cpu), wall: Math.min(wall, before.wall) });
    }
  const [first] = least.values();
  for (const [name, cost] of least) {
    const share = first ? Math.round((100 * (cost.cpu - first.cpu)) / cost.cpu) : 0;
    process.stdout.write(`tools list, ${name}: ${ms(cost)}; ${share} % of it for plugins\n`);
  }
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

try {
  const bare = await best(() => start([]));
  process.stdout.write(`start without plugins: ${ms(bare)}\n`);
  const catalogue = process.argv[2];
  if (catalogue !== undefined) {
    const read = await best(() =>
      readCatalogue(catalogue).entries.flatMap((entry) => (entry.kind === 'here' ? [readPacked(entry.source)] : [])),
    );
    const loads = pluginsOf(read.value);
    const whole = await best(() => start(pluginsOf(read.value)));
    process.stdout.write(
      `${loads.length} plugins of a catalogue: read in ${ms(read)}; start with all of them and their skills ${ms(whole)}\n`,
    );
  }
  const folders = Array.from({ length: 50 }, (_, at) => join(home, 'packs', `pack-${at}`));
  for (const folder of folders) {
    await put(join(folder, '.claude-plugin/plugin.json'), JSON.stringify({ name: folder.split(/[\\/]/).at(-1) }));
    for (const name of ['one', 'two', 'three'])
      await put(join(folder, `skills/${name}/SKILL.md`), `---\ndescription: ${name}, for the load\n---\nbody`);
    await put(join(folder, 'commands/go.md'), 'Go.');
    await put(join(folder, 'agents/helper.md'), '---\nname: helper\ndescription: helps\n---\nx');
    await put(join(folder, 'hooks/hooks.json'), JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] } }));
  }
  const fifty = await best(() => folders.map((folder) => readPacked({ folder })));
  const started = await best(() => start(pluginsOf(folders.map((folder) => readPacked({ folder })))));
  const share = Math.round((100 * (started.cpu - bare.cpu)) / started.cpu);
  process.stdout.write(`50 plugins: read in ${ms(fifty)}; start with them ${ms(started)}, ${share} % of it theirs\n`);

  const many = join(home, 'skills');
  for (let at = 0; at < 600; at++)
    await put(join(many, `procedure-${at}`, 'SKILL.md'), `---\ndescription: ${'Use it for something. '.repeat(10)}\n---\nbody`);
  const written = skills();
  const host = await createHost({ builtins: [written.plugin], home, cwd: home, trusted: () => true });
  const looked = await best(() => written.look());
  const model = scriptedModel([{ text: 'done' }]);
  for await (const event of host.session().run('hello', { model })) void event;
  const told = model.requests[0]?.messages
    .flatMap(({ content }) => [...content])
    .find((block) => block.type === 'text' && block.text.includes('These skills'));
  const bytes = told?.type === 'text' ? Buffer.byteLength(told.text) : 0;
  process.stdout.write(`600 skills: looked for again in ${ms(looked)}; a model is told of them in ${bytes} bytes\n`);
  await host.close();

  const homes = { 'no plugin': join(home, 'bare'), '50 plugins': join(home, 'fifty') };
  await put(join(homes['no plugin'], 'settings.json'), '{}');
  await put(join(homes['50 plugins'], 'settings.json'), JSON.stringify({ plugins: folders }));
  if (catalogue === undefined) await startsOf(homes);
  else {
    const { name, entries } = readCatalogue(catalogue);
    const all = entries.flatMap((entry) => (entry.kind === 'here' ? [`${entry.name}@${name}`] : []));
    const settings = {
      extraKnownMarketplaces: { [name]: { source: { source: 'directory', path: catalogue } } },
      enabledPlugins: Object.fromEntries(all.map((id) => [id, true])),
    };
    await put(join(home, 'whole', 'settings.json'), JSON.stringify(settings));
    await startsOf({ ...homes, [`a catalogue of ${all.length} plugins`]: join(home, 'whole') });
  }
} finally {
  await rm(home, { recursive: true, force: true });
}
