/** An error needs exactly the values of its sentence. Compiled by `tsc`, never run. */
import { PegboardError } from 'pegboard';

export const complete = new PegboardError('PLUGIN_MISSING', { plugin: 'a', required: 'b' });
export const code: 'PLUGIN_MISSING' = complete.code;

// @ts-expect-error a value of the sentence is missing
export const missing = new PegboardError('PLUGIN_MISSING', { plugin: 'a' });
// @ts-expect-error there is no such code
export const unknown = new PegboardError('PLUGIN_LOST', {});
// @ts-expect-error the sentence has no such value
export const tooMuch = new PegboardError('PLUGIN_DOUBLE', { plugin: 'a', other: 'b' });
