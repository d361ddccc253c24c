import { placeText, type Settings } from 'pegboard/settings';

import type { ListedServer } from '../all-servers.ts';
import { factsText, serverFacts, serverText } from './server-text.ts';

/** A server as JSON has it, without its secrets; `settings` say what fills its placeholders. */
export function serverJson(listed: ListedServer, settings?: Settings) {
  const { name, scope, plugin, definition, place, state } = listed;
  const why = stateWhy(listed);
  return {
    name,
    scope,
    ...(plugin === undefined ? {} : { plugin }),
    state: state.kind,
    ...(state.kind === 'waiting' ? { waitsFor: state.on, changed: state.changed } : {}),
    ...(why === undefined ? {} : { why }),
    server: settings === undefined ? serverText(definition) : factsText(serverFacts(listed, settings)),
    place,
  };
}

/** Why a server is in its state, where there is more to say. */
export function stateWhy({ state }: ListedServer): string | undefined {
  return state.kind === 'shadowed' ? `${placeText(state.by)} comes before it` : 'why' in state ? state.why : undefined;
}
