import type { SearchAnswer } from 'pegboard';

import type { Board, QuerySet } from './ablation-sets.ts';

/** What the answers to queries say of how well they fit. */
interface Asked {
  readonly verdict: SearchAnswer['verdict'];
  readonly fit: number;
  readonly found: boolean;
}

/** Of queries that a catalogue can serve and of queries of other sets: how many are offered something at each threshold of fit. */
export interface Abstaining {
  readonly thresholds: readonly { readonly fit: number; readonly recall: number; readonly falseOffers: number }[];
  /** The same for the verdicts: what is not `nothing`, and what `fits`. */
  readonly offered: { readonly recall: number; readonly falseOffers: number };
  readonly fitting: { readonly recall: number; readonly falseOffers: number };
}

const SHORT = /judged$|^user$|^step$/;
const MOST_FOREIGN = 150;
const THRESHOLDS = [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6];

/** Asks each catalogue the short queries of its own set and of the others. A recall is a right tool among the first five that is offered. */
export async function abstaining(boards: ReadonlyMap<QuerySet, Board>): Promise<Abstaining> {
  const own: Asked[] = [];
  const foreign: Asked[] = [];
  for (const [set, board] of boards) {
    for (const [other, otherBoard] of boards) {
      const queries = other.queries.filter(({ kind }) => SHORT.test(kind)).slice(0, other === set ? undefined : MOST_FOREIGN);
      for (const { query, gold } of queries) {
        const { matches, verdict } = await board.pool.search(query, { limit: 5 });
        const wanted = new Set(gold.map(otherBoard.classOfId));
        const found = other === set && matches.some(({ place }) => wanted.has(board.classOf(place.tool)));
        (other === set ? own : foreign).push({ verdict, fit: matches[0]?.fit ?? 0, found });
      }
    }
  }
  const shares = (offered: (asked: Asked) => boolean) => ({
    recall: own.filter((asked) => asked.found && offered(asked)).length / own.length,
    falseOffers: foreign.filter(offered).length / foreign.length,
  });
  return {
    thresholds: THRESHOLDS.map((least) => ({ fit: least, ...shares(({ fit }) => fit >= least) })),
    offered: shares(({ verdict }) => verdict !== 'nothing'),
    fitting: shares(({ verdict }) => verdict === 'fits'),
  };
}
