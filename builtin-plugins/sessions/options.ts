import type { StandardSchema } from 'pegboard';

/** What the settings say under `pluginOptions.transcripts`. */
export interface SessionOptions {
  /** Whether conversations are written down; they are unless this says otherwise. */
  readonly enabled: boolean;
}

/** Written by hand, because every start asks it and a validator is slow to load. */
export const sessionOptions: StandardSchema<SessionOptions> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) return { issues: [{ message: 'expected an object' }] };
      const { enabled = true, ...others } = given as Readonly<Record<string, unknown>>;
      const issues = Object.keys(others).map((name) => ({ message: 'unknown; there is enabled', path: [name] }));
      if (typeof enabled !== 'boolean') return { issues: [...issues, { message: 'expected true or false', path: ['enabled'] }] };
      return issues.length > 0 ? { issues } : { value: { enabled } };
    },
  },
};
