import type { Usage } from 'pegboard';

import { CACHE_FACTORS, PRICES } from './prices.data.ts';

const MILLION = 1_000_000;

/** What an answer cost, in US dollars, by the published prices; nothing for a model whose price is not known. */
export function priceOf(model: string, usage: Usage): number | undefined {
  const price = PRICES.find(({ name }) => model.includes(name));
  if (price === undefined) return undefined;
  const { input_tokens: fresh, output_tokens: output, cache_creation_input_tokens: written = 0, cache_read_input_tokens: read = 0 } = usage;
  return ((fresh + written * CACHE_FACTORS.write + read * CACHE_FACTORS.read) * price.input + output * price.output) / MILLION;
}
