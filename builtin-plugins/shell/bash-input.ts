import { jsonSchema } from 'pegboard/kit';

/** What a call of the shell is given. */
export interface BashInput {
  readonly command: string;
  readonly description?: string | undefined;
  /** Milliseconds. */
  readonly timeout?: number | undefined;
  readonly run_in_background?: boolean | undefined;
  readonly dangerouslyDisableSandbox?: boolean | undefined;
}

/** Its schema. How long a command may take at most is the host's to say. */
export const bashInput = jsonSchema<BashInput>({
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The command, as bash -c takes it' },
    description: { type: 'string', description: 'What it does, in at most ten words, for the person who may be asked' },
    timeout: { type: 'integer', minimum: 1, description: 'Milliseconds after which it is ended, where the usual time is not right' },
    run_in_background: {
      type: 'boolean',
      description: 'Answers at once and lets it run on as a background task of the session; its end is announced',
    },
    dangerouslyDisableSandbox: {
      type: 'boolean',
      description: 'Runs it outside of the sandbox, where there is one; only for what failed inside because of it. A person is asked',
    },
  },
  required: ['command'],
  additionalProperties: false,
});

/** Why a command cannot be run at all, from its text. */
export function commandComplaint(command: string): string | undefined {
  if (command.trim() === '') return 'the command is empty';
  return command.includes('\0') ? 'the command has a NUL character in it, which no process can be given' : undefined;
}
