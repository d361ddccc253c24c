import type { StandardSchema } from 'pegboard';

/** What the settings say of the sandbox, under `sandbox`. */
export interface SandboxSettings {
  readonly enabled: boolean;
  /** No command runs at all where the sandbox cannot. */
  readonly failIfUnavailable: boolean;
  /** Whether a command that runs in the sandbox needs nobody's leave. */
  readonly autoAllowBashIfSandboxed: boolean;
  /** Whether a call may ask to run outside; it is then judged like any other. */
  readonly allowUnsandboxedCommands: boolean;
  /** Commands, as rules spell them, that cannot work inside. */
  readonly excludedCommands: readonly string[];
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}

type Kind = 'switch' | 'texts';
const MEMBERS: Readonly<Record<string, Kind>> = {
  enabled: 'switch',
  failIfUnavailable: 'switch',
  autoAllowBashIfSandboxed: 'switch',
  allowUnsandboxedCommands: 'switch',
  excludedCommands: 'texts',
  'filesystem.allowWrite': 'texts',
  'filesystem.denyWrite': 'texts',
  'filesystem.denyRead': 'texts',
  'network.allowedDomains': 'texts',
  'network.deniedDomains': 'texts',
};

/** Read by hand, because every start asks it. A name nobody knows is an error: it may have been meant to restrict. */
export const sandboxSettings: StandardSchema<SandboxSettings> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      const object = given === undefined ? {} : wordAsObject(given);
      if (!isObject(object)) return { issues: [{ message: 'expected "off", "on", "required" or an object' }] };
      const flat = new Map(flatten(object));
      const issues = [...flat].flatMap(([name, value]) =>
        fits(name, value) ? [] : [{ message: expectation(name), path: name.split('.') }],
      );
      return issues.length > 0 ? { issues } : { value: filled(flat) };
    },
  },
};

/** The three words are short for what they say. */
function wordAsObject(given: unknown): unknown {
  if (given === 'off') return { enabled: false };
  if (given === 'on') return { enabled: true };
  return given === 'required' ? { enabled: true, failIfUnavailable: true } : given;
}

function flatten(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) =>
    isObject(value)
      ? Object.entries(value).map(([inner, each]: [string, unknown]) => [`${name}.${inner}`, each] as const)
      : [[name, value] as const],
  );
}

function fits(name: string, value: unknown): boolean {
  if (!Object.hasOwn(MEMBERS, name)) return false;
  if (MEMBERS[name] === 'switch') return typeof value === 'boolean';
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '' && !each.includes('\0'));
}

function expectation(name: string): string {
  if (!Object.hasOwn(MEMBERS, name)) return `unknown; there are ${Object.keys(MEMBERS).join(', ')}`;
  return MEMBERS[name] === 'switch' ? 'expected true or false' : 'expected a list of texts';
}

function filled(flat: ReadonlyMap<string, unknown>): SandboxSettings {
  const isOn = (name: string, otherwise: boolean) => (flat.get(name) as boolean | undefined) ?? otherwise;
  const list = (name: string) => (flat.get(name) as readonly string[] | undefined) ?? [];
  return {
    enabled: isOn('enabled', false),
    failIfUnavailable: isOn('failIfUnavailable', false),
    autoAllowBashIfSandboxed: isOn('autoAllowBashIfSandboxed', true),
    allowUnsandboxedCommands: isOn('allowUnsandboxedCommands', true),
    excludedCommands: list('excludedCommands'),
    allowWrite: list('filesystem.allowWrite'),
    denyWrite: list('filesystem.denyWrite'),
    denyRead: list('filesystem.denyRead'),
    allowedDomains: list('network.allowedDomains'),
    deniedDomains: list('network.deniedDomains'),
  };
}

/** What holds where nobody has said anything. */
export const NO_SETTINGS: SandboxSettings = filled(new Map());

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
