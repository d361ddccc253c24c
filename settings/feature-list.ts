import type { JsonObject } from './object.ts';

/** `a,-b` as what settings say: `a` on, `b` off. Nothing if nothing is named. */
export function parseFeatures(list: string | undefined): JsonObject | undefined {
  const names = (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return undefined;
  return { features: Object.fromEntries(names.map((name) => [name.replace(/^[-+]/, ''), !name.startsWith('-')])) };
}
