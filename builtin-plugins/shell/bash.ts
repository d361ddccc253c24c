import { defineTool, type Tool } from 'pegboard';

import { bashInput, commandComplaint, type BashInput } from './bash-input.ts';
import { callShell } from './call-shell.ts';
import { analyseCommand } from './command/analyse.ts';
import { textOf } from './command/member.ts';
import { plainAnswer } from './exit-codes.ts';
import { commandParts, destroys, judgeCommand, onlyReads } from './judge-command.ts';
import { bashArgv } from './run-command.ts';
import { proposeRules } from './saved-rule.ts';
import { shellDisplay } from './shell-display.ts';
import type { ShellGround } from './shell-ground.ts';
import { bindPlace, shellPlace } from './working-directory.ts';

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
    isEnabled: () => ground.bash !== undefined,
    isReadOnly: onlyReads,
    isConcurrencySafe: (input) => onlyReads(input) && staysThere(input),
    isDestructive: (input) => destroys(input) !== undefined,
    validateInput: async ({ command }) => commandComplaint(command),
    parts: (input, context) => commandParts(input, context, shellPlace(context, ground.isFolder)),
    checkPermissions: async (input, context) => {
      const place = bindPlace(input.command, context, ground.isFolder);
      return judgeCommand(input, context, { place, sandbox: await ground.sandbox.rules() });
    },
    suggestRules: ({ command }) => proposeRules('Bash', analyseCommand(command, { directory: undefined, home: undefined })),
    toAutoClassifierInput: ({ command }) => command,
    display: shellDisplay('bash'),
    call: (input, context) =>
      callShell(input, context, ground, {
        argv: (command) => (ground.bash === undefined ? undefined : bashArgv(ground.bash, command)),
        analyse: (command, { directory }) => analyseCommand(command, { directory, home: context.workspace.home }),
        readOnly: onlyReads(input),
        answer: plainAnswer,
      }),
  });
}

/** Two commands that run together must not both say where the next one starts. */
function staysThere({ command }: BashInput): boolean {
  const { members } = analyseCommand(command, { directory: undefined, home: '/' });
  return !members.some(({ name }) => MOVES.has(textOf(name) ?? ''));
}

const MOVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd']);
