import { nearest } from 'pegboard';

import { COMPONENT_FIELDS, readComponents, type Components } from './components.ts';
import { quoted } from './ground.ts';
import { isObject, isText, own, type JsonObject } from './json.ts';

/** Where a plugin's own manifest is. */
export const MANIFEST = '.claude-plugin/plugin.json';

/** What a `plugin.json`, or the entry of a catalogue, says of a plugin. */
export interface Manifest {
  /** Only a manifest without one is none. */
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly defaultEnabled: boolean | undefined;
  readonly userConfig: JsonObject;
  readonly components: Components;
  /** Whether it speaks of components at all. */
  readonly declares: boolean;
  /** What is odd about it and changes nothing. */
  readonly notes: readonly string[];
}

export type ReadManifest = { readonly kind: 'manifest'; readonly manifest: Manifest } | { readonly kind: 'bad'; readonly cause: string };

interface Field {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
}
const text: Field = { fits: isText, words: 'a text' };
const truth: Field = { fits: (value) => typeof value === 'boolean', words: 'true or false' };
const anything: Field = { fits: () => true, words: '' };

/** Fields that are no component. What the format's owner tolerates is tolerated: an author or keywords as one text, a repository as an object. */
const FIELDS: Readonly<Record<string, Field>> = {
  $schema: text,
  name: text,
  displayName: text,
  version: text,
  description: text,
  license: text,
  homepage: text,
  icon: text,
  privacyPolicyUrl: text,
  repository: { fits: (value) => isText(value) || isObject(value), words: 'a text' },
  author: { fits: (value) => isText(value) || isText(own(value, 'name')), words: 'an object with a `name`' },
  keywords: { fits: (value) => isText(value) || (Array.isArray(value) && value.every(isText)), words: 'a list of texts' },
  metadata: anything,
  defaultEnabled: truth,
  userConfig: { fits: isObject, words: 'a map from names to what is asked' },
  channels: {
    fits: (value) => Array.isArray(value) && value.every((each) => isText(own(each, 'server'))),
    words: 'a list of objects with a `server`',
  },
  dependencies: {
    fits: (value) => Array.isArray(value) && value.every((each) => isText(each) || isText(own(each, 'name'))),
    words: 'a list of names, or of objects with a `name`',
  },
  settings: { fits: isObject, words: 'an object' },
  experimental: { fits: isObject, words: 'an object' },
  themes: anything,
  monitors: anything,
};

const MOST_NOTES = 20;

/** Fields only an entry of a catalogue has. */
const ENTRY_FIELDS: readonly string[] = ['source', 'category', 'tags', 'strict', 'relevance', 'headersHelper'];

/** Reads what was parsed. A field of the wrong type makes the whole unusable; one that nobody knows is noted. */
export function readManifest(value: unknown, origin: 'manifest' | 'entry'): ReadManifest {
  if (!isObject(value)) return { kind: 'bad', cause: 'it is not an object' };
  const name = own(value, 'name');
  const cause =
    nameComplaint(name) ??
    Object.entries(FIELDS)
      .map(([field, rule]) => complaint(value, field, rule))
      .find(Boolean) ??
    optionsComplaint(own(value, 'userConfig'));
  if (cause !== undefined) return { kind: 'bad', cause };
  const read = readComponents(value);
  if (read.kind === 'bad') return read;
  const known = [...Object.keys(FIELDS), ...COMPONENT_FIELDS, ...(origin === 'entry' ? ENTRY_FIELDS : [])];
  const unknown = Object.keys(value).filter((field) => !known.includes(field));
  const told = unknown.slice(0, MOST_NOTES).map((field) => unknownNote(field, known));
  const { version, description, defaultEnabled, userConfig } = value;
  return {
    kind: 'manifest',
    manifest: {
      name: String(name),
      version: isText(version) ? version : undefined,
      description: isText(description) ? description : undefined,
      defaultEnabled: typeof defaultEnabled === 'boolean' ? defaultEnabled : undefined,
      userConfig: isObject(userConfig) ? userConfig : {},
      components: read.components,
      declares: COMPONENT_FIELDS.some((field) => own(value, field) !== undefined),
      notes: [
        ...told,
        ...(unknown.length > told.length ? [`${unknown.length - told.length} more fields are not known`] : []),
        ...oddNotes(value),
      ],
    },
  };
}

/** Why a plugin may not be called so: the name stands before its parts' names, in messages and in paths. */
export function nameComplaint(name: unknown): string | undefined {
  if (!isText(name) || name === '') return '`name` is missing';
  if (/\s/.test(name)) return `its name ${quoted(name)} has a blank in it`;
  if (/[\p{C}\p{Zl}\p{Zp}\p{DI}]/u.test(name)) return `its name ${quoted(name)} has a control or an invisible character in it`;
  if (/[\\/]/.test(name) || /^\.+$/.test(name)) return `its name ${quoted(name)} is a path`;
  if (/[:@]/.test(name)) return `its name ${quoted(name)} has a sign in it that stands between names of plugins, parts and catalogues`;
  return undefined;
}

function complaint(value: JsonObject, field: string, { fits, words }: Field): string | undefined {
  const given = own(value, field);
  return given === undefined || fits(given) ? undefined : `\`${field}\` is not ${words}`;
}

function unknownNote(field: string, known: readonly string[]): string {
  const near = nearest(field, known);
  return `the field ${quoted(field)} is not known and was left out${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}

/** Fields that are right and of no use here, and what to do about it. */
const UNUSED_FIELDS: Readonly<Record<string, string>> = {
  dependencies: 'plugins that it needs are not enabled with it; enable them too',
  workflows: 'this host has no use for workflows',
  outputStyles: 'this host has no use for output styles',
  channels: 'this host has no use for channels',
  settings: 'this host has no use for settings of a plugin',
  experimental: 'this host has no use for themes and monitors',
};

/** Letters of scripts that have some which look like Latin ones. */
const LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}]/u;

function lookNote(name: string): readonly string[] {
  const mixed = /\p{Script=Latin}/u.test(name) && LIKE_LATIN.test(name);
  const other = name.normalize('NFKC') !== name;
  return mixed || other ? [`its name ${quoted(name)} has letters that look like others: it may be taken for another plugin`] : [];
}

function oddNotes(value: JsonObject): readonly string[] {
  return [
    ...lookNote(String(own(value, 'name'))),
    ...Object.entries(UNUSED_FIELDS).flatMap(([field, cause]) => (own(value, field) === undefined ? [] : [`\`${field}\`: ${cause}`])),
    ...(own(value, 'metadata') === undefined || isObject(own(value, 'metadata')) ? [] : ['`metadata` is not an object and was left out']),
    ...['themes', 'monitors']
      .filter((field) => own(value, field) !== undefined)
      .map((field) => `\`${field}\` belongs below \`experimental\``),
  ];
}

const OPTION_TYPES: readonly unknown[] = ['string', 'number', 'boolean', 'directory', 'file'];

function optionsComplaint(userConfig: unknown): string | undefined {
  for (const [name, option] of Object.entries(isObject(userConfig) ? userConfig : {})) {
    if (!/^[A-Za-z_]\w*$/.test(name)) return `\`userConfig\`: ${quoted(name)} is no name of letters, digits and "_"`;
    if (!OPTION_TYPES.includes(own(option, 'type'))) return `\`userConfig\`: "${name}" has no \`type\` of ${OPTION_TYPES.join(', ')}`;
    if (!isText(own(option, 'title')) || !isText(own(option, 'description')))
      return `\`userConfig\`: "${name}" needs a \`title\` and a \`description\``;
  }
  return undefined;
}
