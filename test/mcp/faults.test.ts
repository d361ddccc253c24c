import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { textOf, type Outcome, type Source } from 'pegboard';
import { fakeServer, temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

const FILE = fileURLToPath(new URL('../fixtures/servers/faulty-server.mjs', import.meta.url));
const NEIGHBOURS = Array.from({ length: 9 }, (_, at) => `n${at}`);
const neighbours = Object.fromEntries(NEIGHBOURS.map((name) => [name, fakeServer({ tools: [{ name: 'work' }] })]));

let folder: TemporaryFolder;
let servers: RunningServers;
let http: ChildProcess | undefined;

beforeAll(async () => {
  folder = await temporaryFolder();
  servers = await startServers(neighbours, { folder: folder.path });
});
afterEach(() => {
  servers.offer(neighbours);
  http?.stdin?.end();
  http = undefined;
});
afterAll(async () => {
  await servers.stop();
  await folder.remove();
});

const overPipes = (fault: string, more: object = {}) => ({ command: process.execPath, args: [FILE, fault], ...more });

async function overHttp(fault: string, more: object = {}): Promise<object> {
  const child = spawn(process.execPath, [FILE, fault, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  http = child;
  const url = await new Promise<string>((resolve) => child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())));
  return { url, ...more };
}

const status = (): Source['status'] | undefined => servers.source('sick')?.status;

/** Offers the sick server beside its neighbours and waits until it is no longer connecting. */
async function offer(definition: object): Promise<void> {
  servers.offer({ ...neighbours, sick: definition });
  await servers.until(({ sources }) => sources.some(({ owner, status: { kind } }) => owner === 'mcp__sick' && kind !== 'connecting'));
}

const textIn = ({ result }: Outcome) => textOf(result.content);
const act = async () => textIn(await servers.host.call('mcp__sick__act', {}));
const fine = async () => textIn(await servers.host.call('mcp__sick__fine', {}));

/** All nine answer; `sick` is what is under way meanwhile. */
async function neighboursWork(): Promise<void> {
  const answers = await Promise.all(NEIGHBOURS.map((name) => servers.call(`mcp__${name}__work`)));
  for (const answer of answers) expect(answer).toContain('"name":"work"');
}

/** What a call of the sick server gives, and that its neighbours answer while it is under way. */
async function besides(sick: Promise<string>): Promise<string> {
  const [text] = await Promise.all([sick, neighboursWork()]);
  return text;
}

/** Where something has to be waited for, as short as a busy machine allows; everywhere else a limit that nothing comes near. */
const SHORT = { timeout: 1_000, connectTimeout: 4_000 };
const LONG = { timeout: 25_000, connectTimeout: 25_000 };
const UNKNOWN = 'Whether that was done is not known';

describe('a server that does not come up', () => {
  test.each([
    { fault: 'exits at once', says: /ended before it was ready \(exit code 3\)\. It last printed: "API key is missing"\./ },
    { fault: 'hangs on initialize', says: /did not answer initialize within 4000 ms\. .* raise `connectTimeout`/ },
    { fault: 'hangs on list', says: /did not list its tools: no answer within 4000 ms\. None of its tools can be used\./ },
  ])('M2.1 because it $fault says so, with the next try, and its neighbours answer meanwhile', async ({ fault, says }) => {
    servers.offer({ ...neighbours, sick: overPipes(fault, fault.startsWith('hangs') ? SHORT : LONG) });
    const down = servers.until(({ sources }) => sources.some(({ owner, status: { kind } }) => owner === 'mcp__sick' && kind === 'failed'));
    const order: string[] = [];
    await Promise.all([down.then(() => order.push('sick')), neighboursWork().then(() => order.push('neighbours'))]);
    if (fault.startsWith('hangs')) expect(order).toEqual(['neighbours', 'sick']);
    expect(status()).toMatchObject({ kind: 'failed', message: expect.stringMatching(says), retryAt: expect.any(Number) });
  });
});

describe('a server whose list is odd', () => {
  test.each([
    { fault: 'duplicate tools', tools: 2, notes: [/a tool of this name before it; the first one counts/, /the first one counts/] },
    { fault: 'endless cursors', tools: 2, notes: [/the same page came again/] },
    { fault: 'huge list', tools: 20_000, notes: [/cut after 20000 entries/] },
  ])(
    'M2.1 with $fault keeps what is sound, says what is odd, and can be called',
    async ({ fault, tools, notes }) => {
      await offer(overPipes(fault));
      const source = servers.source('sick');
      expect(source?.tools).toHaveLength(tools);
      const seldom = source?.notes.filter(({ why }) => notes.some((note) => note.test(why))) ?? [];
      expect(seldom).toHaveLength(notes.length);
      expect(await besides(fine())).toBe('fine');
    },
    60_000,
  );
});

describe('a server that fails in a call', () => {
  test.each([
    {
      fault: 'exits in the call',
      says: [/^Server "sick" broke off while it worked on mcp__sick__act: exit code 7\./, UNKNOWN],
    },
    { fault: 'breaks half a message off', says: [/broke off .* exit code 9/, UNKNOWN] },
    {
      fault: 'hangs in the call',
      says: [/did not answer mcp__sick__act within 1000 ms and was told to stop/, 'Raise `timeout`'],
      waits: true,
    },
    { fault: 'answers with wrong ids', says: [/did not answer mcp__sick__act within 1000 ms/], waits: true },
    { fault: 'answers with what is no result', says: [/^The server answered without a result: 7$/] },
    { fault: 'answers twice', says: ['first'] },
    { fault: 'slow bytes', says: ['slow but sure: ü'] },
    { fault: 'floods stdout', says: ['after the flood'] },
    { fault: 'floods stdout with messages', says: ['after the flood'] },
    { fault: 'floods stderr', says: ['after the flood'] },
    { fault: 'closes its output', says: [/broke off .* it closed its output and was stopped/, UNKNOWN] },
  ])(
    'M1.7 that $fault: the call says what became of it, its neighbours answer, and the next call is a new chance',
    async ({ fault, says, waits }) => {
      await offer(overPipes(fault, waits ? { timeout: SHORT.timeout } : LONG));
      const text = await besides(act());
      for (const words of says) expect(text).toMatch(words);
      expect(await fine()).toBe('fine');
    },
    60_000,
  );

  test('M1.7 that hangs is waited for while its neighbours have long answered', async () => {
    await offer(overPipes('hangs in the call', { timeout: 3_000 }));
    const order: string[] = [];
    await Promise.all([act().then(() => order.push('sick')), neighboursWork().then(() => order.push('neighbours'))]);
    expect(order).toEqual(['neighbours', 'sick']);
  });

  test('M2.6 that ends after some calls starts again for the next one', async () => {
    await offer(overPipes('exits after three calls'));
    const seen: string[] = [];
    for (let round = 0; round < 7; round++) {
      seen.push(await act());
      if (seen.at(-1) === 'call 3') await servers.until(() => status()?.kind === 'failed');
    }
    expect(seen).toEqual(['call 1', 'call 2', 'call 3', 'call 1', 'call 2', 'call 3', 'call 1']);
  });

  test('M2.6 that announces its list a thousand times a second answers its calls, and its last list counts', async () => {
    await offer(overPipes('storm of announcements'));
    const generation = /generation (\d+)/.exec(await besides(act()))?.[1];
    await servers.until(({ tools }) => tools.some(({ name }) => name === `mcp__sick__made_${generation}`));
    expect(servers.source('sick')?.tools).toHaveLength(3);
  });

  test.each([
    {
      way: 'pipes',
      definition: () => Promise.resolve(overPipes('sends a line of 100 MB')),
      says: 'more than 10000000 bytes and was stopped',
    },
    { way: 'HTTP', definition: () => overHttp('line of 100 MB'), says: 'ended its answer before it was complete' },
  ])(
    'M1.7 that sends a line of 100 MB over $way costs a bounded memory and its own call',
    async ({ definition, says }) => {
      await offer(await definition());
      let most = 0;
      const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
      const before = used();
      const look = setInterval(() => (most = Math.max(most, used() - before)), 5);
      const text = await besides(act());
      clearInterval(look);
      expect(text).toContain(says);
      expect(most).toBeLessThan(60_000_000);
      expect(await fine()).toBe('fine');
      expect(await readFile(join(folder.path, 'home', 'logs', 'mcp', 'sick.log'), 'utf8')).toContain('a line of more than 10000000 bytes');
    },
    60_000,
  );
});

describe('a server that fails over HTTP', () => {
  test.each([
    { fault: 'half-closed answer', says: [/broke off .*: terminated: other side closed/, UNKNOWN] },
    { fault: 'half-closed stream', says: [/broke off .*: the server ended its answer before it was complete/, UNKNOWN] },
    { fault: 'answer that never comes', says: [/did not answer mcp__sick__act within 1000 ms/], waits: true },
    { fault: 'no JSON', says: [/broke off .*: its answer is not JSON/] },
    { fault: 'status 401', says: [/sign-in/] },
    { fault: 'status 403', says: [/rights/] },
    { fault: 'status 429', says: [/^Server "sick" answered mcp__sick__act with an error: slow down \(Retry-After: 30\) \(HTTP 429\)/] },
    { fault: 'status 500', says: [/database is down \(HTTP 500\)/, UNKNOWN] },
    { fault: 'status 404', says: [/session/] },
    { fault: 'expired session', says: ['fine'] },
    { fault: 'clock skew', says: ['fine'] },
  ])(
    'M1.7 by $fault: the call says what became of it, its neighbours answer, and the next call is a new chance',
    async ({ fault, says, waits }) => {
      await offer(await overHttp(fault, waits ? { timeout: SHORT.timeout } : LONG));
      const text = await besides(act());
      for (const words of says) expect(text).toMatch(words);
      expect(await fine()).toBe('fine');
    },
  );
});
