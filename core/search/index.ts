import type { Place, Pool } from '../pool.ts';
import type { Corpus, Entry } from './corpus.ts';
import type { Explanation } from './explanation.ts';
import { evidenceFor, rerank, type IndexPorts } from './ask-aids.ts';
import { parseQuery } from './query.ts';
import type { Hit, rank } from './ranking.ts';
import { selectByName } from './select.ts';
import { DEFAULT_WEIGHTS, type RankingWeights } from './weights.ts';

export interface SearchOptions {
  /** At most so many matches; 5 unless given. */
  readonly limit?: number | undefined;
  /** With `waiting`, tools whose definitions are loaded take no place among the matches; `all` is the default. */
  readonly among?: 'all' | 'waiting' | undefined;
  /** Each match says how its score came about; only for people who ask, it costs time. */
  readonly explain?: boolean | undefined;
  /** With `false`, what was learned from use counts nothing: for measuring, so that it says the same everywhere. */
  readonly learned?: boolean | undefined;
  /** What each kind of evidence counts, for measuring what it contributes. */
  readonly weights?: RankingWeights | undefined;
}

export interface SearchMatch {
  readonly place: Place;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
  /** 0 to 1: how much of what was asked for this tool speaks of, rare words counting more. Comparable between answers. */
  readonly fit: number;
  /** What it is found by, beside a word that one tool alone has: much where several rare words were met in telling places. Comparable between answers. */
  readonly strength: number;
  /** The same tool on other servers, best first; they stand further down, so that this one does not take all places. */
  readonly copies: readonly Place[];
  /** Only with `explain`, and not for tools asked for by name. */
  readonly explanation?: Explanation | undefined;
}

/** How far the best match can be trusted: `weak` may not be what was meant, with `nothing` no tool here does what was asked. */
export type Verdict = 'fits' | 'weak' | 'nothing';

export interface SearchAnswer {
  /** Best first; equal scores by name. */
  readonly matches: readonly SearchMatch[];
  /** Tools that would stand among the matches but are loaded or revealed already; only with `among: 'waiting'`. */
  readonly loaded: readonly SearchMatch[];
  /** Names asked for with `select:` that nobody has. */
  readonly missing: readonly string[];
  readonly verdict: Verdict;
  /** What was asked for, as terms: what learning from use goes by. */
  readonly terms: readonly string[];
}

const DEFAULT_LIMIT = 5;
/** So many of the best a reranker may judge. */
const RERANKED_MATCHES = 40;

/** Finds tools by name and by what they do. One is enough for a host: it follows the sources of whatever pool it is asked about. */
export class ToolIndex {
  #engine: Promise<Engine> | undefined;
  #line: Promise<unknown> = Promise.resolve();
  readonly #ports: IndexPorts;

  constructor(ports: IndexPorts = {}) {
    this.#ports = ports;
  }

  /** Never finds what the pool hides. Searches wait for each other, so each sees the sources of its own pool. */
  async search(pool: Pool, query: string, options: SearchOptions): Promise<SearchAnswer> {
    const asked = parseQuery(query);
    if (asked.kind === 'select') {
      const { matches, missing } = selectByName(pool, asked.names);
      return withVerdict({ ...arrange(matches, matches.length, options.among), missing, terms: [] });
    }
    const { limit = DEFAULT_LIMIT, among } = options;
    const reranked = (this.#ports.aids?.().rerankers.length ?? 0) > 0;
    const found = this.#line.then(async () => {
      const { corpus, rank } = await (this.#engine ??= openEngine(this.#ports));
      await corpus.update(pool.sources);
      const evidence = (terms: readonly string[]) =>
        options.learned === false ? new Map<string, number>() : evidenceFor(this.#ports, terms);
      const visible = (entry: Entry) => placeOf(pool, entry) !== undefined;
      const { terms, hits } = rank(corpus, { query: asked, weights: options.weights ?? DEFAULT_WEIGHTS, visible, evidence });
      const ranked = inPool(pool, hits, options.explain);
      return reranked ? { terms, best: first(ranked, Math.max(limit, RERANKED_MATCHES)) } : { terms, ...arrange(ranked, limit, among) };
    });
    this.#line = found.catch(() => undefined);
    const { terms, ...rest } = await found;
    const arranged = 'best' in rest ? arrange(await rerank(this.#ports, asked.text, rest.best), limit, among) : rest;
    return withVerdict({ ...arranged, missing: [], terms });
  }
}

function first(matches: Iterable<SearchMatch>, count: number): readonly SearchMatch[] {
  const taken: SearchMatch[] = [];
  for (const match of matches) if (taken.push(match) >= count) break;
  return taken;
}

/**
 * What a match must reach in one of both. Strength tells words that were meant from those a long query meets by chance; fit speaks for a
 * query whose words many tools have. Chosen on development data (bench/search/figures.md).
 */
const FITS = { strength: 0.9, fit: 0.6 };
const WEAK = { strength: 0.4, fit: 0.5 };

function withVerdict(answer: Omit<SearchAnswer, 'verdict'>): SearchAnswer {
  const reached = (least: typeof FITS) =>
    [...answer.matches, ...answer.loaded].some(({ strength, fit }) => strength >= least.strength || fit >= least.fit);
  return { ...answer, verdict: reached(FITS) ? 'fits' : reached(WEAK) ? 'weak' : 'nothing' };
}

function* inPool(pool: Pool, hits: Iterable<Hit>, explain = false): Generator<SearchMatch> {
  for (const { entry, score, fit, strength, copies, explain: explained } of hits) {
    const place = placeOf(pool, entry);
    const others = copies.flatMap((copy) => placeOf(pool, copy) ?? []);
    if (place) yield { place, score, fit, strength, copies: others, ...(explain ? { explanation: explained() } : {}) };
  }
}

interface Engine {
  readonly corpus: Corpus;
  readonly rank: typeof rank;
}

/** Everything heavy, loaded when somebody first searches. */
async function openEngine({ clock, cache }: IndexPorts): Promise<Engine> {
  const [{ Corpus }, { rank }, { textFiles }] = await Promise.all([
    import('./corpus.ts'),
    import('./ranking.ts'),
    import('./text-files.ts'),
  ]);
  return { corpus: new Corpus(clock, cache === undefined ? undefined : textFiles(cache)), rank };
}

/** Where a tool stands in a pool; nothing for what is hidden there or has lost its name. */
function placeOf(pool: Pool, { tool, owner }: Entry): Place | undefined {
  const place = pool.place(tool.name);
  return place?.state === 'hidden' || place?.state === 'lost' || place?.source.owner !== owner ? undefined : place;
}

function arrange(
  ranked: Iterable<SearchMatch>,
  limit: number,
  among: SearchOptions['among'] = 'all',
): Pick<SearchAnswer, 'matches' | 'loaded'> {
  const matches: SearchMatch[] = [];
  const loaded: SearchMatch[] = [];
  for (const match of ranked) {
    if (matches.length >= limit) break;
    if (among === 'all' || match.place.state === 'deferred') matches.push(match);
    else loaded.push(match);
  }
  return { matches, loaded };
}
