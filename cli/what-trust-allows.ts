import { oneLine } from 'pegboard';
import { maskSecrets, placeText, type FoundServer, type Ignored, type Settings } from 'pegboard/settings';

import { serverText } from './render/server-text.ts';

/** Something of a folder that waits for a person's yes. */
export interface Waiting {
  readonly kind: 'server' | 'value' | 'script' | 'import' | 'file';
  readonly name: string;
  /** What it is or would do, secrets masked. */
  readonly text: string;
  readonly place: string;
}

/** What would count or run if a folder were trusted and its servers approved. */
export function whatTrustAllows(settings: Settings): readonly Waiting[] {
  const servers = settings.servers.flatMap(({ name, definition, place, state }): readonly Waiting[] =>
    state.kind === 'waiting' ? [{ kind: 'server', name, text: `would start ${serverText(definition)}`, place: placeText(place) }] : [],
  );
  const others = settings.ignored.filter(({ what, until }) => until === 'trust' && !(what.kind === 'value' && isServer(what.key)));
  return [...servers, ...others.map((each) => waitingOf(each, settings))];
}

/** The servers that wait for nothing but an approval: of each name the definition that would count, for one name has one approval. */
export function awaitingApproval(servers: readonly FoundServer[]): readonly FoundServer[] {
  const waiting = servers.filter(({ state }) => state.kind === 'waiting' && state.on === 'approval');
  return waiting.filter(({ name }, at) => waiting.findIndex((each) => each.name === name) === at);
}

function isServer(key: string): boolean {
  return key.startsWith('mcpServers.');
}

function waitingOf({ what, place }: Ignored, settings: Settings): Waiting {
  const at = placeText(place);
  switch (what.kind) {
    case 'value':
      return { kind: 'value', name: what.key, text: `would be ${valueText(what.key, at, settings)}`, place: at };
    case 'script':
      return { kind: 'script', name: place.source, text: 'would be run for its settings', place: at };
    case 'import':
      return { kind: 'import', name: what.path, text: 'would be imported, and run if it is a script', place: at };
    case 'loader':
    case 'file':
      return { kind: 'file', name: place.source, text: 'would be read', place: at };
  }
}

function valueText(key: string, at: string, settings: Settings): string {
  const explained = settings.explain(key).flatMap((each) => (each.kind === 'value' ? each.losers : each.left));
  const found = explained.find(({ place }) => placeText(place) === at);
  return oneLine(JSON.stringify(maskSecrets(key, found?.value)) ?? 'unset', 200);
}
