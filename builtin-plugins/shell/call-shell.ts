import { errorResult, textOf, textResult, type ToolContext, type ToolResult } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import type { Command } from './command/member.ts';
import { commandEnvironment } from './environment.ts';
import { quietGit } from './judge-command.ts';
import type { GitSetting } from './read-only/git-hardening.ts';
import { tameGit, type TamedGit } from './read-only/git-programs.ts';
import { runCommand } from './run-command.ts';
import { confine } from './sandbox/confinement.ts';
import type { Inside } from './sandbox/sandbox.ts';
import type { ShellGround } from './shell-ground.ts';
import { howItEnded, shellResult } from './shell-result.ts';
import { settleDirectory, shellPlace, takePlace, type ShellPlace } from './working-directory.ts';

/** How much of an output is held while it comes; what is longer loses its middle. */
const KEPT_BYTES = 2_000_000;

/** What makes one shell's call other than another's. */
export interface ShellKind {
  /** The program and its arguments; nothing where there is no such shell. */
  argv(command: string): readonly string[] | undefined;
  /** The command as data, for a run that begins there. */
  analyse(command: string, place: ShellPlace): Command;
  readonly readOnly: boolean;
  /** What an exit code says where it is an answer and no failure. */
  answer(command: Command, code: number): string | undefined;
}

/** Runs what was judged, where it was judged to run, or says why not. */
export async function callShell(input: BashInput, context: ToolContext, ground: ShellGround, kind: ShellKind): Promise<ToolResult> {
  const { command } = input;
  const place = takePlace(command, context, ground.isFolder);
  if (place === undefined)
    return errorResult(`${shellPlace(context, ground.isFolder).directory} is another folder than when the command was judged. Call again.`);
  const argv = kind.argv(command);
  if (argv === undefined) return errorResult('There is no such shell on this machine.');
  const analysed = kind.analyse(command, place);
  const inside = await insideOf(input, analysed, place, context, ground);
  if (inside.kind === 'refused') return errorResult(`The command was not run: ${inside.why}`);
  const plain = environmentOf(kind, inside, context, ground);
  const folders = quietGit(analysed);
  const git = folders.length > 0 ? await tameGit(folders, plain([])) : NO_GIT;
  if (git.kind === 'unclear') return errorResult(`The command was not run: ${git.why}`);
  const env = plain(kind.readOnly || folders.length > 0 ? git.settings : undefined);
  const run = async (signal: AbortSignal, limitMs: number, hear?: (text: string) => void): Promise<ToolResult> => {
    const groups = hear === undefined ? ground.groups : ground.lastingGroups();
    const settings = { argv, directory: place.directory, env, keptBytes: KEPT_BYTES };
    const wrap = inside.kind === 'sandboxed' ? inside.wrap : undefined;
    const ran = await runCommand({ ...settings, limitMs, signal, hear, wrap, progress: (state) => context.report(state) }, groups);
    const about = inside.kind === 'sandboxed' ? await inside.done() : inside.notice;
    // What runs beside the conversation does not say where it goes on.
    const moved = hear === undefined ? await settleDirectory(ran.directory, place, context) : undefined;
    const answer = ran.end.kind === 'exit' ? kind.answer(analysed, ran.end.code) : undefined;
    const notices = [place.notice, moved, about];
    return shellResult(input, ran, { directory: place.directory, sandboxed: inside.kind === 'sandboxed', answer, notices });
  };
  const { limitMs, longestMs } = ground.options;
  const limit = (usual: number) => Math.min(input.timeout ?? usual, longestMs);
  if (input.run_in_background !== true) return run(context.signal, limit(limitMs));
  const id = context.tasks.start(input.description ?? command, async (signal, write) => {
    const result = await run(signal, limit(longestMs), write);
    // What failed says in the announcement of its end how it ended.
    if (result.isError === true) throw new Error(howItEnded(result));
    return textOf(result.content);
  });
  return textResult(`Runs in the background as ${id}. Its end is announced.`);
}

const NO_GIT: TamedGit = { kind: 'tamed', settings: [] };

function environmentOf({ readOnly }: ShellKind, inside: Inside, { workspace }: ToolContext, ground: ShellGround) {
  return (git: readonly GitSetting[] | undefined) =>
    commandEnvironment({
      own: ground.ownEnvironment(),
      declared: ground.declaredEnvironment(),
      names: ground.options.environment,
      roots: workspace.roots,
      readOnly: readOnly || git !== undefined,
      git,
      sandbox: inside.kind === 'sandboxed' ? inside.env : {},
    });
}

/** The same question that was asked when the call was judged, and the same answer, unless the sandbox has gone since: then it does not run. */
async function insideOf(
  { dangerouslyDisableSandbox }: BashInput,
  command: Command,
  place: ShellPlace,
  { workspace, signal }: ToolContext,
  { sandbox }: ShellGround,
): Promise<Inside> {
  const rules = await sandbox.rules();
  const where = confine({ command, dangerouslyDisableSandbox }, rules);
  if (where.kind === 'sandboxed') return sandbox.open(place, workspace.roots, signal);
  if (where.kind === 'refused' || rules.mode === 'off') return where;
  return { kind: 'outside', notice: `Not sandboxed: ${where.why}.` };
}
