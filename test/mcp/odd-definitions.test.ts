import { complaintAbout } from 'pegboard/mcp';
import { fakeServer, startFakeHttpServer } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { testPlace } from './test-place.ts';

const place = testPlace();

describe('a definition with a member that says nothing', () => {
  test.each([
    [{ comand: 'x' }, /neither `command` .*: did you mean `command` by `comand`\?$/],
    [{ cmd: 'x' }, /: did you mean `command` by `cmd`\?$/],
    [{ serverUrl: 'http://x' }, /: did you mean `url` by `serverUrl`\?$/],
    [{ type: 'http', URL: 'http://x' }, /needs `url`: did you mean `url` by `URL`\?$/],
    [{ type: 'stdio', command_: 'x' }, /needs `command`: did you mean `command` by `command_`\?$/],
    [{ tools: [], name: 'x' }, /\(an address\)$/],
  ])('M2.1 is told what is meant where it is needed: %j', (definition, says) => {
    expect(complaintAbout('it', definition)).toMatch(says);
  });

  test('M2.1 starts, and is told what is probably meant', async () => {
    const odd = { arg: ['a'], Timeout: 5, headres: {}, autoApprove: ['x'], tools: ['*'], trust: true, description: 'mine', command_: 'y' };
    const servers = await place.start({ it: { ...fakeServer({ tools: [{ name: 'act' }] }), ...odd, cmd: 'y' } });
    expect(await servers.call('mcp__it__act')).toContain('act');
    const told = servers.reports().map((report) => /has `(\w+)`.*Write `(\w+)`/.exec(report)?.slice(1).join(' '));
    expect(told).toEqual(['Timeout timeout', 'headres headers']);
  });
});

describe('an address with a name and a password', () => {
  test.each(['https://ann:secret-word@host.example/mcp', 'https://secret-word@host.example', 'https://${WHO}:secret-word@host.example'])(
    'M2.1 is refused in a sentence that says where they go, and does not show them: %s',
    async (url) => {
      expect(complaintAbout('it', { url })).toMatch(/`url` has a name or a password in it.*`headers`/);
      const servers = await place.start({ it: { url } });
      expect(servers.source('it')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('`headers`') });
      expect(JSON.stringify([servers.events, servers.reports()])).not.toContain('secret-word');
    },
  );

  test('M2.1 is refused where a variable brings them', async () => {
    process.env['PEGBOARD_TEST_HOST'] = 'ann:secret-word@host.example';
    const servers = await place.start({ it: { url: 'https://${PEGBOARD_TEST_HOST}/mcp' } });
    delete process.env['PEGBOARD_TEST_HOST'];
    expect(servers.source('it')?.status).toMatchObject({ kind: 'failed', message: expect.stringContaining('`headers`') });
    expect(JSON.stringify([servers.events, servers.reports()])).not.toContain('secret-word');
  });
});

describe('a message that is too long', () => {
  const plan = { tools: [{ name: 'act' }] };
  const long = { text: 'x'.repeat(30_000) };

  test('M1.7 says over pipes what to do, and goes through where the definition lets it', async () => {
    const servers = await place.start({ less: { ...fakeServer(plan), messageLimit: 20_000 }, more: fakeServer(plan) });
    expect(await servers.call('mcp__less__act', long)).toMatch(/more than 20000 bytes .*ask it for less at once, or raise `messageLimit`/);
    expect(await servers.call('mcp__more__act', long)).toContain(long.text);
    expect(await servers.call('mcp__less__act')).toContain('act');
  });

  test('M1.7 says over HTTP what to do, and goes through where the definition lets it', async () => {
    const server = place.opened(await startFakeHttpServer(plan));
    const servers = await place.start({ less: { url: server.url, messageLimit: 20_000 }, more: { url: server.url } });
    expect(await servers.call('mcp__less__act', long)).toMatch(/more than 20000 bytes .*ask it for less at once, or raise `messageLimit`/);
    expect(await servers.call('mcp__more__act', long)).toContain(long.text);
    expect(complaintAbout('it', { url: server.url, messageLimit: 10 })).toBe(
      '`messageLimit` is not a number of bytes from 1,000 to 500,000,000',
    );
  });
});
