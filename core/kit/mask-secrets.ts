import { namesSecret, variableEffect } from './secret-names.ts';
import { couldRun, isFilePath, replaceRandom, replaceTokens } from './secret-shapes.ts';

/**
 * For whom something is shown. `record`: for anybody who reads a screen, a log or JSON later; what may be a secret is not in it.
 * `approval`: for a person who is about to say yes; whatever could decide what runs or where it leads is in it, and only what looks
 * like a secret is not.
 */
export type SecretView = 'record' | 'approval';

const STARS = '********';

/** What is below a name: nothing special, all of it a secret, or a map of variables or headers. */
type Below = 'plain' | 'secret' | 'env' | 'headers' | 'runs' | 'leads';

/** A value with its secrets replaced by stars. `names` are those above it: a name that says so covers all below it. A placeholder names a secret and is none. */
export function maskValue(value: unknown, names: readonly string[], view: SecretView): unknown {
  return mask(
    value,
    names.reduce<Below>((below, name) => inside(below, name, view), 'plain'),
    view,
  );
}

function inside(below: Below, name: string, view: SecretView): Below {
  if (below === 'secret') return view === 'approval' && /^(?:command|args|url|cwd)$/.test(name) ? 'plain' : 'secret';
  if (below === 'env' || below === 'headers') {
    const effect = below === 'env' ? variableEffect(name) : undefined;
    return effect ?? (view === 'record' || namesSecret(name) ? 'secret' : 'plain');
  }
  if (below !== 'plain') return below;
  if (name === 'env' || name === 'headers') return name;
  return namesSecret(name) ? 'secret' : 'plain';
}

function mask(value: unknown, below: Below, view: SecretView): unknown {
  if (Array.isArray(value)) return below === 'plain' ? maskWords(value, view) : value.map((each) => mask(each, below, view));
  if (typeof value === 'object' && value !== null) return maskMembers(value as Readonly<Record<string, unknown>>, below, view);
  if (typeof value === 'number') return below === 'secret' ? stars(String(value), view) : value;
  if (typeof value !== 'string') return value;
  switch (below) {
    case 'runs':
      return value;
    case 'leads':
      return maskUser(value, view);
    case 'plain':
      return maskText(value, view);
    case 'secret':
      return maskSecret(value, view);
    case 'env':
    case 'headers':
      return maskHeader(value, view);
  }
}

/** The words of a command line are read together: what stands after an option depends on what is started. */
function maskMembers(members: Readonly<Record<string, unknown>>, below: Below, view: SecretView): Readonly<Record<string, unknown>> {
  const { command } = members;
  return Object.fromEntries(
    Object.entries(members).map(([name, each]) => {
      const under = inside(below, name, view);
      const line = name === 'args' && under === 'plain' && typeof command === 'string' && Array.isArray(each);
      return [name, line ? maskWords([command, ...(each as readonly unknown[])], view).slice(1) : mask(each, under, view)];
    }),
  );
}

function stars(text: string, view: SecretView): string {
  return view === 'record' ? STARS : `${STARS}(${text.length} characters)`;
}

const SCHEME = /^\s*(?:Bearer|Basic|Token|Digest|Negotiate|Api-?Key)\s+/i;

/** A text that is a secret by its name; placeholders in it stay, and their defaults do not. */
function maskSecret(text: string, view: SecretView): string {
  const part = (literal: string) => maskLiteral(literal, view);
  return text
    .split(/(\$\{[^{}]*\})/)
    .map((each, at) => (at % 2 === 0 ? part(each) : each.replace(/:-([^}]*)\}$/, (_whole, otherwise: string) => `:-${part(otherwise)}}`)))
    .join('');
}

function maskLiteral(text: string, view: SecretView): string {
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  if (!/[\p{L}\p{N}]/u.test(rest) || /^(?:true|false|none|null)$/i.test(text)) return text;
  if (view === 'record') return scheme + stars(rest, view);
  if (scheme === '' && isFilePath(rest)) return text;
  if (couldRun(rest))
    return replaceRandom(
      replaceTokens(text, (token) => stars(token, view)),
      (word) => stars(word, view),
    );
  return scheme + stars(rest, view);
}

/** `Name: value`. */
function maskHeader(text: string, view: SecretView): string {
  const [, name, value = ''] = /^([\w-]+\s*[:=]\s*)([^]*)$/.exec(text) ?? [];
  if (name === undefined) return maskSecret(text, view);
  return `${name}${view === 'record' || namesSecret(name) ? maskSecret(value, view) : maskText(value, view)}`;
}

const VALUE = `(?:\\$\\{[^{}]*\\}|[^\\s'"&,#\\]])+`;
const BETWEEN = `=|['"]?(?:\\s{0,20},\\s{0,20}|\\s{1,20})['"]?(?!-)`;
const OPTION = new RegExp(`((?<![\\w-])--?[A-Za-z][\\w-]{0,80})(${BETWEEN})(${VALUE})`, 'g');
const ASSIGNMENT = new RegExp(
  `((?<![\\w-])[A-Za-z_][\\w.-]{0,80})(=)(['"]?)((?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Dd]igest)\\s+)?${VALUE})`,
  'g',
);
const MEMBER = new RegExp(`\\b([A-Za-z][\\w-]{0,80})(['"]?\\s{0,20}:\\s{0,20}['"]?)((?:(?:Bearer|Basic|Token|Digest)\\s+)?${VALUE})`, 'gi');
const BEARER = new RegExp(`(\\bBearer\\s+)(${VALUE})`, 'gi');

/** A text with the secrets in it replaced: `--token=…`, `--password …`, `KEY=…`, `?key=…`, `user:password@`, `Authorization: …`, and tokens known by their form. */
export function maskText(text: string, view: SecretView = 'record'): string {
  const [, option, value] = /^(--?[A-Za-z][\w-]*=)([^]*)$/.exec(text) ?? [];
  if (option !== undefined && namesSecret(option)) return `${option}${maskSecret(value ?? '', view)}`;
  const named = (whole: string, name: string, between: string, secret: string) =>
    namesSecret(name) ? `${name}${between}${maskSecret(secret, view)}` : whole;
  const quoted = (whole: string, name: string, equals: string, quote: string, secret: string) => named(whole, name, equals + quote, secret);
  const told = text
    .replace(OPTION, (whole: string, name: string, between: string, word: string) =>
      between === '=' ? named(whole, name, between, word) : `${name}${between}${maskFollowing(name, word, view)}`,
    )
    .replace(ASSIGNMENT, quoted)
    .replace(MEMBER, named)
    .replace(BEARER, (_whole, scheme: string, secret: string) => scheme + maskSecret(secret, view));
  return replaceTokens(maskUser(told, view), (token) => stars(token, view));
}

function maskUser(text: string, view: SecretView): string {
  return text.replace(/(\b[a-z][a-z\d+.-]{0,30}:\/\/)([^/?#\s@]+)@/gi, (_whole, scheme: string, user: string) =>
    user.includes(STARS) ? `${scheme}${user}@` : `${scheme}${maskUserParts(user, view)}@`,
  );
}

/** Only a name is a name, and only what is all placeholders is no secret. */
function maskUserParts(user: string, view: SecretView): string {
  return user.replace(/\$\{[^}:]+\}/g, '').replace(':', '') === '' ? user : stars(user, view);
}

/** Words of a command line: an option that says so covers the word after it. */
function maskWords(words: readonly unknown[], view: SecretView): readonly unknown[] {
  return words.map((word, at) => {
    const before = words[at - 1];
    if (typeof word !== 'string' || typeof before !== 'string' || !/^--?[A-Za-z]/.test(before) || before.includes('='))
      return mask(word, 'plain', view);
    if (isSubject(words, at) && (view === 'approval' || MANY_MEANINGS.test(before))) return maskText(word, view);
    const masked = maskFollowing(before, word, view);
    return masked === word ? maskText(word, view) : masked;
  });
}

const MANY_MEANINGS = /^-[pk]$/;
const NO_SECRET = /^(?:\d+(?::\d+)*(?:\/\w+)?|@[\w.-]+\/[\w.@/-]+)$/;
const LANGUAGE = /^@?[a-z]{2,}(?:[-_.@/]+(?:[a-z]{2,}|\d+))*$/;

/** The word after an option. `-p` and `-k` have many meanings: there a port, a path, a package stays. */
function maskFollowing(option: string, word: string, view: SecretView): string {
  if (/^-H$|^--?headers?$/i.test(option)) return maskHeader(word, view);
  if (/^-u$|^--(?:proxy-)?user(?:pwd)?$/.test(option)) return maskPassword(word, view);
  const unclear = MANY_MEANINGS.test(option);
  if ((!unclear && !namesSecret(option)) || /^-{1,2}[A-Za-z][\w-]*(?:=|$)/.test(word)) return word;
  if ((unclear || view === 'approval') && (NO_SECRET.test(word) || couldRun(word))) return unclear ? word : maskSecret(word, view);
  return view === 'approval' && LANGUAGE.test(word) ? word : maskSecret(word, view);
}

/** `name:password`. */
function maskPassword(word: string, view: SecretView): string {
  const [, name, password] = /^([^:/\s]+:)(?!\d+$)(\S+)$/.exec(word) ?? [];
  return name === undefined ? word : `${name}${maskSecret(password ?? '', view)}`;
}

const RUNNER = /^(?:npx|npm|pnpm|pnpx|yarn|bunx?|uvx?|pipx|docker|podman|deno|nix|go)(?:\.cmd|\.exe)?$/;
const OF_RUNNERS = /^(?:run|exec|dlx|tool|x|create|install)$/;

/** What a runner fetches and starts is named by its first word that is no option, or after `-p`; never hide that. */
function isSubject(words: readonly unknown[], at: number): boolean {
  const runner = words.findLastIndex((word, place) => place < at && typeof word === 'string' && RUNNER.test(word.replace(/^.*[\\/]/, '')));
  if (runner === -1) return false;
  return words.slice(runner + 1, at).every((word) => typeof word === 'string' && (word.startsWith('-') || OF_RUNNERS.test(word)));
}
