import { createServer } from 'node:http';

import { describe, expect, test } from 'vitest';

import { listenHere } from '../support/listen-here.ts';
import { testPlace } from './test-place.ts';

const place = testPlace();

async function failureOf(definition: object): Promise<string> {
  const servers = await place.start({ it: definition });
  const status = servers.source('it')?.status;
  return status?.kind === 'failed' ? status.message : `it is ${status?.kind}`;
}

describe('a server that does not start is told of with what it probably comes from, and what mends it', () => {
  test.each<[what: string, script: string, says: RegExp]>([
    ['a key', 'throw new Error("GITHUB_TOKEN is required")', /GITHUB_TOKEN is required.*put that into `env`/],
    ['a key, in other words', 'console.error("Please set the ACME_API_KEY variable"); process.exit(1)', /put that into `env`/],
    ['a newer Node', 'import("node:nowhere")', /newer Node: compare .*`node --version`/],
    ['a file', 'import("/no/such/server.js")', /What it runs is not there: correct `args`/],
    ['a port', 'throw new Error("listen EADDRINUSE: address already in use :::3000")', /Another program has its port/],
    ['a package', 'console.error("npm error code E404"); process.exit(1)', /no package of that name or version/],
    ['what nobody knows', 'console.error("boom"); process.exit(3)', /It last printed: "boom"\. Mend that/],
  ])('M2.1 it lacks %s', async (_what, script, says) => {
    expect(await failureOf({ command: process.execPath, args: ['-e', script] })).toMatch(says);
  });

  test('M2.1 it frames its messages as language servers do', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} });
    const framed = JSON.stringify(`Content-Length: ${text.length}\r\n\r\n${text}`);
    const script = `process.stdin.on('data', () => process.stdout.write(${framed}))`;
    expect(await failureOf({ command: process.execPath, args: ['-e', script], connectTimeout: 3_000 })).toMatch(
      /Content-Length before each message, as language servers do/,
    );
  });

  test('M2.1 nothing listens, no https is spoken, or nobody answers, where it should be', async () => {
    const { url, close } = await listenHere(createServer(() => undefined));
    place.opened({ stop: close });
    expect(await failureOf({ url: `${url.replace('http:', 'https:')}/mcp` })).toMatch(/does not speak https there/);
    const silent = await failureOf({ url: `${url}/mcp`, connectTimeout: 300 });
    expect(silent).toMatch(/did not answer within 300 ms\. Raise `connectTimeout`/);
    expect(silent).not.toMatch(/command|printed/);
    const gone = await listenHere(createServer());
    await gone.close();
    expect(await failureOf({ url: `${gone.url}/mcp` })).toMatch(/ECONNREFUSED.*Nothing listens there/);
  });
});
