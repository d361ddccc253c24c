/** Small pieces that know no tool, plugin or model: `pegboard/kit`. Heavy packages behind them load when first used. */
export { jsonSchema } from './json-schema.ts';
export type { CheckedSchema, Complaint } from './json-schema.ts';
