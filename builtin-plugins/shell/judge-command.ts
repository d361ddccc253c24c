import type { Opinion, ToolContext } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import { analyseCommand } from './command/analyse.ts';
import { confine, type SandboxRules } from './sandbox/confinement.ts';
import type { ShellPlace } from './working-directory.ts';

/** What a command is judged in: the folder it would start in, and what the sandbox is here. */
export interface Surroundings {
  readonly place: ShellPlace;
  readonly sandbox: SandboxRules;
}

/** The shell's own opinion of a call: nothing that was not proven is allowed. */
export async function judgeCommand(input: BashInput, { workspace }: ToolContext, { place, sandbox }: Surroundings): Promise<Opinion> {
  const command = analyseCommand(input.command, { directory: place.directory, home: workspace.home });
  const where = confine({ command, dangerouslyDisableSandbox: input.dangerouslyDisableSandbox }, sandbox);
  if (where.kind !== 'refused') return { kind: 'passthrough' };
  return { kind: 'deny', reason: { by: 'tool', detail: where.why }, message: where.why };
}
