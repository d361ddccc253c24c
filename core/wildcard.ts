/** Does a text fit a pattern in which `*` stands for any text? In time that grows with both lengths only, whoever wrote the pattern. */
export function matchWildcard(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return text === pattern;
  if (!text.startsWith(pattern.slice(0, star))) return false;
  const parts = pattern.slice(star + 1).split('*');
  const last = parts.pop() ?? '';
  if (!text.endsWith(last)) return false;
  let at = star;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/**
 * Is there a text that fits both patterns? `*` stands for any text in either, and a NUL for one unknown character. In time that grows
 * with both lengths only: `can[j]` says whether what is left of both fits.
 */
export function wildcardsMeet(a: string, b: string): boolean {
  let can: readonly boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--) {
      if (i === a.length && j === b.length) row[j] = true;
      else if (a[i] === '*') row[j] = can[j] === true || row[j + 1] === true;
      else if (b[j] === '*') row[j] = row[j + 1] === true || can[j] === true;
      else row[j] = i < a.length && j < b.length && (a[i] === b[j] || a[i] === '\0' || b[j] === '\0') && can[j + 1] === true;
    }
    can = row;
  }
  return can[0] === true;
}
