import { dirname, join } from 'node:path';

import { isWithin } from 'pegboard/kit';

import { objectOf, type Entry } from './entry.ts';
import type { Ignored, Place } from './layer.ts';
import { allItems, pathFrom } from './merge.ts';
import { isObject, own, type JsonObject } from './object.ts';
import { realOf } from './repository.ts';

/** A folder of a plugin that may be loaded, absolute and without links. */
interface PluginFolder {
  readonly folder: string;
  readonly place: Place;
}

/** Where plugins may lie. */
export interface PluginGround {
  /** The root of the project. */
  readonly root: string;
  readonly home: string;
  /** Does a path without links lie in the project, or else in a folder that is trusted? */
  reaches(real: string): boolean;
}

/** A catalogue of packed plugins that settings name, and its folder, absolute and without links. */
interface CatalogueFolder {
  readonly name: string;
  readonly folder: string;
  readonly place: Place;
}

/** What settings say of plugins: folders that are loaded, catalogues that are known, and what of them is wanted. */
export interface PluginChoices {
  readonly plugins: readonly PluginFolder[];
  readonly catalogues: readonly CatalogueFolder[];
  /** By `name`, or `name@catalogue`; whoever is not named is as its author has it. */
  readonly enabled: Readonly<Record<string, boolean>>;
  /** What a person has set for plugins that ask for something, by the same names. */
  readonly configs: Readonly<Record<string, JsonObject>>;
  readonly ignored: readonly Ignored[];
}

/**
 * What settings name of plugins. What a repository names, or what lies in it, must really lie in a folder that is trusted or among
 * the person's own plugins: it may be a link.
 */
export function pluginChoices(entries: readonly Entry[], ground: PluginGround): PluginChoices {
  const ignored: Ignored[] = [];
  const allowed = (written: string, entry: Entry, place: Place): string | undefined => {
    const folder = realOf(written);
    const isPersons = entry.sheet.by !== 'repository' && !isWithin(ground.root, written);
    if (isPersons || ground.reaches(folder) || isWithin(realOf(join(ground.home, 'plugins')), folder)) return folder;
    const why = `it is really ${folder}, outside of the folder`;
    ignored.push({ what: { kind: 'value', key: entry.key }, place, until: 'place', why });
    return undefined;
  };
  const plugins = allItems(entries, 'plugins').flatMap(({ value, place, entry }) => {
    const folder = allowed(pathFrom(entry.sheet.folder, String(value)), entry, place);
    return folder === undefined ? [] : [{ folder, place }];
  });
  const catalogues = firstOfEach(entries, 'extraKnownMarketplaces').flatMap(({ path: [, name = ''], value, sheet, place, ...entry }) => {
    const source = own(value, 'source');
    const path = own(source, 'path');
    const kind = own(source, 'source');
    if (typeof path !== 'string' || (kind !== 'directory' && kind !== 'file')) return [];
    const written = pathFrom(sheet.folder, kind === 'file' ? dirname(dirname(path)) : path);
    const folder = allowed(written, { ...entry, path: [], value, sheet, place }, place);
    return folder === undefined ? [] : [{ name, folder, place }];
  });
  const enabled = firstOfEach(entries, 'enabledPlugins').map(({ path: [, id = ''], value }) => [id, value === true] as const);
  const configs = objectOf(entries.filter(({ path }) => path[0] === 'pluginConfigs'))['pluginConfigs'];
  const options = isObject(configs) ? Object.entries(configs).map(([id, config]) => [id, objectIn(own(config, 'options'))] as const) : [];
  return { plugins, catalogues, enabled: Object.fromEntries(enabled), configs: Object.fromEntries(options), ignored };
}

/** Of each name below a key the highest layer's entry. */
function firstOfEach(entries: readonly Entry[], area: string): readonly Entry[] {
  const inArea = entries.filter(({ path }) => path[0] === area && path.length === 2);
  return inArea.filter(({ key }, at) => inArea.findIndex((other) => other.key === key) === at);
}

function objectIn(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
