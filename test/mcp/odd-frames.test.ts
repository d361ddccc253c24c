import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { testPlace } from './test-place.ts';

const place = testPlace();
const FILE = fileURLToPath(new URL('../fixtures/servers/odd-frames-server.mjs', import.meta.url));
const odd = (way: string) => ({ odd: { command: process.execPath, args: [FILE, way], timeout: 20_000, connectTimeout: 20_000 } });

describe('a server that speaks oddly over its pipes is listed and called all the same', () => {
  test.each([
    'CRLF',
    'blank lines and spaces',
    'lists of messages',
    'texts for ids',
    'an error of null beside each result',
    'members of its own',
    'a byte order mark',
    'what is no message',
    'questions and announcements too early',
    'progress that makes no sense',
    'a thousand questions at once',
    'a question under the id it was asked',
    'notes nested without end',
    'data nested without end',
    'a result with `__proto__`',
    'a question while it is stopped',
  ])('M2.1 %s', async (way) => {
    const servers = await place.start(odd(way));
    expect(await servers.call('mcp__odd__act')).toBe('done');
    expect(await servers.call('mcp__odd__act')).toBe('done');
    expect(servers.source('odd')?.status).toEqual({ kind: 'ready', used: true });
    expect(Object.hasOwn(Object.prototype, 'owned') || servers.reports().length > 0).toBe(false);
  });

  test.each<[string, RegExp]>([
    ['bytes that are no UTF-8', /^done \uFFFD/],
    ['a result of another kind', /^The server answered with a result of a kind that is not known here: \{"resultType":"task"/],
    ['an error that is only a text', /answered mcp__odd__act with an error: no luck$/],
    ['an error that says nothing', /answered mcp__odd__act with an error: it gave no reason$/],
  ])('M1.7 %s', async (way, says) => {
    const servers = await place.start(odd(way));
    expect(await servers.call('mcp__odd__act')).toMatch(says);
  });
});
