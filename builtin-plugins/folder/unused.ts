import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { findIn, placeIn } from './ground.ts';
import type { PackedContents } from './read-folder.ts';

/** Parts of the format that this host has no use for, and how people know them. */
const UNUSED: Readonly<Record<string, string>> = {
  workflows: 'workflows',
  'output-styles': 'output styles',
  themes: 'themes',
  'monitors/monitors.json': 'monitors',
  bin: 'programs for the search path of the shell',
  'settings.json': 'settings of its own',
};
/** What stands in the plugin's folder itself, by the name it must have there. */
const STANDARD: readonly string[] = ['skills', 'commands', 'agents', 'hooks', '.mcp.json', '.lsp.json', '.claude-plugin', 'SKILL.md'];
/** Places where authors put parts, and where nobody looks for them. */
const MISPLACED: Readonly<Record<string, string>> = {
  '.claude-plugin/skills': 'skills/',
  '.claude-plugin/commands': 'commands/',
  '.claude-plugin/agents': 'agents/',
  '.claude-plugin/hooks': 'hooks/',
  '.claude-plugin/hooks.json': 'hooks/hooks.json',
  '.claude-plugin/.mcp.json': '.mcp.json',
  '.claude/skills': 'skills/',
  '.claude/commands': 'commands/',
  '.claude/agents': 'agents/',
  'hooks.json': 'hooks/hooks.json',
  'mcp.json': '.mcp.json',
};

/** Folders in which such places are. */
const HIDING: readonly string[] = ['.claude-plugin', '.claude', 'monitors'];

/**
 * What lies in a plugin's folder as if it were a part of it, and is none here: what nobody uses, what is misplaced, what is misspelt. Looked
 * for only when somebody asks: no start waits for it.
 */
export function unusedParts({ ground }: PackedContents): readonly { readonly file: string; readonly cause: string }[] {
  const names = namesIn(ground.root);
  const below = names
    .filter((name) => HIDING.includes(name))
    .flatMap((name) => namesIn(join(ground.root, name)).map((each) => `${name}/${each}`));
  const there = new Set([...names, ...below]);
  const entries = (table: Readonly<Record<string, string>>) => Object.entries(table).filter(([path]) => there.has(path));
  const found = [
    ...entries(UNUSED).map(([path, words]) => ({ path, cause: `this host has no use for ${words}` })),
    ...entries(MISPLACED).map(([path, right]) => ({
      path,
      cause: `nothing is read from here; it belongs at ${right} in the plugin's folder`,
    })),
    ...names.flatMap((name) => {
      const meant = STANDARD.find((each) => each !== name && each.toLowerCase() === name.toLowerCase());
      return meant === undefined || findIn(ground, meant).kind !== 'missing'
        ? []
        : [{ path: name, cause: `it is not spelt ${meant}, so nothing is read from it` }];
    }),
  ];
  return found.map(({ path, cause }) => ({ file: placeIn(ground, path), cause }));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
