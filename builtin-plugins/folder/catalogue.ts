import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

import { nearest, PegboardError } from 'pegboard';

import { findIn, parseJson, pathComplaint, placeIn, readIn, type Ground } from './ground.ts';
import { isObject, isText, own } from './json.ts';
import { nameComplaint, readManifest } from './manifest.ts';
import type { PackedSource } from './read-folder.ts';

/** One plugin of a catalogue: a folder that can be read in place, or why it cannot. */
export type CatalogueEntry =
  | { readonly kind: 'here'; readonly name: string; readonly source: PackedSource; readonly defaultEnabled: boolean }
  /** It has to be fetched first. */
  | { readonly kind: 'elsewhere'; readonly name: string; readonly source: string }
  | { readonly kind: 'broken'; readonly name: string; readonly error: PegboardError };

/** A folder with a list of plugins, read where it lies. */
export interface Catalogue {
  readonly name: string;
  /** Absolute, without links. */
  readonly folder: string;
  readonly description: string | undefined;
  readonly entries: readonly CatalogueEntry[];
  /** Entries that have a name another one has had before. */
  readonly doubled: readonly string[];
}

const FILE = '.claude-plugin/marketplace.json';

/** Is there a catalogue in this folder? */
export function isCatalogue(folder: string): boolean {
  const ground = groundOf(folder);
  return ground !== undefined && findIn(ground, FILE).kind === 'file';
}

/** Reads a catalogue. One bad entry costs itself. Throws PACKED_CATALOGUE for what is none. */
export function readCatalogue(folder: string): Catalogue {
  const ground = groundOf(folder);
  const bad = (cause: string, name = basename(folder)) =>
    new PegboardError('PACKED_CATALOGUE', { catalogue: name, folder, cause: cause.replace(/\.$/, '') });
  if (ground === undefined) throw bad('there is no such folder');
  const read = readIn(ground, FILE);
  if (read.kind === 'missing') throw bad(`there is no ${FILE}`);
  if (read.kind === 'barred') throw bad(`${FILE}: ${read.cause}`);
  const parsed = parseJson(read.text);
  if (parsed.kind === 'bad') throw bad(`${FILE}: ${parsed.cause}`);
  const { value } = parsed;
  const name = own(value, 'name');
  const complaint = nameComplaint(name);
  if (!isText(name) || complaint !== undefined) throw bad(`${FILE}: ${complaint ?? '`name` is missing'}`);
  const plugins = own(value, 'plugins');
  if (!Array.isArray(plugins)) throw bad(`${FILE}: \`plugins\` is not a list`, name);
  const base = own(own(value, 'metadata'), 'pluginRoot');
  const all = plugins.map((each: unknown) => readEntry(each, { ground, catalogue: name, base: isText(base) ? base : undefined }));
  const isFirst = (entry: CatalogueEntry, index: number) => all.findIndex((other) => other.name === entry.name) === index;
  const description = own(value, 'description') ?? own(own(value, 'metadata'), 'description');
  return {
    name,
    folder: ground.root,
    description: isText(description) ? description : undefined,
    entries: all.filter(isFirst),
    doubled: all.filter((entry, index) => !isFirst(entry, index)).map((entry) => entry.name),
  };
}

/** The plugin of a name, ready to be read. Throws PACKED_NO_ENTRY or PACKED_ENTRY. */
export function sourceIn(catalogue: Catalogue, plugin: string): PackedSource {
  const id = `${plugin}@${catalogue.name}`;
  const entry = catalogue.entries.find(({ name }) => name === plugin);
  if (entry === undefined) {
    const near = nearest(
      plugin,
      catalogue.entries.map(({ name }) => name),
    );
    throw new PegboardError('PACKED_NO_ENTRY', {
      plugin: id,
      catalogue: catalogue.name,
      near: near === undefined ? '' : ` (did you mean "${near}"?)`,
    });
  }
  if (entry.kind === 'here') return entry.source;
  if (entry.kind === 'broken') throw entry.error;
  const cause = `it lies elsewhere (${entry.source}), and only folders of a catalogue are read in place; fetch it yourself and add its folder`;
  throw new PegboardError('PACKED_ENTRY', { plugin: id, catalogue: catalogue.name, cause, place: join(catalogue.folder, FILE) });
}

interface EntryPlace {
  readonly ground: Ground;
  readonly catalogue: string;
  readonly base: string | undefined;
}

function readEntry(value: unknown, { ground, catalogue, base }: EntryPlace): CatalogueEntry {
  const place = placeIn(ground, FILE);
  const written = own(value, 'name');
  const name = isText(written) ? written : '';
  const broken = (cause: string): CatalogueEntry => ({
    kind: 'broken',
    name,
    error: new PegboardError('PACKED_ENTRY', { plugin: `${name}@${catalogue}`, catalogue, cause, place }),
  });
  const source = own(value, 'source');
  if (isObject(source)) return { kind: 'elsewhere', name, source: String(own(source, 'source') ?? 'of an unknown kind') };
  const read = readManifest(value, 'entry');
  if (read.kind === 'bad') return broken(read.cause);
  if (!isText(source)) return broken('it has no `source`');
  const bare = base !== undefined && /^[^./\\][^/\\]*$/.test(source) ? `./${base.replace(/^\.\/|\/+$/g, '')}/${source}` : source;
  const complaint = bare === '.' ? undefined : pathComplaint(bare);
  if (complaint !== undefined) return broken(`\`source\`: ${complaint}`);
  const found = findIn(ground, bare);
  if (found.kind === 'missing') return broken(`there is no folder ${placeIn(ground, bare)}`);
  if (found.kind === 'barred') return broken(found.cause);
  if (found.kind === 'file') return broken(`${bare} is a file`);
  const strict = own(value, 'strict') !== false;
  return {
    kind: 'here',
    name,
    source: { id: `${name}@${catalogue}`, folder: found.path, within: ground.root, entry: { manifest: read.manifest, strict, place } },
    defaultEnabled: read.manifest.defaultEnabled ?? true,
  };
}

function groundOf(folder: string): Ground | undefined {
  try {
    const root = realpathSync.native(folder);
    return { root, within: root };
  } catch {
    return undefined;
  }
}
