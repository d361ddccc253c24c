import { maskSecrets, placeText, type FoundServer, type Ignored, type Settings } from 'pegboard/settings';

import { CHANGES_WHAT_RUNS, factLines, factsText, serverFacts, variableFact, type Fact } from './render/server-text.ts';
import { shellWord } from './render/shell-word.ts';
import type { Line } from './screen.ts';

/** Something of a folder that waits for a person's yes. */
export interface Waiting {
  readonly kind: 'server' | 'value' | 'script' | 'import' | 'file';
  readonly name: string;
  /** What it is or would do, whole; only what looks like a secret is masked. */
  readonly text: string;
  readonly facts: readonly Fact[];
  readonly place: string;
}

/** What would count or run if a folder were trusted and its servers approved. */
export function whatTrustAllows(settings: Settings): readonly Waiting[] {
  const servers = settings.servers.flatMap((server): readonly Waiting[] => {
    const [first, ...others] = serverFacts(server, settings);
    const facts = [{ ...first, text: `would start ${first?.text ?? ''}` }, ...others];
    return server.state.kind === 'waiting' ? [waits('server', server.name, facts, placeText(server.place))] : [];
  });
  const others = settings.ignored.filter(({ what, until }) => until === 'trust' && !(what.kind === 'value' && isServer(what.key)));
  return [...servers, ...others.map((each) => waitingOf(each, settings))];
}

/** Each of these as lines for a person. */
export function waitingLines(all: readonly Waiting[]): readonly Line[] {
  return all.flatMap(({ kind, name, facts, place }) => factLines(`- ${kind === 'server' ? shellWord(name) : name} `, facts, ` (${place})`));
}

/** The servers that wait for nothing but an approval: of each name the definition that would count, for one name has one approval. */
export function awaitingApproval(servers: readonly FoundServer[]): readonly FoundServer[] {
  const waiting = servers.filter(({ state }) => state.kind === 'waiting' && state.on === 'approval');
  return waiting.filter(({ name }, at) => waiting.findIndex((each) => each.name === name) === at);
}

function isServer(key: string): boolean {
  return /^mcpServers[.[]/.test(key);
}

function waits(kind: Waiting['kind'], name: string, facts: readonly Fact[], place: string): Waiting {
  return { kind, name, text: factsText(facts), facts, place };
}

function waitingOf({ what, place }: Ignored, settings: Settings): Waiting {
  const at = placeText(place);
  switch (what.kind) {
    case 'value':
      return waits('value', what.key, [valueFact(what.key, at, settings)], at);
    case 'script':
      return waits('script', place.source, [{ text: 'would be run for its settings' }], at);
    case 'import':
      return waits('import', what.path, [{ text: 'would be imported, and run if it is a script' }], at);
    case 'loader':
    case 'file':
      return waits('file', place.source, [{ text: 'would be read' }], at);
  }
}

/** Settings that name programs or code of the folder. */
const LOADS = /^(?:plugins|enabledPlugins|extraKnownMarketplaces|hooks|statusLine|\w*Helper)(?:$|[.[])/;

function valueFact(key: string, at: string, settings: Settings): Fact {
  const explained = settings.explain(key).flatMap((each) => (each.kind === 'value' ? each.losers : each.left));
  const found = explained.find(({ place }) => placeText(place) === at);
  const { effect } = key.startsWith('env.')
    ? variableFact(key.slice('env.'.length), '')
    : { effect: LOADS.test(key) ? CHANGES_WHAT_RUNS : undefined };
  return { text: `would be ${JSON.stringify(maskSecrets(key, found?.value, 'approval')) ?? 'unset'}`, effect };
}
