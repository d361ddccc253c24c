import type { StandardSchema } from 'pegboard';

/** How long results that are too long for the context are kept once nobody goes on with their session, and how much of them together. */
export interface KeptResults {
  readonly days: number;
  readonly megabytes: number;
}

/** What the settings say under `pluginOptions.transcripts`. */
export interface SessionOptions {
  /** Whether conversations are written down; they are unless this says otherwise. */
  readonly enabled: boolean;
  readonly results: KeptResults;
}

const KEPT: KeptResults = { days: 7, megabytes: 1_000 };

/** Written by hand, because every start asks it and a validator is slow to load. */
export const sessionOptions: StandardSchema<SessionOptions> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (!isObject(given)) return { issues: [{ message: 'expected an object' }] };
      const { enabled = true, results = {}, ...others } = given;
      const kept = { ...KEPT, ...(isObject(results) ? results : {}) };
      const issues = [
        ...Object.keys(others).map((name) => ({ message: 'unknown; there are enabled and results', path: [name] })),
        ...(typeof enabled === 'boolean' ? [] : [{ message: 'expected true or false', path: ['enabled'] }]),
        ...(isObject(results) ? [] : [{ message: 'expected an object', path: ['results'] }]),
        ...Object.entries(kept).flatMap(([name, value]) => complaints(name, value)),
      ];
      return issues.length > 0 ? { issues } : { value: { enabled: enabled === true, results: kept } };
    },
  },
};

function complaints(name: string, value: unknown) {
  const path = ['results', name];
  if (!Object.hasOwn(KEPT, name)) return [{ message: 'unknown; there are days and megabytes', path }];
  return typeof value === 'number' && value >= 0 ? [] : [{ message: 'expected a number, 0 or more', path }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
