/** A version's three numbers. */
interface Version {
  readonly numbers: readonly [number, number, number];
}

/** Does a version lie in a range as packages write them: `^1.2.0`, `~1.2`, `>=1 <3`, `1.x`, `*`, joined by `||`? A range that cannot be read fits nothing. */
export function fitsRange(version: string, range: string): boolean {
  const own = versionOf(version);
  if (own === undefined) return false;
  return range.split('||').some((part) => {
    const bounds = part
      .trim()
      .replace(/([<>=~^])\s+/g, '$1')
      .split(/\s+/)
      .filter(Boolean);
    return bounds.every((bound) => fitsBound(own, bound));
  });
}

const BOUND = /^(\^|~|>=|<=|>|<|=)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

function fitsBound({ numbers }: Version, bound: string): boolean {
  const [whole, sign = '', ...written] = BOUND.exec(bound) ?? [];
  if (whole === undefined) return false;
  const given = written.slice(0, 3).map((part) => (part === undefined || /[xX*]/.test(part) ? undefined : Number(part)));
  const [major, minor, patch] = given;
  if (major === undefined) return sign !== '<' && sign !== '>';
  const from = [major, minor ?? 0, patch ?? 0] as const;
  const upTo = nextAfter(sign, [major, minor, patch]);
  switch (sign) {
    case '>':
      return compare(numbers, minor === undefined || patch === undefined ? upTo : from) >= (patch === undefined ? 0 : 1);
    case '>=':
      return compare(numbers, from) >= 0;
    case '<':
      return compare(numbers, from) < 0;
    case '<=':
      return patch === undefined ? compare(numbers, upTo) < 0 : compare(numbers, from) <= 0;
    default:
      return compare(numbers, from) >= 0 && compare(numbers, upTo) < 0;
  }
}

type Numbers = readonly [number, number, number];

/** The first version that a bound no longer takes in. */
function nextAfter(sign: string, [major, minor, patch]: readonly [number, number | undefined, number | undefined]): Numbers {
  if (minor === undefined) return [major + 1, 0, 0];
  if (sign === '^' && (major > 0 || (minor === 0 && patch === undefined))) return [major + (major > 0 ? 1 : 0), major > 0 ? 0 : 1, 0];
  if (sign === '^' && minor === 0 && patch !== undefined) return [0, 0, patch + 1];
  if (sign === '^' || sign === '~' || patch === undefined) return [major, minor + 1, 0];
  return [major, minor, patch + 1];
}

function compare(a: Numbers, b: Numbers): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function versionOf(text: string): Version | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return major === undefined ? undefined : { numbers: [Number(major), Number(minor), Number(patch)] };
}
