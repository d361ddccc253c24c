import { createHost, parseRule, type Host } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { afterEach, describe, expect, it } from 'vitest';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** A host on a disk of these links, and everything that was looked up on it. */
async function onDisk(links: Record<string, string>) {
  const looked: string[] = [];
  const look = <Answer>(what: string, path: string, answer: Answer) => {
    looked.push(`${what} ${path}`);
    return Promise.resolve(answer);
  };
  const rules = [parseRule('Read(./secret/**)', 'deny', 'project', { folder: '/repo/app' })];
  const host = await createHost({
    builtins: builtinPlugins({ shell: { imagined: true } }),
    cwd: '/repo/app',
    home: '/home/someone/.pegboard',
    userHome: '/home/someone',
    disk: {
      windows: false,
      ignoresCase: false,
      readLink: (path) => look('link', path, links[path]),
      isPlain: (path) => look('plain', path, false),
      list: (path) => look('list', path, []),
    },
    turn: () => ({ rules, mode: 'default' }),
  });
  hosts.push(host);
  return { session: host.session({ mode: 'default' }), looked };
}

describe('M5.2 a decision on a command', () => {
  it('looks at each place once, however many members and rules ask about it', async () => {
    const { session, looked } = await onDisk({});
    await session.explain('Bash', { command: 'cat a.ts b.ts && wc -l a.ts | sort && head a.ts > b.ts; cat src/*.ts src/*.js' });
    expect(looked).toContain('link /repo/app/a.ts');
    expect(looked.filter((each, at) => looked.indexOf(each) !== at)).toEqual([]);
  });

  it('looks again for the next one: a link that has come since counts', async () => {
    const links: Record<string, string> = {};
    const { session } = await onDisk(links);
    expect((await session.explain('Bash', { command: 'cat a.ts' })).decision.kind).toBe('allow');
    links['/repo/app/a.ts'] = 'secret/a.ts';
    expect((await session.explain('Bash', { command: 'cat a.ts' })).decision.kind).toBe('deny');
  });
});
