/** US dollars for a million tokens, as published; the first whose name a model's id holds counts. */
export const PRICES: readonly { readonly name: string; readonly input: number; readonly output: number }[] = [
  { name: 'opus-4-1', input: 15, output: 75 },
  { name: 'opus-4-0', input: 15, output: 75 },
  { name: 'opus-4-2', input: 15, output: 75 },
  { name: 'opus', input: 5, output: 25 },
  { name: 'sonnet', input: 3, output: 15 },
  { name: '3-5-haiku', input: 0.8, output: 4 },
  { name: 'haiku', input: 1, output: 5 },
];

/** Writing into the cache and reading from it, as parts of the price of input. */
export const CACHE_FACTORS = { write: 1.25, read: 0.1 } as const;
