import { wildcardsMeet } from '../wildcard.ts';

/** Where the patterns of a rule start. */
export interface Starts {
  readonly home: string;
  readonly cwd: string;
  /** The folder of whoever wrote the rule. */
  readonly source: string;
}

/** May an absolute glob of a shell find a file that a restriction covers? In doubt it may. */
export function mayFind(glob: string, rule: string, { home, cwd, source }: Starts): boolean {
  const text = rule.trim();
  if (/^\.\.(\/|$)/.test(text)) return true;
  const [start, rest] = text.startsWith('//')
    ? ['', text.slice(2)]
    : text.startsWith('~/')
      ? [home, text.slice(2)]
      : text.startsWith('/')
        ? [source, text.slice(1)]
        : [cwd, text.replace(/^\.\//, '')];
  const named = rest.replace(/(\/\*\*)+\/?$/, '').replace(/\/$/, '');
  const floats = start === cwd && !text.startsWith('.') && !named.includes('/');
  return meet(steps(glob), [...steps(start), ...(floats ? ['**'] : []), ...steps(named), '**']);
}

function steps(path: string): readonly string[] {
  return path.split('/').filter((step) => step !== '' && step !== '.');
}

/** Is there a path that fits both? `**` stands for any number of steps. */
function meet([first, ...rest]: readonly string[], [other, ...others]: readonly string[]): boolean {
  if (other === '**')
    return meet(first === undefined ? [] : [first, ...rest], others) || (first !== undefined && meet(rest, [other, ...others]));
  if (first === '**')
    return meet(rest, other === undefined ? [] : [other, ...others]) || (other !== undefined && meet([first, ...rest], others));
  if (first === undefined || other === undefined) return first === other;
  return namesMeet(first, other) && meet(rest, others);
}

/** Is there a text that fits both patterns? A star at the beginning of a name does not find hidden files; sets of characters may be anything. */
function namesMeet(glob: string, other: string): boolean {
  if (/^[*?[]/.test(glob) && other.startsWith('.')) return false;
  // Where a set of characters ends depends on what is quoted and named in it; at the last bracket it has.
  const plain = (pattern: string) =>
    pattern.replace(/\\.|\[.*\]|\?/gs, (each) => (each.startsWith('\\') ? each.slice(1) : each === '?' ? '\0' : '*'));
  return wildcardsMeet(plain(glob), plain(other));
}
