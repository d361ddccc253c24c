import { maskValue, type SecretView } from 'pegboard/kit';

/** Areas whose members are named by people: such a name says nothing of what is below. */
const NAMED_BY_PEOPLE: ReadonlySet<string> = new Set(['mcpServers', 'pluginOptions', 'features', 'deferral']);
/** Areas that hold rules, names, places and numbers. */
const NO_SECRETS: ReadonlySet<string> = new Set(['permissions', 'features', 'deferral', 'compat', 'plugins', 'preset', 'contextTokens']);

/**
 * The value of a setting with everything secret in it replaced by stars: what is named like a key or a token and all below it,
 * environment and headers, what follows such an option in a command line, and passwords and keys in addresses. A placeholder names a
 * secret and is none. For a person who is about to approve it (`approval`), whatever could decide what runs stays readable.
 */
export function maskSecrets(key: string, value: unknown, view: SecretView = 'record'): unknown {
  const [area = '', ...names] = namesOf(key);
  if (NO_SECRETS.has(area)) return maskValue(value, [], view);
  return maskValue(value, NAMED_BY_PEOPLE.has(area) ? names.slice(1) : [area, ...names], view);
}

/** `a.b["c.d"]` as names. */
function namesOf(key: string): readonly string[] {
  return [...key.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[]+/g)].map(([part, quoted]) => quoted ?? part);
}
