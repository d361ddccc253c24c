import type { CallParts, Opinion, ToolContext } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import { analyseCommand } from './command/analyse.ts';
import { textOf, type Command, type Member } from './command/member.ts';
import { destructiveWarning } from './effects/destructive-warning.ts';
import { judgeEditing } from './effects/effects.ts';
import { partsOfCommand, readsInside } from './judge/call-parts.ts';
import { judgeReading } from './read-only/judge-reading.ts';
import { confine, type SandboxRules } from './sandbox/confinement.ts';
import type { ShellPlace } from './working-directory.ts';

/** What a command is judged in: the folder it would start in, and what the sandbox is here. */
export interface Surroundings {
  readonly place: ShellPlace;
  readonly sandbox: SandboxRules;
}

/** The shell's own opinion of a call: what will really run in a sandbox needs no more, and what may not leave it does not run. */
export async function judgeCommand(input: BashInput, { workspace }: ToolContext, { place, sandbox }: Surroundings): Promise<Opinion> {
  if (sandbox.mode === 'off') return { kind: 'passthrough' };
  const command = analyseCommand(input.command, { directory: place.directory, home: workspace.home });
  const where = confine({ command, dangerouslyDisableSandbox: input.dangerouslyDisableSandbox }, sandbox);
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

/** What a command consists of, for the pipeline to judge part by part. */
export function commandParts({ command }: BashInput, { workspace }: ToolContext, { directory }: ShellPlace): Promise<CallParts> {
  return partsOfCommand(analyseCommand(command, { directory, home: workspace.home }), { start: directory, workspace });
}

/** Whether a command does nothing but read, wherever it runs. */
export function onlyReads({ command }: Pick<BashInput, 'command'>): boolean {
  return isReading(analyseCommand(command, { directory: undefined, home: '/' }));
}

function isReading({ members, problems }: Command): boolean {
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

/** What a command destroys, in one line, if it does. */
export function destroys({ command }: Pick<BashInput, 'command'>): string | undefined {
  const { members } = analyseCommand(command, { directory: undefined, home: '/' });
  return members.map(destructiveWarning).find((warning) => warning !== undefined);
}
