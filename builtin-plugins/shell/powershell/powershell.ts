import { defineTool, type Opinion, type Tool } from 'pegboard';

import { bashInput, commandComplaint, type BashInput } from '../bash-input.ts';
import { callShell } from '../call-shell.ts';
import { confine } from '../sandbox/confinement.ts';
import { shellDisplay } from '../shell-display.ts';
import type { ShellGround } from '../shell-ground.ts';
import { bindPlace, shellPlace } from '../working-directory.ts';
import { powershellParts } from './powershell-parts.ts';
import { readCmdlet, readPowerShell } from './read-powershell.ts';

/** The tool that runs a command in PowerShell (M11.2); it is there where PowerShell is. */
export function makePowerShell(ground: ShellGround): Tool<BashInput> {
  return defineTool<BashInput>({
    name: 'PowerShell',
    description: [
      'Runs a command in PowerShell, without a profile, and answers with what it prints and its exit code.',
      'Every call starts in the working folder of the shell tools. Nobody can type, and what it leaves running is ended with it.',
      'Plain reading cmdlets with written-out parameters run at once; everything else may be asked about.',
      'For reading, finding, searching and changing files use the tools made for that.',
    ].join(' '),
    searchHint: 'run a PowerShell command, cmdlet or script',
    kind: 'shell',
    errorCancelsBatch: true,
    input: bashInput,
    isEnabled: () => ground.powershell !== undefined,
    isReadOnly: onlyReads,
    isConcurrencySafe: onlyReads,
    validateInput: async ({ command }) => commandComplaint(command),
    parts: ({ command }, context) => {
      const { directory } = shellPlace(context, ground.isFolder);
      return powershellParts(readPowerShell(command, directory), directory, context.workspace);
    },
    checkPermissions: async (input, context): Promise<Opinion> => {
      const { directory } = bindPlace(input.command, context, ground.isFolder);
      const command = readPowerShell(input.command, directory);
      const where = confine({ command, dangerouslyDisableSandbox: input.dangerouslyDisableSandbox }, await ground.sandbox.rules());
      if (where.kind === 'refused') return { kind: 'deny', reason: { by: 'tool', detail: where.why }, message: where.why };
      if (where.kind !== 'sandboxed' || !where.autoAllow || command.problems.length > 0) return { kind: 'passthrough' };
      return { kind: 'allow', reason: { by: 'sandbox', detail: 'all of it runs in the sandbox' } };
    },
    toAutoClassifierInput: ({ command }) => command,
    display: shellDisplay('powershell'),
    call: (input, context) =>
      callShell(input, context, ground, {
        argv: (command) => (ground.powershell === undefined ? undefined : powershellArgv(ground.powershell, command)),
        analyse: (command, { directory }) => readPowerShell(command, directory),
        readOnly: onlyReads(input),
        answer: () => undefined,
      }),
  });
}

function onlyReads({ command }: BashInput): boolean {
  const { members, problems } = readPowerShell(command, undefined);
  return problems.length === 0 && members.every((member) => readCmdlet(member).kind === 'reads');
}

/** Handed over encoded, so that no quoting on the way changes a byte of it. */
function powershellArgv(program: string, command: string): readonly string[] {
  return [program, '-NoProfile', '-NonInteractive', '-EncodedCommand', Buffer.from(command, 'utf16le').toString('base64')];
}
