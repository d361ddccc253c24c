import { placeText } from 'pegboard/settings';

import type { ListedServer } from '../all-servers.ts';
import { serverText } from './server-text.ts';

/** A server as JSON and tables have it, without its secrets. */
export function serverJson({ name, scope, plugin, definition, place, state }: ListedServer) {
  const why = state.kind === 'shadowed' ? `${placeText(state.by)} comes before it` : 'why' in state ? state.why : undefined;
  return {
    name,
    scope,
    ...(plugin === undefined ? {} : { plugin }),
    state: state.kind,
    ...(state.kind === 'waiting' ? { waitsFor: state.on, changed: state.changed } : {}),
    ...(why === undefined ? {} : { why }),
    server: serverText(definition),
    place,
  };
}
