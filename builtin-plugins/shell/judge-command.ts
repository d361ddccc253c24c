import type { Opinion } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import { textOf, type Command, type Member } from './command/member.ts';
import { destructiveWarning } from './effects/destructive-warning.ts';
import { judgeEditing } from './effects/effects.ts';
import { readsInside } from './judge/call-parts.ts';
import { judgeReading } from './read-only/judge-reading.ts';
import { confine, type SandboxRules } from './sandbox/confinement.ts';

/** The shell's own opinion of a call: what will really run in a sandbox needs no more, and what may not leave it does not run. */
export function judgeCommand(command: Command, { dangerouslyDisableSandbox }: BashInput, sandbox: SandboxRules): Opinion {
  if (sandbox.mode === 'off') return { kind: 'passthrough' };
  const where = confine({ command, dangerouslyDisableSandbox }, sandbox);
  switch (where.kind) {
    case 'refused':
      return { kind: 'deny', reason: { by: 'tool', detail: where.why }, message: where.why };
    case 'sandboxed':
      return where.autoAllow
        ? { kind: 'allow', reason: { by: 'sandbox', detail: 'all of it runs in the sandbox' } }
        : { kind: 'passthrough' };
    case 'outside':
      return { kind: 'passthrough' };
  }
}

/** Whether a command does nothing but read, wherever it runs. */
export function onlyReads({ members, problems }: Command): boolean {
  return (
    problems.length === 0 &&
    members.every(
      (member) =>
        member.doubts.length === 0 &&
        member.redirections.every(({ kind }) => kind !== 'writes') &&
        (member.name === undefined || judgeReading(member).kind === 'reads'),
    )
  );
}

/** The folders in which a command runs git that nobody is asked about; none where it also runs what somebody has to allow. */
export function quietGit({ members, problems }: Command): readonly string[] {
  const known = problems.length === 0 && members.every((member) => member.name === undefined || isProven(member));
  if (!known) return [];
  const own = members.filter(({ name }) => textOf(name) === 'git');
  return [...new Set(own.flatMap(({ directory }) => (directory.kind === 'known' ? [directory.path] : [])))];
}

function isProven(member: Member): boolean {
  return judgeReading(member).kind === 'reads' || judgeEditing(member).kind === 'edits' || readsInside(member) !== undefined;
}

/** Whether a command leaves the shell in the folder it began in: of two that run together, not both may say where the next one starts. */
export function staysThere({ members }: Command): boolean {
  return !members.some(({ name }) => MOVES.has(textOf(name) ?? ''));
}

const MOVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);

/** What a command destroys, in one line, if it does. */
export function destroys({ members }: Command): string | undefined {
  return members.map(destructiveWarning).find((warning) => warning !== undefined);
}
