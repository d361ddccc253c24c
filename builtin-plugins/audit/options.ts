import type { StandardSchema } from 'pegboard';

import type { LogLimits } from './audit-log.ts';

/** What the settings say under `pluginOptions.audit`. */
export interface AuditOptions extends LogLimits {
  readonly enabled: boolean;
  /** Whether calls are refused while nothing can be written down. */
  readonly required: boolean;
}

const MEGABYTE = 1024 * 1024;
const NUMBERS = {
  fileMegabytes: { usual: 10, most: 100 },
  keepDays: { usual: 30, most: 3_650 },
  keepFiles: { usual: 30, most: 1_000 },
} as const;
type NumberName = keyof typeof NUMBERS;
const NAMES = Object.keys(NUMBERS) as readonly NumberName[];

/** Written by hand, because every start asks it and a validator is slow to load. */
export const auditOptions: StandardSchema<AuditOptions> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return { issues: [{ message: 'expected an object' }] };
      const options = given as Readonly<Record<string, unknown>>;
      const issues = Object.entries(options).flatMap(([name, value]) => {
        const expected = expectedOf(name, value);
        return expected === undefined ? [] : [{ message: expected, path: [name] }];
      });
      return issues.length > 0 ? { issues } : { value: filled(options) };
    },
  },
};

function expectedOf(name: string, value: unknown): string | undefined {
  if (name === 'enabled' || name === 'required') return typeof value === 'boolean' ? undefined : 'expected true or false';
  const known = NAMES.find((each) => each === name);
  if (known === undefined) return `unknown; there are enabled, required, ${NAMES.join(', ')}`;
  const { most } = NUMBERS[known];
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;
  return fits ? undefined : `expected a whole number from 1 to ${most}`;
}

function filled(options: Readonly<Record<string, unknown>>): AuditOptions {
  const number = (name: NumberName) => Number(options[name] ?? NUMBERS[name].usual);
  return {
    enabled: options['enabled'] !== false,
    required: options['required'] === true,
    fileBytes: number('fileMegabytes') * MEGABYTE,
    keepDays: number('keepDays'),
    keepFiles: number('keepFiles'),
  };
}
