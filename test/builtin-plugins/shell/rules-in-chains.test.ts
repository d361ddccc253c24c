import { afterEach, beforeEach, expect, test } from 'vitest';

import { reasonText } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';

import { startHost, type StartedHost } from '../../support/start-host.ts';

let started: StartedHost | undefined;
beforeEach(() => void (started = undefined));
afterEach(() => started?.stop());

/** How commands are judged, and why, under some rules. */
async function judged(rules: { readonly allow: readonly string[]; readonly deny?: readonly string[] }, commands: readonly string[]) {
  started = await startHost({ builtins: builtinPlugins(), rules });
  const decisions = [];
  for (const command of commands) {
    const { decision } = await started.host.explain('Bash', { command });
    decisions.push({ command, kind: decision?.kind, why: decision && reasonText(decision.reason) });
  }
  return decisions;
}

test('PERM-02 a deny rule holds wherever in a line its command stands, and is named', async () => {
  const commands = ['cd sub && git reset --hard', 'make; git reset --hard', '(git reset --hard)', 'false || git reset --hard'];
  for (const { command, kind, why } of await judged({ allow: ['Bash'], deny: ['Bash(git reset:*)'] }, commands)) {
    expect([command, kind]).toEqual([command, 'deny']);
    expect(why).toContain('Bash(git reset:*)');
  }
});

test('PERM-04 what carries another command does not hide it from a deny rule', async () => {
  const commands = ['ls | xargs rm', 'find . -exec rm {} \\;', 'env A=1 rm f', "sh -c 'rm f'", 'timeout 5 rm f', '\\rm f'];
  for (const { command, kind } of await judged({ allow: ['Bash'], deny: ['Bash(rm:*)'] }, commands))
    expect([command, kind]).toEqual([command, 'deny']);
});

test('PERM-06 separators inside quotes are text', async () => {
  const commands = ["git commit -m 'can'\\''t'", 'git commit -m "a && b; c"', 'git commit -m "first line\n\nmore; on && it"'];
  for (const { command, kind } of await judged({ allow: ['Bash(git commit:*)'] }, commands))
    expect([command, kind]).toEqual([command, 'allow']);
});
