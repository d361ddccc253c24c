import { access } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

import type { Ignore } from 'ignore';
import { readRegularFile } from 'pegboard/kit';

/** The `.gitignore` files that hold for one folder, the nearest first; it never changes. */
export interface IgnoreRules {
  /** Is this entry of the folder left out by them? */
  hides(path: string, isFolder: boolean): boolean;
  /** The rules one folder deeper. */
  enter(folder: string): Promise<IgnoreRules>;
}

interface Layer {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Version control's own folders, which nobody searches by accident. */
export const CONTROL_FOLDERS = ['.git', '.hg', '.svn', '.jj'] as const;

/**
 * The rules that hold at a folder: its own `.gitignore` and those above it up to the top of its repository. A folder that is
 * itself ignored was asked for by name, so there only its own rules count.
 */
export async function ignoreRulesAt(root: string): Promise<IgnoreRules> {
  const above = await layersAbove(root);
  return rulesOf(isHiddenFolder(root, above) ? [] : above).enter(root);
}

/** Is this folder left out by a `.gitignore` above it? */
export async function isIgnoredFolder(root: string): Promise<boolean> {
  return isHiddenFolder(root, await layersAbove(root));
}

async function layersAbove(root: string): Promise<readonly Layer[]> {
  const layers: Layer[] = [];
  for (let folder = root; !(await exists(join(folder, '.git'))) && dirname(folder) !== folder;) {
    folder = dirname(folder);
    layers.push(...(await layerOf(folder)));
  }
  return layers;
}

function rulesOf(layers: readonly Layer[]): IgnoreRules {
  return {
    hides: (path, isFolder) => isHidden(path, isFolder, layers),
    enter: async (folder) => {
      const own = await layerOf(folder);
      return own.length === 0 ? rulesOf(layers) : rulesOf([...own, ...layers]);
    },
  };
}

function isHidden(path: string, isFolder: boolean, layers: readonly Layer[]): boolean {
  for (const { folder, rules } of layers) {
    const inside = relative(folder, path).split(sep).join('/') + (isFolder ? '/' : '');
    const { ignored, unignored } = rules.test(inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function isHiddenFolder(root: string, layers: readonly Layer[]): boolean {
  const top = layers.at(-1)?.folder;
  if (top === undefined) return false;
  for (let folder = root; folder !== top; folder = dirname(folder)) {
    const above = layers.filter((layer) => folder !== layer.folder && folder.startsWith(layer.folder));
    if (isHidden(folder, true, above)) return true;
  }
  return false;
}

async function layerOf(folder: string): Promise<readonly Layer[]> {
  const text = await readRegularFile(join(folder, '.gitignore')).catch(() => undefined);
  if (text === undefined) return [];
  const { default: ignore } = await import('ignore');
  return [{ folder, rules: ignore({ ignorecase: false }).add(text) }];
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
