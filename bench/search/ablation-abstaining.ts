import { ToolIndex, type SearchAnswer } from 'pegboard';

import { boardOf, type Board, type CatalogueRow, type QueryRow, type QuerySet } from './ablation-sets.ts';
import { ACTS, ELSEWHERE } from './off-domain.data.ts';

/** What kinds of queries are asked: of the set itself, of another one (some of those it can serve), and what nobody there does. */
const KINDS = ['own', 'other set', 'acts', 'other languages', 'made-up words'] as const;
type Kind = (typeof KINDS)[number];

/** What came of one query. */
interface Asked {
  readonly kind: Kind;
  readonly verdict: SearchAnswer['verdict'];
  readonly strength: number;
  readonly fit: number;
  /** Is a right tool among the first five? */
  readonly found: boolean;
}

/** One way to tell answers from chance hits: the share of what was found that is offered, and what is offered falsely of each other kind. */
export interface Rule {
  readonly name: string;
  /** For the whole catalogues, then for pools of one server; first what is kept, then false offers by kind. */
  readonly shares: readonly number[];
}

/** What the shares of a rule are of. */
export const COLUMNS: readonly string[] = ['', 'one server '].flatMap((where) =>
  KINDS.map((kind) => `${where}${kind === 'own' ? 'kept' : kind}`),
);

const SHORT = /judged$|^user$|^step$/;
/** So that each set counts about alike. */
const MOST_OWN = 150;
const MOST_OTHERS = 150;
const OTHERS_OF_ONE_SERVER = 12;
const MADE_UP = 60;

const RULES: readonly (readonly [string, (asked: Asked) => boolean])[] = [
  ...[0.08, 0.2, 0.35].map((least) => [`fit ${least}`, ({ fit }: Asked) => fit >= least] as const),
  ...[0.3, 0.35, 0.4, 0.45, 0.6, 0.9].map((least) => [`strength ${least}`, ({ strength }: Asked) => strength >= least] as const),
  ['not "nothing"', ({ verdict }) => verdict !== 'nothing'],
  ['"fits"', ({ verdict }) => verdict === 'fits'],
];

/** Asks whole catalogues, and each server of the first set as a pool of its own, what they can serve and what they cannot. */
export async function abstaining(boards: ReadonlyMap<QuerySet, Board>): Promise<readonly Rule[]> {
  const large: Asked[] = [];
  for (const [set, board] of boards) {
    large.push(...(await askAll(board, 'own', spread(short(set), MOST_OWN))));
    for (const other of boards.keys())
      if (other !== set) large.push(...(await askAll(board, 'other set', spread(short(other), MOST_OTHERS))));
    large.push(...(await askNobody(board)));
  }
  const small: Asked[] = [];
  const [first] = boards.keys();
  for (const rows of first === undefined ? [] : serversOf(first)) small.push(...(await askServer(rows, short(first as QuerySet))));
  return RULES.map(([name, offers]) => ({ name, shares: [large, small].flatMap((asked) => sharesOf(asked, offers)) }));
}

function sharesOf(asked: readonly Asked[], offers: (asked: Asked) => boolean): readonly number[] {
  return KINDS.map((kind) => {
    const counted = asked.filter((each) => each.kind === kind && (kind !== 'own' || each.found));
    return counted.filter(offers).length / Math.max(1, counted.length);
  });
}

/** A pool of one server: queries with a right tool there are its own. */
async function askServer(rows: readonly CatalogueRow[], queries: readonly QueryRow[]): Promise<readonly Asked[]> {
  const board = boardOf(rows, new ToolIndex());
  const ids = new Set(rows.map(({ id }) => id));
  const served = ({ gold }: QueryRow) => gold.some((id) => ids.has(id));
  const others = queries.filter((row) => !served(row));
  return [
    ...(await askAll(board, 'own', queries.filter(served))),
    ...(await askAll(board, 'other set', spread(others, OTHERS_OF_ONE_SERVER))),
    ...(await askNobody(board)),
  ];
}

async function askNobody(board: Board): Promise<readonly Asked[]> {
  const row = (query: string): QueryRow => ({ kind: '', query, gold: [], mode: 'any' });
  return [
    ...(await askAll(board, 'acts', ACTS.map(row))),
    ...(await askAll(board, 'other languages', ELSEWHERE.map(row))),
    ...(await askAll(board, 'made-up words', madeUp().map(row))),
  ];
}

async function askAll(board: Board, kind: Kind, queries: readonly QueryRow[]): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const { query, gold } of queries) {
    const { matches, verdict } = await board.pool.search(query, { limit: 5 });
    const wanted = new Set(gold.map(board.classOfId));
    const most = (of: 'strength' | 'fit') => Math.max(0, ...matches.map((match) => match[of]));
    const found = matches.some(({ place }) => wanted.has(board.classOf(place.tool)));
    asked.push({ kind, verdict, strength: most('strength'), fit: most('fit'), found });
  }
  return asked;
}

function short({ queries }: QuerySet): readonly QueryRow[] {
  return queries.filter(({ kind }) => SHORT.test(kind));
}

function serversOf({ catalogue }: QuerySet): readonly (readonly CatalogueRow[])[] {
  return [...new Set(catalogue.map(({ server }) => server))].map((name) => catalogue.filter(({ server }) => server === name));
}

/** Evenly out of all of them. */
function spread(rows: readonly QueryRow[], count: number): readonly QueryRow[] {
  const step = Math.max(1, rows.length / count);
  return rows.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** One to six words each that no language has, short enough to be near one that has, by rule. */
function madeUp(): readonly string[] {
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'je', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 'va', 'zor', 'blen', 'quix'];
  const word = (seed: number) => [1, 7].map((step) => syllables[(seed * step + (seed >> 2)) % syllables.length]).join('');
  return Array.from({ length: MADE_UP }, (_, at) =>
    Array.from({ length: 1 + (at % 6) }, (_each, nth) => word(11 * at + 3 * nth)).join(' '),
  );
}
