// `npm run conformance:client [-- SCENARIO…]`: the official suite's scenarios for clients, one after the other, against `client.mjs`.
// The pinned runners, and the newer Node they need, are put into a folder of their own the first time: they are far too big for
// everybody who works on this package. Prints a table; fails if a scenario fails that the suite requires.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const cache = process.env.PEGBOARD_CONFORMANCE_DIR ?? join(here, '..', '..', 'node_modules', '.cache', 'conformance');
const wanted = process.argv.slice(2);
const run = promisify(execFile);
const print = (line) => process.stdout.write(`${line}\n`);

const NODE = '22.23.3';
const LIMIT_MS = 60_000;
/** Each frozen set of scenarios: which runner, which revision, and how its list is asked for. */
const GATES = [
  { name: '0.1.16 all', runner: '0.1.16', list: [] },
  { name: '0.2.0-alpha.12, 2025-11-25', runner: '0.2.0-alpha.12', list: ['--requirements', '2025-11-25'], revision: '2025-11-25' },
  { name: '0.2.0-alpha.12, 2026-07-28', runner: '0.2.0-alpha.12', list: ['--requirements', '2026-07-28'], revision: '2026-07-28' },
];

/** Installs a package by itself, without running anything of it. */
async function installed(name, version) {
  const folder = join(cache, `${name.replace(/\W+/g, '-')}-${version}`);
  if (!existsSync(join(folder, 'node_modules', name))) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    process.stderr.write(`installing ${name}@${version} …\n`);
    await run('npm', ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: folder });
  }
  return join(folder, 'node_modules', name);
}

async function nodeForRunner() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  return join(await installed(`node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`, NODE), 'bin', 'node');
}

async function runner(node, version) {
  const main = join(await installed('@modelcontextprotocol/conformance', version), 'dist', 'index.js');
  const env = { ...process.env, NODE_OPTIONS: `--require=${join(here, 'only-this-machine.cjs')}` };
  return (args) => run(node, [main, ...args], { env, timeout: LIMIT_MS, maxBuffer: 2 ** 28 }).catch((failure) => failure);
}

/** The scenarios of a gate. Drafts and extensions are run and shown, and count for nothing. */
async function scenariosOf({ list }, suite) {
  const { stdout } = await suite(['list', '--client', ...list]);
  const lines = stdout.slice(stdout.indexOf('Client scenarios')).split('\n');
  const unscored = lines.findIndex((line) => line.startsWith('Run and reported'));
  return lines.flatMap((line, at) => {
    const [, name, more = ''] = /^\s+- (\S+)(.*)$/.exec(line) ?? [];
    if (name === undefined || more.includes('[server]')) return [];
    return [{ name, required: !/\[(draft|extension)\]/.test(more) && (unscored === -1 || at < unscored) }];
  });
}

async function runScenario({ name, required }, { revision }, suite) {
  const output = await mkdtemp(join(tmpdir(), 'conformance-'));
  const client = `env -u NODE_OPTIONS ${process.execPath} ${join(here, 'client.mjs')}`;
  const result = await suite([
    'client',
    ...['--command', client, '--scenario', name, '-o', output],
    ...(revision === undefined ? [] : ['--spec-version', revision, ...(required ? [] : ['--force'])]),
  ]);
  const files = await readdir(output, { recursive: true });
  const read = async (end) => {
    const file = files.find((each) => each.endsWith(end));
    return file === undefined ? '' : readFile(join(output, file), 'utf8');
  };
  const checks = JSON.parse((await read('checks.json')) || '[]').filter(({ status }) => status !== 'INFO');
  const said = (await read('stderr.txt')).trim().split('\n').at(-1) ?? '';
  await rm(output, { recursive: true, force: true });
  const count = (status) => checks.filter((check) => check.status === status).length;
  const failed = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`.slice(0, 160));
  const passed = result.code === undefined || result.code === 0;
  return {
    name,
    required,
    passed,
    ok: count('SUCCESS'),
    failed: count('FAILURE'),
    warned: count('WARNING'),
    skipped: count('SKIPPED'),
    why: failed[0] ?? (passed ? '' : said.slice(0, 160)),
  };
}

const node = await nodeForRunner();
let missing = 0;
for (const gate of GATES) {
  const suite = await runner(node, gate.runner);
  const all = await scenariosOf(gate, suite);
  const chosen = wanted.length === 0 ? all : all.filter(({ name }) => wanted.some((part) => name.startsWith(part)));
  print(`\n${gate.name}\n${'scenario'.padEnd(44)} result     ok fail warn skip`);
  const results = [];
  for (const scenario of chosen) {
    const result = await runScenario(scenario, gate, suite);
    results.push(result);
    const { name, required, passed, ok, failed, warned, skipped, why } = result;
    const verdict = `${passed ? 'pass' : 'FAIL'}${required ? '' : ' (unscored)'}`;
    print(`${name.padEnd(44)} ${verdict.padEnd(15)} ${[ok, failed, warned, skipped].join(' ').padEnd(10)} ${why}`);
  }
  const required = results.filter((each) => each.required);
  missing += required.filter(({ passed }) => !passed).length;
  print(`required: ${required.filter(({ passed }) => passed).length} of ${required.length}`);
}
process.exitCode = missing === 0 ? 0 : 1;
