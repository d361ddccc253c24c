/** Is a word another one with one letter wrong, missing, added, or swapped with its neighbour? Equal words are. */
export function withinOneEdit(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  let from = 0;
  while (from < short.length && short.charCodeAt(from) === long.charCodeAt(from)) from++;
  let end = 0;
  while (end < short.length - from && short.charCodeAt(short.length - 1 - end) === long.charCodeAt(long.length - 1 - end)) end++;
  const left = short.length - from - end;
  if (left === 0 || long.length > short.length) return left === 0;
  return left === 1 || (left === 2 && short[from] === long[from + 1] && short[from + 1] === long[from]);
}
