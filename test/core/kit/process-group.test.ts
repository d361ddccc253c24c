import { text } from 'node:stream/consumers';

import { ProcessGroups } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

const run = (script: string, env: Readonly<Record<string, string>> = {}, groups = new ProcessGroups({ windows: false })) =>
  groups.start({ command: process.execPath, args: ['-e', script], env, cwd: '.' });

describe('a process in a group', () => {
  test('has exactly the environment it is given, and tells how it ended', async () => {
    const member = run('console.log(JSON.stringify(process.env)); process.exitCode = 3', { ONLY: 'this' });
    expect(JSON.parse(await text(member.stdout))).toEqual({ ONLY: 'this' });
    expect(await member.ended).toEqual({ kind: 'exit', code: 3 });
  });

  test('that cannot be started says why', async () => {
    const groups = new ProcessGroups({ windows: false });
    const member = groups.start({ command: 'no-such-command-here', args: [], env: {}, cwd: '.' });
    expect(await member.ended).toMatchObject({ kind: 'notStarted', code: 'ENOENT' });
    await member.stop();
  });

  test('that ends with its input is not asked twice', async () => {
    const member = run('process.stdin.resume().on("end", () => process.exit(5))');
    await member.stop();
    expect(await member.ended).toEqual({ kind: 'exit', code: 5 });
  });

  test('that does not listen is ended by force', async () => {
    const member = run('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")');
    await new Promise((resolve) => member.stdout.once('data', resolve));
    await member.stop();
    expect(await member.ended).toEqual({ kind: 'signal', signal: 'SIGKILL' });
  });

  test('costs this process one listener however many there are, and none once they have ended', async () => {
    const counts = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
    const before = counts();
    const groups = new ProcessGroups({ windows: false });
    const members = Array.from({ length: 12 }, () => run('process.stdin.resume()', {}, groups));
    expect(counts()).toEqual(before.map((count) => count + 1));
    await Promise.all(members.map((member) => member.stop()));
    expect(counts()).toEqual(before);
  });
});
