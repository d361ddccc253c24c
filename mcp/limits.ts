import type { StandardSchema } from 'pegboard';

import { isObject } from './json.ts';

/** What holds for all servers of a host, unless a definition says otherwise. */
export interface Limits {
  /** So many servers start at the same moment. */
  readonly connectsAtOnce: number;
  /** A list that is older is asked for again in the background, ms. */
  readonly listMaxAge: number;
  /** A server nobody has called for so long is stopped until the next call, ms; 0 for never. */
  readonly idleStop: number;
}

const DEFAULTS: Limits = { connectsAtOnce: 8, listMaxAge: 24 * 60 * 60 * 1000, idleStop: 15 * 60 * 1000 };

const FITS: { readonly [Name in keyof Limits]: { readonly fits: (value: number) => boolean; readonly words: string } } = {
  connectsAtOnce: { fits: (value) => Number.isInteger(value) && value >= 1 && value <= 100, words: 'a whole number from 1 to 100' },
  listMaxAge: { fits: (value) => value >= 0, words: 'a number of milliseconds' },
  idleStop: { fits: isDelay, words: 'a number of milliseconds, or 0 for never' },
};

/** Whether a timer can be set to it. */
export function isDelay(value: number): boolean {
  return value >= 0 && value <= 2 ** 31 - 1;
}

/** Checks `pluginOptions.mcp` and fills in what is left out. Written by hand, because it is read at every start. */
export const limitsSchema: StandardSchema<Limits> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (given) => {
      if (!isObject(given)) return { issues: [{ message: 'expected an object' }] };
      const issues = Object.entries(given).flatMap(([name, value]) => {
        const field = Object.hasOwn(FITS, name) ? FITS[name as keyof Limits] : undefined;
        if (field === undefined) return [{ message: `not known; there are ${Object.keys(FITS).join(', ')}`, path: [name] }];
        return typeof value === 'number' && field.fits(value) ? [] : [{ message: `expected ${field.words}`, path: [name] }];
      });
      return issues.length > 0 ? { issues } : { value: { ...DEFAULTS, ...given } };
    },
  },
};
