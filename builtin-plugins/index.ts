import type { Plugin } from 'pegboard';

import { files } from './files/index.ts';
import { search } from './search/index.ts';

export { offlineModel } from './models/offline.ts';

/** The plugins every host begins with, in order. Nothing heavy loads before a tool is used. */
export function builtinPlugins(): readonly Plugin[] {
  return [files(), search()];
}
