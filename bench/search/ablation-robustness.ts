import type { RankingWeights } from 'pegboard';

import type { Board } from './ablation-sets.ts';

/** A way to ask for a tool whose name is known, more or less well. */
interface Spelling {
  readonly name: string;
  readonly write: (words: readonly string[], server: string, at: number) => string;
}

const SPELLINGS: readonly Spelling[] = [
  { name: 'as written', write: (words) => words.join('_') },
  { name: 'as words', write: (words) => words.join(' ') },
  { name: 'server + words', write: (words, server) => `${server} ${words.join(' ')}` },
  { name: 'one typo', write: (words, _server, at) => onLongest(words, (word) => (word.length < 5 ? word : typo(word, at))) },
  {
    name: 'truncated',
    write: (words) => onLongest(words, (word) => (word.length < 7 ? word : word.slice(0, Math.ceil(word.length * 0.6)))),
  },
];

/** Share of the tools with these ids that stand first when asked for by name in each of several spellings. Made by rule, nothing is drawn. */
export async function robustness(board: Board, ids: ReadonlySet<string>, weights?: RankingWeights): Promise<ReadonlyMap<string, number>> {
  const rows = [...board.rowOf].filter(([, { id }]) => ids.has(id));
  const shares = new Map<string, number>();
  for (const { name, write } of SPELLINGS) {
    let first = 0;
    for (const [at, [tool, row]] of rows.entries()) {
      const { matches } = await board.pool.search(write(wordsOf(row.name), row.server, at), { limit: 1, weights });
      const best = matches[0]?.place.tool;
      if (best !== undefined && board.classOf(best) === board.classOf(tool)) first++;
    }
    shares.set(name, first / rows.length);
  }
  return shares;
}

function wordsOf(name: string): readonly string[] {
  const spaced = name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ');
  return spaced.trim().toLowerCase().split(' ');
}

function onLongest(words: readonly string[], change: (word: string) => string): string {
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const at = words.indexOf(longest);
  return words.map((word, index) => (index === at ? change(word) : word)).join(' ');
}

/** Two letters swapped, one left out, one doubled or one wrong, in turn, somewhere inside the word. */
function typo(word: string, turn: number): string {
  const at = 1 + (turn % (word.length - 2));
  const [before, here, next, after] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1), word.slice(at + 2)];
  if (turn % 4 === 0 && here !== next) return `${before}${next}${here}${after}`;
  if (turn % 4 === 1) return `${before}${next}${after}`;
  if (turn % 4 === 2) return `${before}${here}${here}${next}${after}`;
  return `${before}${here === 'x' ? 'y' : 'x'}${next}${after}`;
}
