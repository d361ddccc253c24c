import { hostsInText } from './hosts-in-text.ts';
import { pathsInText } from './paths-in-text.ts';

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

type Schema = { readonly [keyword: string]: unknown };

/** What a text is by the place it stands at. */
interface Hint {
  readonly path: boolean;
  readonly host: boolean;
}
const NOTHING: Hint = { path: false, host: false };

/**
 * Looks at all texts of an input, at any depth, and at the names of its members. `within` looks into texts that are JSON as well:
 * what restricts wants to know of those, and of what stands in sentences, while a file's content that is JSON is no list of what a call writes.
 */
export function findPlaces(input: unknown, schema: Schema, within: boolean): ArgumentPlaces {
  const paths = new Set<string>();
  const hosts = new Set<string>();
  const folders = new Set<string>();
  let left = MOST_TEXTS;
  let cut = false;
  const walk = (value: unknown, hint: Hint, schemas: readonly Schema[], depth: number): void => {
    if (depth > DEEPEST || left <= 0 || paths.size + hosts.size > MOST_PLACES) {
      cut = true;
      return;
    }
    left -= 1;
    const below = (member: string) => schemas.flatMap((one) => inside(one, member, schema));
    if (typeof value === 'string') {
      read(value, byFormat(schemas, hint));
      if (within) walk(structureIn(value), hint, [], depth + 1);
    } else if (typeof value === 'number') {
      if (hint.host) read(String(value), { path: false, host: true });
    } else if (Array.isArray(value)) {
      for (const each of value) walk(each, hint, below('items'), depth + 1);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        read(name, NOTHING);
        const said = wordsOf(name);
        if (typeof each === 'string' && folders.size < MOST_FOLDERS && said.some((word) => FOLDER_WORDS.has(word)))
          folders.add(each.trim());
        walk(each, byWords(said, hint), below(name), depth + 1);
      }
    }
  };
  const read = (text: string, hint: Hint) => {
    const [, name, value] = (text.startsWith('-') && /^--?([\w-]+)=(.*)$/s.exec(text)) || [];
    if (name !== undefined && value !== undefined) read(value, byWords(wordsOf(name), hint));
    for (const path of pathsInText(text, { named: hint.path, split: within })) paths.add(path);
    for (const host of hostsInText(text, { named: hint.host, split: within })) hosts.add(host);
  };
  walk(input, NOTHING, resolved(schema, schema), 0);
  for (const path of joined([...folders], [...paths])) paths.add(path);
  return { paths, hosts, cut };
}

const PATH_WORDS = words(
  'path file filename filepath dir directory folder location uri url href link src source dest destination target root cwd workdir workspace repo repository project base home input output from to ref attachment document image archive pathname glob include exclude volume mount',
);
const HOST_WORDS = words(
  'url uri href link host hostname domain endpoint server origin address site website webhook callback proxy registry base src source target remote ip addr peer upstream dest destination dsn connection broker gateway relay mirror feed repo repository image to',
);

/** What a relative path may begin at, if it stands beside it. */
const FOLDER_WORDS = words('dir directory folder cwd root base workdir workspace repo repository project home path location');
const MOST_FOLDERS = 4;
const MOST_RELATIVE = 200;

function joined(folders: readonly string[], paths: readonly string[]): readonly string[] {
  const relative = paths.filter((path) => !/^([/\\~]|[A-Za-z]:)/.test(path)).slice(0, MOST_RELATIVE);
  return folders.filter((folder) => folder !== '').flatMap((folder) => relative.map((path) => `${folder}/${path}`));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** What stands in a list or an object named so is meant by that name too. */
function byWords(said: readonly string[], outer: Hint): Hint {
  return { path: outer.path || said.some((word) => PATH_WORDS.has(word)), host: outer.host || said.some((word) => HOST_WORDS.has(word)) };
}

/** `outputFiles`, `file_path` and `FilePath` as words, also in the singular. */
function wordsOf(name: string): readonly string[] {
  const pieces = name
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const parts = pieces.length > 1 ? [...pieces, pieces.join('')] : pieces;
  return parts.flatMap((word) => (word.endsWith('s') ? [word, word.replace(/s$/, ''), word.replace(/ies$/, 'y')] : [word]));
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

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;
const POINTERS = ['$ref', ...CHOICES] as const;

/** A schema with those it points to and chooses from; references go no further than a few steps. */
function resolved(schema: unknown, root: Schema, steps = 8): readonly Schema[] {
  const one = asSchema(schema);
  if (one === undefined || steps === 0) return [];
  if (!POINTERS.some((keyword) => keyword in one)) return [one];
  const { $ref: ref } = one;
  const target =
    typeof ref === 'string' && ref.startsWith('#/')
      ? ref
          .slice(2)
          .split('/')
          .reduce<unknown>((at, step) => asSchema(at)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], root)
      : undefined;
  const choices = CHOICES.flatMap((keyword) => asList(one[keyword]));
  return [one, ...[target, ...choices].flatMap((each) => resolved(each, root, steps - 1))];
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
