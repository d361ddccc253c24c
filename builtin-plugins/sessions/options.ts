import type { StandardSchema } from 'pegboard';

/** How long results that are too long for the context are kept once nobody goes on with their session, and how much of them together. */
export interface KeptResults {
  readonly days: number;
  readonly megabytes: number;
}

/** How long somebody waits for the summary that a conversation goes on from. */
export interface SummaryPatience {
  /** In all, with waits that the endpoint asks for. */
  readonly waitSeconds: number;
  /** Without a word of the model. One on a small machine may read for so long before it writes. */
  readonly silentSeconds: number;
}

/** What the settings say under `pluginOptions.transcripts`. */
export interface SessionOptions {
  /** Whether conversations are written down; they are unless this says otherwise. */
  readonly enabled: boolean;
  readonly results: KeptResults;
  readonly summary: SummaryPatience;
}

const KEPT: KeptResults = { days: 7, megabytes: 1_000 };
const PATIENCE: SummaryPatience = { waitSeconds: 60, silentSeconds: 150 };

/** Written by hand, because every start asks it and a validator is slow to load. */
export const sessionOptions: StandardSchema<SessionOptions> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (!isObject(given)) return { issues: [{ message: 'expected an object' }] };
      const { enabled = true, results, summary, ...others } = given;
      const issues = [
        ...Object.keys(others).map((name) => ({ message: 'unknown; there are enabled, results and summary', path: [name] })),
        ...(typeof enabled === 'boolean' ? [] : [{ message: 'expected true or false', path: ['enabled'] }]),
        ...complaints('results', results, KEPT),
        ...complaints('summary', summary, PATIENCE),
      ];
      if (issues.length > 0) return { issues };
      return {
        value: { enabled: enabled === true, results: { ...KEPT, ...object(results) }, summary: { ...PATIENCE, ...object(summary) } },
      };
    },
  },
};

/** What is wrong with numbers that may be given instead of the usual ones. */
function complaints(group: string, given: unknown, usual: KeptResults | SummaryPatience) {
  if (given !== undefined && !isObject(given)) return [{ message: 'expected an object', path: [group] }];
  return Object.entries(object(given)).flatMap(([name, value]) => {
    const path = [group, name];
    if (!Object.hasOwn(usual, name)) return [{ message: `unknown; there are ${Object.keys(usual).join(' and ')}`, path }];
    return typeof value === 'number' && value >= 0 ? [] : [{ message: 'expected a number, 0 or more', path }];
  });
}

function object(given: unknown): Readonly<Record<string, unknown>> {
  return isObject(given) ? given : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
