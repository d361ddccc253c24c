import { defineTool, type Tool } from 'pegboard';

import { bashInput, commandComplaint, type BashInput } from './bash-input.ts';
import { callShell } from './call-shell.ts';
import { openReader } from './command/reader.ts';
import { plainAnswer } from './exit-codes.ts';
import { partsOfCommand } from './judge/call-parts.ts';
import { destroys, judgeCommand, onlyReads, staysThere } from './judge-command.ts';
import { bashArgv } from './run-command.ts';
import { proposeRules } from './saved-rule.ts';
import { shellDisplay } from './shell-display.ts';
import type { ShellGround } from './shell-ground.ts';
import { bindPlace, shellPlace } from './working-directory.ts';

/** The tool that runs a command in bash (M11.2, M5). */
export function makeBash(ground: ShellGround): Tool<BashInput> {
  const read = openReader();
  /** As far as that can be said without knowing where it runs. */
  const anywhere = ({ command }: BashInput) => read(command, { directory: undefined, home: '/' });
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
    isReadOnly: (input) => onlyReads(anywhere(input)),
    isConcurrencySafe: (input) => onlyReads(anywhere(input)) && staysThere(anywhere(input)),
    isDestructive: (input) => destroys(anywhere(input)) !== undefined,
    validateInput: async ({ command }) => commandComplaint(command),
    parts: ({ command }, context) => {
      const { workspace } = context;
      const { directory } = shellPlace(context, ground.isFolder);
      return partsOfCommand(read(command, { directory, home: workspace.home }), { start: directory, workspace });
    },
    checkPermissions: async (input, context) => {
      const { directory } = bindPlace(input.command, context, ground.isFolder);
      return judgeCommand(read(input.command, { directory, home: context.workspace.home }), input, await ground.sandbox.rules());
    },
    suggestRules: ({ command }) => proposeRules('Bash', read(command, { directory: undefined, home: undefined })),
    toAutoClassifierInput: ({ command }) => command,
    display: shellDisplay('bash'),
    call: (input, context) =>
      callShell(input, context, ground, {
        argv: (command) => (ground.bash === undefined ? undefined : bashArgv(ground.bash, command)),
        analyse: (command, { directory }) => read(command, { directory, home: context.workspace.home }),
        readOnly: onlyReads(anywhere(input)),
        answer: plainAnswer,
      }),
  });
}
