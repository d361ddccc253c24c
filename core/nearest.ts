/** The candidate fewest edits away, if it is near enough to be meant: at most a third of the word, at least two edits. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestEdits = limit + 1;
  for (const candidate of candidates) {
    const distance = edits(word.toLowerCase(), candidate.toLowerCase(), bestEdits);
    if (distance < bestEdits) [best, bestEdits] = [candidate, distance];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; stops counting at `limit`. */
function edits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) >= limit) return limit;
    [before, row] = [row, next];
  }
  return row[b.length] ?? limit;
}
