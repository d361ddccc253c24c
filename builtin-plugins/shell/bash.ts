import { defineTool, errorResult, type Tool, type ToolContext, type ToolResult } from 'pegboard';

import { bashInput, type BashInput } from './bash-input.ts';
import { analyseCommand } from './command/analyse.ts';
import { textOf, type Command } from './command/member.ts';
import { commandEnvironment } from './environment.ts';
import { plainAnswer } from './exit-codes.ts';
import { commandParts, destroys, judgeCommand, onlyReads } from './judge-command.ts';
import { runCommand, type RunProgress } from './run-command.ts';
import { confine } from './sandbox/confinement.ts';
import type { Inside } from './sandbox/sandbox.ts';
import type { ShellGround } from './shell-ground.ts';
import { shellResult, type ShellFacts } from './shell-result.ts';
import { bindPlace, settleDirectory, shellPlace, takePlace, type ShellPlace } from './working-directory.ts';

/** How much of an output is held while it comes; what is longer loses its middle. */
const KEPT_BYTES = 2_000_000;

/** The tool that runs a command in bash (M11.2, M5). */
export function makeBash(ground: ShellGround): Tool<BashInput> {
  return defineTool<BashInput>({
    name: 'Bash',
    description: [
      'Runs a command in bash and answers with what it prints, both outputs in one, and its exit code.',
      'The working folder is kept from call to call while it stays inside the workspace; variables and functions are not.',
      'Nobody can type: the command reads an empty input. What it leaves running is ended with it.',
      'A command that is more than reading may be asked about: keep to one purpose in a call, write paths and options out, and no tricks that hide them.',
      'For reading, finding, searching and changing files use the tools made for that.',
    ].join(' '),
    searchHint: 'run a shell command, script, build, test or git in bash',
    kind: 'shell',
    errorCancelsBatch: true,
    input: bashInput,
    isEnabled: () => ground.shell !== undefined,
    isReadOnly: onlyReads,
    isConcurrencySafe: (input) => onlyReads(input) && staysThere(input),
    isDestructive: (input) => destroys(input) !== undefined,
    validateInput: async ({ command }) => complaint(command),
    parts: (input, context) => commandParts(input, context, shellPlace(context, ground.isFolder)),
    checkPermissions: async (input, context) => {
      const place = bindPlace(input.command, context, ground.isFolder);
      return judgeCommand(input, context, { place, sandbox: await ground.sandbox.rules() });
    },
    toAutoClassifierInput: ({ command }) => command,
    display: {
      userFacingName: () => 'Bash',
      activity: ({ description, command }) => description ?? `Running ${firstLine(command)}`,
      summary: ({ command }) => firstLine(command),
      use: ({ command }) => ({ kind: 'markdown', text: fenced(command) }),
      progress: (progress) => ({ kind: 'text', text: progressText(progress as RunProgress) }),
      result: ({ command }, { text, structuredContent }) => ({
        kind: 'text',
        text: [`$ ${command}`, text, factsText(structuredContent as ShellFacts | undefined)].filter(Boolean).join('\n'),
      }),
    },
    call: (input, context) => run(input, context, ground),
  });
}

function complaint(command: string): string | undefined {
  if (command.trim() === '') return 'the command is empty';
  return command.includes('\0') ? 'the command has a NUL character in it, which no process can be given' : undefined;
}

/** Two commands that run together must not both say where the next one starts. */
function staysThere({ command }: BashInput): boolean {
  const { members } = analyseCommand(command, { directory: undefined, home: '/' });
  return !members.some(({ name }) => MOVES.has(textOf(name) ?? ''));
}

const MOVES = new Set(['cd', 'pushd', 'popd']);

async function run(input: BashInput, context: ToolContext, ground: ShellGround): Promise<ToolResult> {
  const { command } = input;
  const place = takePlace(command, context, ground.isFolder);
  if (place === undefined)
    return errorResult(`${shellPlace(context, ground.isFolder).directory} is another folder than when the command was judged. Call again.`);
  if (ground.shell === undefined) return errorResult('There is no bash on this machine.');
  const analysed = analyseCommand(command, { directory: place.directory, home: context.workspace.home });
  const inside = await insideOf(input, analysed, place, context, ground);
  if (inside.kind === 'refused') return errorResult(`The command was not run: ${inside.why}`);
  const { directory } = place;
  const env = commandEnvironment({
    own: ground.ownEnvironment(),
    declared: ground.declaredEnvironment(),
    names: ground.options.environment,
    roots: context.workspace.roots,
    readOnly: onlyReads(input),
    sandbox: inside.kind === 'sandboxed' ? inside.env : {},
  });
  const { limitMs, longestMs } = ground.options;
  const ran = await runCommand(
    {
      shell: ground.shell,
      command,
      directory,
      env,
      limitMs: Math.min(input.timeout ?? limitMs, longestMs),
      keptBytes: KEPT_BYTES,
      signal: context.signal,
      progress: (state) => context.report(state),
      wrap: inside.kind === 'sandboxed' ? inside.wrap : undefined,
    },
    ground.groups,
  );
  const about = inside.kind === 'sandboxed' ? await inside.done() : inside.notice;
  const moved = await settleDirectory(ran.directory, place, context);
  const answer = ran.end.kind === 'exit' ? plainAnswer(analysed, ran.end.code) : undefined;
  const notices = [place.notice, moved, about];
  return shellResult(input, ran, { directory, sandboxed: inside.kind === 'sandboxed', answer, notices });
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

function firstLine(command: string): string {
  const [line = '', ...more] = command.trim().split('\n');
  return more.length > 0 ? `${line} …` : line;
}

/** In a fence that nothing in the text can end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}bash\n${text}\n${fence}`;
}

function progressText({ seconds, bytes, lastLine }: RunProgress): string {
  return `${seconds} s, ${bytes} bytes${lastLine === '' ? '' : `: ${lastLine.slice(0, LINE_CHARS)}`}`;
}

const LINE_CHARS = 200;

function factsText(facts: ShellFacts | undefined): string {
  if (facts === undefined) return '';
  const { exitCode, durationMs, directory, sandboxed } = facts;
  const how = exitCode === undefined ? 'no exit code' : `exit code ${exitCode}`;
  return `${how}, ${(durationMs / 1_000).toFixed(1)} s, in ${directory}${sandboxed ? ', sandboxed' : ''}`;
}
