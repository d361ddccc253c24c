import { jsonSchema } from 'pegboard/kit';

/** What the settings say of the sandbox, under `sandbox`; what is left out is the cautious choice. */
export interface SandboxSettings {
  readonly enabled?: boolean | undefined;
  /** No command runs at all where the sandbox cannot. */
  readonly failIfUnavailable?: boolean | undefined;
  /** Whether a command that runs in the sandbox needs nobody's leave; yes unless given. */
  readonly autoAllowBashIfSandboxed?: boolean | undefined;
  /** Whether a call may ask to run outside; yes unless given, and then it is asked about like any other command. */
  readonly allowUnsandboxedCommands?: boolean | undefined;
  /** Commands, as rules spell them, that cannot work inside. */
  readonly excludedCommands?: readonly string[] | undefined;
  readonly filesystem?:
    | {
        readonly allowWrite?: readonly string[] | undefined;
        readonly denyWrite?: readonly string[] | undefined;
        readonly denyRead?: readonly string[] | undefined;
      }
    | undefined;
  readonly network?:
    { readonly allowedDomains?: readonly string[] | undefined; readonly deniedDomains?: readonly string[] | undefined } | undefined;
}

const flag = { type: 'boolean' } as const;
const texts = { type: 'array', items: { type: 'string', minLength: 1 } } as const;
const group = (names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, texts])),
  additionalProperties: false,
});

/** Checks them; a name nobody knows is an error, because it may have been meant to restrict. */
export const sandboxSettings = jsonSchema<SandboxSettings | undefined>({
  type: 'object',
  properties: {
    enabled: flag,
    failIfUnavailable: flag,
    autoAllowBashIfSandboxed: flag,
    allowUnsandboxedCommands: flag,
    excludedCommands: texts,
    filesystem: group(['allowWrite', 'denyWrite', 'denyRead']),
    network: group(['allowedDomains', 'deniedDomains']),
  },
  additionalProperties: false,
});
