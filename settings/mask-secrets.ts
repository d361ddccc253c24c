import { isObject } from './object.ts';

const STARS = '********';
const SECRET_GROUPS: ReadonlySet<string> = new Set(['env', 'headers']);
const SECRET_NAME = /(token|secret|passw(or)?d|api_?-?key|auth|credential|private_?key|cookie)/i;
const SECRET_OPTION = /^--?[\w-]*(token|secret|passw(or)?d|api[-_]?key|access-?key|auth|credential|header)[\w-]*$/i;
const PLACEHOLDER = /^(?:Bearer |Basic )?\$\{[^}:]+\}$/;

/**
 * A value with everything secret in it replaced by stars: environment and headers, whatever is named like a key or a token, what
 * follows such an option in a command line, and passwords and keys in addresses. A placeholder names a secret and is none.
 */
export function maskSecrets(key: string, value: unknown): unknown {
  return mask(value, key.split('.'));
}

function mask(value: unknown, path: readonly string[]): unknown {
  const name = path.at(-1) ?? '';
  if (Array.isArray(value)) return value.map((each, at) => (followsOption(value, at) ? STARS : mask(each, path)));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, mask(each, [...path, member])]));
  const secret = path.slice(0, -1).some((part) => SECRET_GROUPS.has(part)) || SECRET_NAME.test(name);
  if (typeof value !== 'string') return secret && typeof value === 'number' ? STARS : value;
  if (secret) return PLACEHOLDER.test(value) || value === '' ? value : STARS;
  return maskText(value);
}

function followsOption(list: readonly unknown[], at: number): boolean {
  const before = list[at - 1];
  return typeof before === 'string' && (before === '-H' || SECRET_OPTION.test(before)) && !PLACEHOLDER.test(String(list[at]));
}

/** `--token=…`, `https://user:password@host`, `?key=…` inside a text. */
function maskText(text: string): string {
  return text
    .replace(/^(--?[\w-]*(?:token|secret|passw(?:or)?d|api-?key|auth|credential)[\w-]*=)(?!\$\{[^}:]+\}$).+$/i, `$1${STARS}`)
    .replace(
      /(\b[\w-]*(?:token|secret|passw(?:or)?d|api[-_]?key|access[-_]?key|credential)[\w-]*=)(?!\$\{[^}:]+\})[^\s'"&#]+/gi,
      `$1${STARS}`,
    )
    .replace(/(\b(?:Bearer|Authorization: *Basic) )(?!\$\{[^}:]+\})[^\s'"]+/gi, `$1${STARS}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]*@/gi, `$1${STARS}@`)
    .replace(
      /([?&][^=&#\s]*(?:token|secret|passw(?:or)?d|key|auth|sig|signature|credential)[^=&#\s]*=)(?!\$\{[^}:]+\})[^&#\s]+/gi,
      `$1${STARS}`,
    );
}
