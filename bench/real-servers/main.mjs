// `node bench/real-servers/main.mjs [FOLDER]`, from a build: the servers of `servers.mjs` side by side in one configuration, each listed and
// called once through the command line. The packages are taken from FOLDER, and put there (or into a folder that is gone afterwards) where
// they are not; nothing of their installing is run. Prints a table; fails if one of them cannot be listed or called.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { SERVERS } from './servers.mjs';

const run = promisify(execFile);
const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const temporary = await realpath(await mkdtemp(join(tmpdir(), 'pegboard-real-')));
const [given] = process.argv.slice(2);
const packages = given === undefined ? join(temporary, 'packages') : resolve(given);
const home = join(temporary, 'home');
const work = join(temporary, 'work');

const nameOf = (spec) => spec.slice(0, spec.lastIndexOf('@'));
const inFolder = (value) => JSON.parse(JSON.stringify(value).replaceAll('FOLDER', work));

async function install() {
  const missing = SERVERS.filter((server) => !existsSync(join(packages, 'node_modules', nameOf(server.package))));
  if (missing.length === 0) return;
  await mkdir(packages, { recursive: true });
  if (!existsSync(join(packages, 'package.json'))) await writeFile(join(packages, 'package.json'), '{"private":true}');
  process.stderr.write(`installing ${missing.length} packages …\n`);
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '-E', ...missing.map((server) => server.package)], {
    cwd: packages,
  });
}

async function definitionOf({ package: spec, args = [], env }) {
  const folder = join(packages, 'node_modules', nameOf(spec));
  const { bin, version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = join(folder, typeof bin === 'string' ? bin : Object.values(bin)[0]);
  return { version, definition: inFolder({ command: process.execPath, args: [file, ...args], env, connectTimeout: 60_000 }) };
}

/** What a command answers with `--json`, however it ended. */
async function pegboard(...args) {
  const env = { ...process.env, PEGBOARD_HOME: home, HOME: join(temporary, 'person') };
  const { stdout } = await run(process.execPath, [cli, ...args, '--json'], { cwd: work, env, maxBuffer: 2 ** 28 }).catch(
    (failure) => failure,
  );
  return JSON.parse(stdout);
}

try {
  await install();
  await mkdir(join(temporary, 'person'), { recursive: true });
  await mkdir(home, { recursive: true });
  await mkdir(work, { recursive: true });
  await run('git', ['init', '-q', work]);
  await writeFile(join(work, 'a.js'), 'const a = 1;\nexport { a };\n');
  await writeFile(join(work, 'a.drawio'), '<mxfile><diagram name="First"><mxGraphModel><root/></mxGraphModel></diagram></mxfile>');
  await writeFile(join(work, 'eslint.config.js'), 'export default [];\n');
  const read = await Promise.all(SERVERS.map(async (server) => ({ ...server, ...(await definitionOf(server)) })));
  const mcpServers = Object.fromEntries(read.map(({ name, definition }) => [name, definition]));
  await writeFile(join(home, 'settings.json'), JSON.stringify({ mcpServers }));
  await pegboard('trust', work);
  const listed = new Map((await pegboard('mcp', 'list', '--check')).map((server) => [server.name, server]));
  const rows = [];
  for (const { name, package: spec, version, tool, input, says } of read) {
    const { stage, tools, tokens, firstUseMs, lastError } = listed.get(name) ?? {};
    const begun = performance.now();
    const answer = await pegboard(
      'tools',
      'call',
      `mcp__${name}__${tool}`,
      '--input',
      JSON.stringify(inFolder(input)),
      '--allow',
      `mcp__${name}`,
    );
    const ms = performance.now() - begun;
    const ok = stage === 'started' && answer.isError !== true && says.test(JSON.stringify(answer));
    if (!ok) process.stderr.write(`${name}: ${lastError?.message ?? JSON.stringify(answer).slice(0, 500)}\n`);
    rows.push({
      ok,
      cells: [
        nameOf(spec),
        version,
        tools,
        tokens,
        `${((firstUseMs ?? 0) / 1_000).toFixed(1)} s`,
        tool,
        `${(ms / 1_000).toFixed(1)} s`,
        ok ? 'as it should' : 'NOT',
      ],
    });
  }
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const head = ['package', 'version', 'tools', 'tokens', 'starts in', 'call', 'took', 'answered'];
  console.log([line(head), line(head.map(() => '---')), ...rows.map(({ cells }) => line(cells))].join('\n'));
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
} finally {
  await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
}
