import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pegboard = join(root, 'dist', 'cli', 'main.js');

/** What a user would type: everything the demo needs stands on its command lines. */
const BOARD = ['--mcp-config', 'examples/demo/mcp.json', '--plugin-dir', 'examples/demo/plugin'];
const ALLOWED = ['--allow', 'mcp__everything', '--allow', 'mcp__filesystem__list_directory'];

const REQUESTS = [
  { text: 'echo the message "hello board"', ends: 0 },
  { text: 'list the directory "notes"', ends: 0 },
  { text: 'write the file path="new.txt" content="nobody allowed this"', ends: 3 },
];

/** Puts up the board, takes three requests end to end, or one of your own, and leaves nothing behind. */
export async function main(own) {
  if (!existsSync(pegboard)) {
    console.error('The demo runs the build, and there is none. Run `npm ci` (or `npm run build`) first.');
    process.exitCode = 1;
    return;
  }
  const home = await mkdtemp(join(tmpdir(), 'pegboard-demo-'));
  const env = { ...process.env, PEGBOARD_HOME: home, PEGBOARD_DEMO_MEMORY: join(home, 'memory.jsonl') };
  try {
    process.exitCode = own.length > 0 ? await ask(own.join(' '), env, 'inherit') : await story(env);
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function story(env) {
  const failed = await showBoard(env);
  let asPromised = true;
  for (const { text, ends } of REQUESTS) asPromised = (await ask(text, env, 'ignore')) === ends && asPromised;
  console.log(TRY_NEXT);
  if (asPromised) return 0;
  console.log(failed > 0 ? 'Not everything went as promised, because a server failed.' : 'Not everything went as promised.');
  return failed > 0 ? 0 : 1;
}

/** The small table: what is there, what a model would be sent, and what that saves. */
async function showBoard(env) {
  const { code, stdout } = await run(['doctor', '--json', ...BOARD], env, ['ignore', 'pipe', 'inherit']);
  if (code !== 0) return 1;
  const { sources, tools: counts, firstRequest } = JSON.parse(stdout);
  const rows = sources.map(({ name, status, tools, loaded, deferred, bytes }) =>
    status.kind === 'failed' ? [name, 'failed', '', '', '', ''] : [name, tools, loaded, deferred, bytes.loaded, bytes.all],
  );
  const sent = firstRequest.definitions + firstRequest.announcement;
  console.log('Its answer is one JSON value; as a table:\n');
  console.log(
    table([
      ['source', 'tools', 'loaded', 'deferred', 'bytes sent', 'if nothing were deferred'],
      ...rows,
      ['announcement of the deferred', '', '', '', firstRequest.announcement, ''],
      ['all', counts.all, counts.loaded, counts.deferred, sent, firstRequest.undeferred],
    ]),
  );
  return sources.filter(({ status }) => status.kind === 'failed').length;
}

async function ask(text, env, stdin) {
  const { code } = await run(['run', '--model', 'offline', text, ...BOARD, ...ALLOWED], env, [stdin, 'inherit', 'inherit']);
  console.log(`exit code ${code}`);
  return code;
}

/** Runs the built command as a user would, and shows the line. */
function run(args, env, stdio) {
  console.log(`\n$ npx pegboard ${args.map(quoted).join(' ')}\n`);
  const child = spawn(process.execPath, [pegboard, ...args], { cwd: root, env, stdio });
  const out = [];
  child.stdout?.setEncoding('utf8').on('data', (part) => out.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout: out.join('') }));
  });
}

function quoted(word) {
  return /^[\w./@=:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const TRY_NEXT = `
Try next
  your own request     npm start -- "your own request"
  your own servers     npx pegboard tools search "what you need" --mcp-config FILE
  a real model         with ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL set: pegboard chat; the offline driver is keyword search
  an editor            comes in a later version: the same pool as one MCP server
`;
