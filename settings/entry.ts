import type { Document, Position } from './document.ts';
import type { LayerName, Place } from './layer.ts';
import { isObject, type JsonObject } from './object.ts';

/** One file, or one option of the command line, that settings stand in. */
export interface Sheet {
  readonly layer: LayerName;
  /** An absolute path, or the option or variable. */
  readonly source: string;
  /** Where relative paths in it begin. */
  readonly folder: string;
  readonly document: Document;
  /** Whose word it is; `repository` is what a repository may have brought, whatever the file is called. */
  readonly by: 'managed' | 'cli' | 'own' | 'repository' | 'user';
  /** `rest` is what could be recovered of a broken one: only what restricts counts. */
  readonly extent: 'whole' | 'rest';
  /** Why it only restricts, whoever is trusted: another file stands for its kind, or a link to it leads out of the trusted folders. */
  readonly limited?: string | undefined;
  /** The words of another program: what we do not know there is none of our business. */
  readonly dialect: 'pegboard' | 'claude' | 'servers';
}

/** One value of one sheet, as far down as values are merged. */
export interface Entry {
  readonly key: string;
  readonly path: readonly string[];
  readonly value: unknown;
  readonly sheet: Sheet;
  readonly place: Place;
}

/** How far down values are merged; below that an object is one value. `*` stands for any name. */
interface Depth {
  readonly [name: string]: Depth;
}
const DEPTHS: Depth = {
  permissions: {},
  env: {},
  mcpServers: {},
  features: { '*': { permissions: {} } },
  deferral: { sources: {}, tools: {} },
  pluginOptions: { '*': {} },
  enabledPlugins: {},
  extraKnownMarketplaces: {},
  pluginConfigs: { '*': { options: {} } },
  compat: {},
  hooks: {},
  sandbox: { '*': { '*': {} } },
};

/** Every value of a sheet with its place. */
export function entriesOf(sheet: Sheet, value: JsonObject = sheet.document.value): readonly Entry[] {
  const walk = (at: unknown, path: readonly string[], depth: Depth | undefined): readonly Entry[] => {
    if (depth === undefined || !isObject(at))
      return [{ key: keyOf(path), path, value: at, sheet, place: placeIn(sheet, sheet.document.at(path)) }];
    return Object.entries(at).flatMap(([name, each]) => walk(each, [...path, name], childOf(depth, name)));
  };
  const spelled = Object.hasOwn(value, 'sandbox') ? { ...value, sandbox: sandboxInFull(value['sandbox']) } : value;
  return walk(spelled, [], DEPTHS);
}

/** What each of the words for the sandbox is short for. */
const SANDBOX_WORDS: Readonly<Record<string, JsonObject>> = {
  off: { enabled: false },
  on: { enabled: true, failIfUnavailable: false },
  required: { enabled: true, failIfUnavailable: true },
};

function sandboxInFull(value: unknown): unknown {
  return typeof value === 'string' && Object.hasOwn(SANDBOX_WORDS, value) ? SANDBOX_WORDS[value] : value;
}

/** Names joined by dots; one that could be read otherwise stands in brackets, so that no two paths have one key. */
export function keyOf(path: readonly string[]): string {
  return path.reduce(
    (key, name) => (/[.[\]"]|^$/.test(name) ? `${key}[${JSON.stringify(name)}]` : key === '' ? name : `${key}.${name}`),
    '',
  );
}

/** A name, or one in brackets and quotes. */
const STEP = /\.?\[("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|'[^'"\\]*')\]|\.?([^.[\]"]+)/guy;

/** The path that a key names, as `keyOf` writes it or as people do: `a.b`, `a["b.c"].d`, `a['b.c']`. Nothing for what is no key. */
export function pathOf(key: string): readonly string[] | undefined {
  const path: string[] = [];
  let end = 0;
  for (const [whole, quoted, plain] of key.matchAll(STEP)) {
    const isFirst = end === 0;
    if (plain !== undefined && whole.startsWith('.') === isFirst) return undefined;
    if (quoted !== undefined && whole.startsWith('.') && isFirst) return undefined;
    path.push(plain ?? nameIn(quoted ?? ''));
    end += whole.length;
  }
  return end === key.length && end > 0 ? path : undefined;
}

function nameIn(quoted: string): string {
  return quoted.startsWith('"') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

function childOf(depth: Depth, name: string): Depth | undefined {
  return Object.hasOwn(depth, name) ? depth[name] : depth['*'];
}

/** The object that entries came from. */
export function objectOf(entries: readonly Pick<Entry, 'path' | 'value'>[]): JsonObject {
  const names = [...new Set(entries.flatMap(({ path }) => path[0] ?? []))];
  return Object.fromEntries(
    names.map((name) => {
      const inside = entries.filter(({ path }) => path[0] === name).map(({ path, value }) => ({ path: path.slice(1), value }));
      const leaf = inside.find(({ path }) => path.length === 0);
      return [name, leaf ? leaf.value : objectOf(inside)];
    }),
  );
}

/** A place of a sheet. */
export function placeIn({ layer, source }: Pick<Sheet, 'layer' | 'source'>, position: Position | undefined): Place {
  return position ? { layer, source, ...position } : { layer, source };
}
