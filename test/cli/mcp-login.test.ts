import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';

import { AuthServers, type AuthPlan } from '../mcp/auth-server.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let folder: string;
let auth: AuthServers;
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  folder = join(temporary.path, 'work');
  await mkdir(join(folder, '.git'), { recursive: true });
  await mkdir(home);
});
afterEach(async () => {
  await auth.stop();
  await temporary.remove();
});

async function serve(plan: AuthPlan = {}, oauth?: object): Promise<void> {
  auth = await new AuthServers(plan).start();
  const it = { type: 'http', url: auth.url, protocol: 'legacy', ...(oauth ? { oauth } : {}) };
  await writeFile(join(home, 'settings.json'), JSON.stringify({ mcpServers: { it, tool: { command: 'node', start: 'never' } } }));
}
const pegboard = (...args: string[]): Promise<CliRun> => runCli(args, { home, cwd: folder });

interface Login {
  readonly page: URL;
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  paste(line: string): void;
}

/** Starts `mcp login` without a terminal and waits for the address it prints. */
function login(...more: string[]): Promise<Login> {
  const args = [`${packageFolder}dist/cli/main.js`, 'mcp', 'login', 'it', '--no-browser', ...more];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, PEGBOARD_HOME: home } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  const ended = new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, out, err })),
  );
  return new Promise((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => {
      err += text.toString();
      const address = /^http\S+\/authorize\?\S+$/m.exec(err)?.[0];
      if (address !== undefined && err.includes('paste'))
        resolve({ page: new URL(address), ended, paste: (line) => child.stdin.end(`${line}\n`) });
    });
    void ended.then(({ err: said }) => reject(new Error(said)));
  });
}

/** Where the browser of a person who says yes would go next. */
async function consent(page: URL): Promise<URL> {
  const answer = await fetch(page, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}

test('mcp login by the browser that comes back: everything after it is signed in, and mcp logout gives the tokens back', async () => {
  await serve({ scopes: 'read' });
  const before = await pegboard('tools', 'call', 'mcp__it__act', '--allow', 'mcp__it');
  assert.notEqual(before.code, 0);
  assert.match(before.stderr, /pegboard mcp login it/);

  const { page, ended } = await login('--json');
  const back = await consent(page);
  assert.equal(back.hostname, '127.0.0.1');
  const answer = await fetch(back);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /answer has arrived.*close this window/);
  const { code, out, err } = await ended;
  assert.equal(code, 0, err);
  assert.deepEqual(JSON.parse(out), { name: 'it', kind: 'signed-in', issuer: auth.issuer, scope: 'read' });
  assert.doesNotMatch(out + err, /access-|refresh-/);

  const call = await pegboard('tools', 'call', 'mcp__it__act', '--allow', 'mcp__it');
  assert.equal(call.code, 0, call.stderr);
  assert.match(call.stdout, /done with read/);

  const logout = await pegboard('mcp', 'logout', 'it', '--json');
  assert.deepEqual(JSON.parse(logout.stdout), { name: 'it', kind: 'signed-out', offered: true, revoked: true });
  assert.equal(auth.counts.revocations, 2);
  assert.doesNotMatch(await readFile(join(home, 'secrets.json'), 'utf8'), /access-|refresh-|client-/);
  assert.match((await pegboard('mcp', 'logout', 'it')).stdout, /nobody was signed in/);
  assert.deepEqual(auth.faults, []);
}, 120_000);

test.each([
  { what: 'the whole address', pasted: (back: URL) => back.href },
  { what: 'what follows the question mark', pasted: (back: URL) => back.search },
])('mcp login without a browser takes $what', async ({ pasted }) => {
  await serve();
  const { page, ended, paste } = await login();
  paste(pasted(await consent(page)));
  const { code, out, err } = await ended;
  assert.equal(code, 0, err);
  assert.match(out, /signed in to server "it"/);
});

test('mcp login takes a code alone where nothing else was promised', async () => {
  await serve({ metadata: { authorization_response_iss_parameter_supported: false } });
  const { page, ended, paste } = await login();
  paste((await consent(page)).searchParams.get('code') ?? '');
  assert.equal((await ended).code, 0);
});

test('the address the browser comes back to serves that one answer and nothing else', async () => {
  await serve();
  const { page, ended } = await login();
  const back = await consent(page);
  const at = (change: (url: URL) => void) => {
    const url = new URL(back);
    change(url);
    return url;
  };
  const status = async (url: URL, init?: RequestInit) => (await fetch(url, init)).status;
  assert.equal(await status(at((url) => void (url.pathname = '/'))), 404);
  assert.equal(await status(at((url) => void (url.pathname = '/callback/'))), 404);
  assert.equal(await status(back, { method: 'POST' }), 404);
  assert.equal(await status(at((url) => url.searchParams.set('state', 'guessed'))), 400);
  assert.equal(await status(at((url) => url.searchParams.delete('state'))), 400);
  assert.equal(await status(back), 200);
  assert.equal((await ended).code, 0);
  await assert.rejects(fetch(back));
});

test.each([
  { what: 'another state', change: (url: URL) => url.searchParams.set('state', 'guessed'), says: /not the answer to this sign-in/ },
  { what: 'another issuer', change: (url: URL) => url.searchParams.set('iss', 'https://evil.example'), says: /iss/i },
])('mcp login refuses an answer of $what, and keeps nothing', async ({ change, says }) => {
  await serve();
  const { page, ended, paste } = await login();
  const back = await consent(page);
  change(back);
  paste(back.href);
  const { code, err } = await ended;
  assert.equal(code, 1);
  assert.match(err, says);
  assert.equal(auth.counts.exchanges, 0);
});

test.each([
  {
    what: 'a no',
    change: (url: URL) => {
      url.searchParams.delete('code');
      url.searchParams.set('error', 'access_denied');
      url.searchParams.set('error_description', 'ask your admin');
    },
    says: /answered with no \(access_denied\); it said "ask your admin"/,
  },
  { what: 'a code that has run out', change: (url: URL) => url.searchParams.set('code', 'old'), says: /not taken any more.*sign in again/ },
  { what: 'an address without an answer', change: (url: URL) => url.searchParams.delete('code'), says: /the address the browser ends on/ },
])('mcp login says what came back and what to do: $what', async ({ change, says }) => {
  await serve();
  const { page, ended, paste } = await login();
  const back = await consent(page);
  change(back);
  paste(back.href);
  const { code, err } = await ended;
  assert.equal(code, 1);
  assert.match(err, says);
});

test('mcp login ends when nobody pastes anything', async () => {
  await serve();
  const { ended, paste } = await login();
  paste('');
  const { code, err } = await ended;
  assert.equal(code, 1);
  assert.match(err, /nobody came back/);
});

test('mcp login without a terminal says what to run, and starts nothing', async () => {
  await serve();
  const { code, stderr } = await pegboard('mcp', 'login', 'it');
  assert.equal(code, 3);
  assert.match(stderr, /pegboard mcp login it.*--no-browser/);
  assert.deepEqual(auth.asked, []);
});

test('mcp login with a client of its own needs no person', async () => {
  await serve(
    { clients: { robot: { secret: 'hush-hush' } } },
    { grant: 'client_credentials', clientId: 'robot', clientSecret: '${ROBOT_SECRET}' },
  );
  const { code, stdout, stderr } = await runCli(['mcp', 'login', 'it'], { home, cwd: folder, env: { ROBOT_SECRET: 'hush-hush' } });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /signed in/);
  assert.doesNotMatch(await readFile(join(home, 'secrets.json'), 'utf8'), /hush-hush/);
  assert.doesNotMatch((await pegboard('mcp', 'get', 'it')).stdout, /hush-hush/);
});

test.each([
  { server: 'tool', says: /a program on this machine/ },
  { server: 'nobody', says: /no server "nobody"/ },
])('mcp login says why nobody can sign in to "$server"', async ({ server, says }) => {
  await serve();
  const { code, stderr } = await pegboard('mcp', 'login', server, '--no-browser');
  assert.equal(code, 2);
  assert.match(stderr, says);
});

test("a project's program for headers runs only in a trusted folder, and only as it was approved", async () => {
  await serve();
  const ran = join(temporary.path, 'ran');
  const define = (word: string) => {
    const headersHelper = `echo ${word} >> '${ran}'; echo '{}'`;
    return writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { theirs: { type: 'http', url: auth.url, headersHelper } } }));
  };
  const runs = () => readFile(ran, 'utf8').catch(() => '');
  await define('first');
  await pegboard('tools', 'list');
  assert.equal(await runs(), '', 'before trust');
  const { stdout } = await pegboard('trust', '--json');
  assert.match(stdout, /first/, 'who says yes sees the program');
  await pegboard('tools', 'list');
  assert.match(await runs(), /^(first\n)+$/);
  await define('other');
  const { stderr } = await pegboard('tools', 'list');
  assert.match(stderr, /pegboard mcp approve theirs/);
  assert.doesNotMatch(await runs(), /other/);
}, 60_000);
