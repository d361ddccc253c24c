import type { StandardSchema } from 'pegboard';

/** What the settings say under `pluginOptions.shell`. */
export interface ShellOptions {
  /** Milliseconds a command gets that asks for none, and at most. */
  readonly limitMs: number;
  readonly longestMs: number;
  /** Variables of the person's own environment that commands get beside the usual ones. */
  readonly environment: readonly string[];
}

/** What holds where the settings say nothing. */
export const USUAL_OPTIONS: ShellOptions = { limitMs: 120_000, longestMs: 600_000, environment: [] };

const SECOND_MS = 1_000;
const MOST_SECONDS = 86_400;
const KNOWN = 'timeoutSeconds, maxTimeoutSeconds, environment';

/** Written by hand, because every start asks it and a validator is slow to load. */
export const shellOptions: StandardSchema<ShellOptions> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return { issues: [{ message: 'expected an object' }] };
      const issues = Object.entries(given).flatMap(([name, value]) => {
        const expected = expectedOf(name, value);
        return expected === undefined ? [] : [{ message: expected, path: [name] }];
      });
      return issues.length > 0 ? { issues } : { value: filled(given as Readonly<Record<string, unknown>>) };
    },
  },
};

function expectedOf(name: string, value: unknown): string | undefined {
  switch (name) {
    case 'timeoutSeconds':
    case 'maxTimeoutSeconds': {
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_SECONDS;
      return fits ? undefined : `expected a whole number from 1 to ${MOST_SECONDS}`;
    }
    case 'environment': {
      const fits = Array.isArray(value) && value.every((each) => typeof each === 'string' && /^[A-Za-z_]\w*$/.test(each));
      return fits ? undefined : 'expected a list of names of variables';
    }
    default:
      return `unknown; there are ${KNOWN}`;
  }
}

function filled(options: Readonly<Record<string, unknown>>): ShellOptions {
  const { timeoutSeconds, maxTimeoutSeconds, environment } = options;
  const wished = timeoutSeconds === undefined ? USUAL_OPTIONS.limitMs : Number(timeoutSeconds) * SECOND_MS;
  const longest = maxTimeoutSeconds === undefined ? Math.max(USUAL_OPTIONS.longestMs, wished) : Number(maxTimeoutSeconds) * SECOND_MS;
  return { limitMs: Math.min(wished, longest), longestMs: longest, environment: (environment as readonly string[] | undefined) ?? [] };
}
