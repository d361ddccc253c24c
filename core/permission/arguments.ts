import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import { hostOf } from './host-pattern.ts';

/** Every path and every host that an input may be about. In doubt a text is one. */
export interface ArgumentPlaces {
  readonly paths: ReadonlySet<string>;
  readonly hosts: ReadonlySet<string>;
  /** It goes deeper than anybody looks, or is too large: there may be more. */
  readonly cut: boolean;
}

const DEEPEST = 64;
const MOST_TEXTS = 50_000;
const MOST_PLACES = 2_000;
const LONGEST_PATH = 4_096;
const MOST_ADDRESSES = 100;

type Schema = { readonly [keyword: string]: unknown };

/** What a text is by the place it stands at. */
interface Hint {
  readonly path: boolean;
  readonly host: boolean;
}
const NOTHING: Hint = { path: false, host: false };

/**
 * Looks at all texts of an input, at any depth, and at the names of its members. `within` looks into texts that are JSON as well:
 * what restricts wants to know of those, while a file's content that is JSON is no list of what a call writes.
 */
export function findPlaces(input: unknown, schema: Schema, within: boolean): ArgumentPlaces {
  const paths = new Set<string>();
  const hosts = new Set<string>();
  let left = MOST_TEXTS;
  let cut = false;
  const walk = (value: unknown, hint: Hint, schemas: readonly Schema[], depth: number): void => {
    if (depth > DEEPEST || left <= 0 || paths.size + hosts.size > MOST_PLACES) {
      cut = true;
      return;
    }
    left -= 1;
    if (typeof value === 'string') {
      read(value, byFormat(schemas, hint));
      if (within) walk(structureIn(value), hint, [], depth + 1);
    } else if (Array.isArray(value))
      for (const each of value)
        walk(
          each,
          hint,
          schemas.flatMap((one) => inside(one, 'items', schema)),
          depth + 1,
        );
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        read(name, NOTHING);
        walk(
          each,
          byName(name, hint),
          schemas.flatMap((one) => inside(one, name, schema)),
          depth + 1,
        );
      }
    }
  };
  const read = (text: string, hint: Hint) => {
    const [, name, value] = /^--?([\w-]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) read(value, byName(name, hint));
    for (const path of pathsIn(text, hint.path)) paths.add(path);
    for (const host of hostsIn(text, hint.host)) hosts.add(host);
  };
  walk(input, NOTHING, resolved(schema, schema), 0);
  return { paths, hosts, cut };
}

const PATH_WORDS = words(
  'path file filename filepath dir directory folder location uri url href link src source dest destination target root cwd workdir workspace repo repository project base home input output from to ref attachment document image archive pathname glob include exclude',
);
const HOST_WORDS = words(
  'url uri href link host hostname domain endpoint server origin address site website webhook callback proxy registry base src source target remote',
);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** `outputFiles`, `file_path` and `FilePath` as words in the singular. What stands in a list or an object named so is meant by that name too. */
function byName(name: string, outer: Hint): Hint {
  const parts = name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const has = (set: ReadonlySet<string>) =>
    [...parts, parts.join('')].some((word) => [word, word.replace(/s$/, ''), word.replace(/ies$/, 'y')].some((each) => set.has(each)));
  return { path: outer.path || has(PATH_WORDS), host: outer.host || has(HOST_WORDS) };
}

function byFormat(schemas: readonly Schema[], hint: Hint): Hint {
  const formats = schemas.map(({ format }) => String(format));
  return {
    path: hint.path || formats.some((format) => /path|^(uri|url|iri)|file|director/.test(format)),
    host: hint.host || formats.some((format) => /^(uri|url|iri|(idn-)?hostname|ipv[46]|host)/.test(format)),
  };
}

/** The schemas that describe a member, or the items, of what a schema describes. */
function inside(schema: Schema, member: string, root: Schema): readonly Schema[] {
  const properties = asSchema(schema['properties']);
  const named = member !== 'items' && properties && Object.hasOwn(properties, member) ? properties[member] : undefined;
  const others =
    member === 'items'
      ? [schema['items'], ...asList(schema['prefixItems'])]
      : [schema['additionalProperties'], ...Object.values(asSchema(schema['patternProperties']) ?? {})];
  return [named, ...others].flatMap((each) => resolved(each, root));
}

/** A schema with those it points to and chooses from; references go no further than a few steps. */
function resolved(schema: unknown, root: Schema, steps = 8): readonly Schema[] {
  const one = asSchema(schema);
  if (one === undefined || steps === 0) return [];
  const { $ref: ref } = one;
  const target =
    typeof ref === 'string' && ref.startsWith('#/')
      ? ref
          .slice(2)
          .split('/')
          .reduce<unknown>((at, step) => asSchema(at)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], root)
      : undefined;
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => asList(one[keyword]));
  return [one, ...[target, ...choices].flatMap((each) => resolved(each, root, steps - 1))];
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const LOOKS_LIKE_PATH = /^(\/|~(\/|$)|\.\.?([/\\]|$)|[A-Za-z]:[/\\]|\\\\|file:)/i;

/** The paths a text may be: as it stands, without blanks around it, behind an option's `=`, out of a `file:` address, decoded. */
function pathsIn(text: string, named: boolean): readonly string[] {
  if (text.length > LONGEST_PATH * 4) return [];
  if (/^(?!file:)[A-Za-z][A-Za-z0-9+.-]+:[/\\]{2}/i.test(text)) return localPart(text);
  const lines = text.split(/[\r\n]+/);
  const forms = [text, ...lines.slice(0, 100).map((line) => line.trim())];
  const all = [
    ...new Set(forms.flatMap((form) => [form, form.replace(/^(@|-[A-Za-z])(?=[~/.])/, ''), form.replace(/^(["'`])(.*)\1$/s, '$2')])),
  ];
  const meant = all.filter(
    (form) =>
      form !== '' && form.length <= LONGEST_PATH && (LOOKS_LIKE_PATH.test(form) || (named && (lines.length === 1 || form === text))),
  );
  return [...new Set(meant.flatMap((form) => [...(/^file:/i.test(form) ? [] : [form]), ...decoded(form)]).flatMap(withStart))];
}

/** The path of an address that names no host, as of `sqlite:///x`, or that says it is about a file. */
function localPart(address: string): readonly string[] {
  const path = /^[^:]*(?:\bfile:[/\\]{2}[^/\\]*|:[/\\]{2})(?=[/\\])(.*)$/is.exec(address)?.[1];
  return path === undefined ? [] : [path, ...decoded(path)];
}

/** A pattern over files with the folder all it could mean lies in. */
function withStart(path: string): readonly string[] {
  const star = path.search(/[*?[{]/);
  const start = star === -1 ? '' : path.slice(0, path.lastIndexOf('/', star) + 1);
  return start === '' ? [path] : [path, start];
}

function decoded(text: string): readonly string[] {
  const local = fromFileAddress(text);
  const path = local ?? text;
  try {
    const plain = decodeURIComponent(path);
    return plain === path ? (local === undefined ? [] : [local]) : [path, plain];
  } catch {
    return local === undefined ? [] : [local];
  }
}

function fromFileAddress(text: string): string | undefined {
  if (!/^file:/i.test(text)) return undefined;
  try {
    const url = new URL(text);
    url.hostname = '';
    return fileURLToPath(url, { windows: false });
  } catch {
    return posix.normalize(text.replace(/^file:\/*/i, '/'));
  }
}

/** The hosts a text may lead to: of every address in it where it is meant as one, or of a bare host where one is expected. */
function hostsIn(text: string, named: boolean): readonly string[] {
  const plain = text.trim();
  if (plain.length > LONGEST_PATH * 4) return [];
  const read = [...addressesIn(plain, named), ...(named ? bareHosts(plain) : [])];
  return [...new Set(read.flatMap((each) => hostOf(each.replace(/[\p{C}\p{Z}\p{DI}]/gu, '')) ?? []))];
}

/** A text with blanks in it that does not begin as an address is prose, which may speak of any. */
function addressesIn(text: string, named: boolean): readonly string[] {
  if (/^[/\\]{2}[^/\\]/.test(text)) return [`http:${text}`];
  const direct = /^(https?|wss?|ftp):/i.test(text) ? [text] : [];
  if (!named && /\s/.test(text) && !/^[A-Za-z][A-Za-z0-9+.:-]*:[/\\]{2}/.test(text)) return direct;
  const rests = [...text.matchAll(/(?<=[A-Za-z][A-Za-z0-9+.-]{0,20}):[/\\]{2}/g)]
    .slice(0, MOST_ADDRESSES)
    .map(({ index }) => text.slice(index + 1));
  return [...direct, ...rests.flatMap((rest) => [`http:${rest}`, `http:${rest.replace(/[\s"'<>,;|].*$/s, '')}`])];
}

function bareHosts(text: string): readonly string[] {
  const afterUser = text.replace(/^[^@]*@/, 'http://').replace(/^(http:\/\/[^/:]+):/, '$1/');
  return [`http://${text}`, afterUser, ...(/^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) ? [`http://[${text}]`] : [])];
}

/** The list or object that a text is, written as JSON. */
function structureIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
