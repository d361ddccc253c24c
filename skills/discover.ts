import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { CommandFolder, SkillFolder } from 'pegboard';
import { isWithin } from 'pegboard/kit';

import type { Found } from './read-skill.ts';
import type { Origin } from './skill.ts';

/** A place where skills or commands may be. */
export type Place =
  | { readonly kind: 'skills'; readonly from: Origin; readonly path: SkillFolder['path'] }
  | { readonly kind: 'commands'; readonly from: Origin; readonly folder: Exclude<CommandFolder, { readonly kind: 'text' }> };

/** Something that is there and was left out, and why. */
export interface LeftOut {
  readonly file: string;
  readonly cause: string;
}

/** What was found in a place. */
export interface Findings {
  readonly found: readonly Found[];
  readonly left: readonly LeftOut[];
}

const SKILL = 'SKILL.md';
const DEEPEST = 20;
const MOST_FILES = 20_000;
const MOST_NAMED = 10;

/** Looks through a place; one that is not there has nothing in it. Never rejects. */
export async function discover(place: Place): Promise<Findings> {
  const found: Found[] = [];
  const left: LeftOut[] = [];
  if (place.kind === 'skills') await skillsIn(place, found, left);
  else await commandsIn(place, found, left);
  return { found, left };
}

/** A folder with a SKILL.md is that one skill; any other holds one in each folder directly below it. */
async function skillsIn({ from, path }: Place & { readonly kind: 'skills' }, found: Found[], left: LeftOut[]): Promise<void> {
  const names = await namesIn(path);
  if (names.includes(SKILL)) {
    const file = await fileWithin(join(path, SKILL), from, left);
    if (file) found.push({ kind: 'skill', from, file, folder: path, name: basename(path), namesItself: true });
    return;
  }
  const seen = new Set<string>();
  for (const name of names) {
    const folder = await folderWithin(join(path, name), from, left);
    const inside = folder === undefined ? [] : await namesIn(folder);
    if (folder === undefined || !inside.includes(SKILL)) {
      const cause = folder === undefined ? await looseCause(join(path, name)) : await unskilledCause(folder, inside);
      if (cause !== undefined) left.push({ file: join(path, name), cause });
      continue;
    }
    const file = await fileWithin(join(folder, SKILL), from, left);
    if (file === undefined || seen.has(file)) continue;
    seen.add(file);
    found.push({ kind: 'skill', from, file, folder: join(path, name), name, namesItself: false });
  }
}

/** Only what somebody may have meant as a skill. */
async function looseCause(path: string): Promise<string | undefined> {
  if (!(await stat(path).catch(() => undefined))) return 'it is a link to nothing';
  const name = basename(path);
  if (!/\.md$/i.test(name) || /^readme\.md$/i.test(name)) return undefined;
  return `a skill is a folder with a ${SKILL} in it, and this is a file`;
}

async function unskilledCause(folder: string, inside: readonly string[]): Promise<string | undefined> {
  const other = inside.find((name) => name.toLowerCase() === SKILL.toLowerCase());
  if (other !== undefined) return `its ${other} is not spelt ${SKILL}`;
  for (const name of inside)
    if ((await namesIn(join(folder, name))).includes(SKILL))
      return `it has no ${SKILL} itself, and skills stand one level deep: ${name} is deeper`;
  return undefined;
}

async function commandsIn({ from, folder }: Place & { readonly kind: 'commands' }, found: Found[], left: LeftOut[]): Promise<void> {
  if (folder.kind === 'folder') return commandsBelow(folder.path, [], from, found, left, 0);
  const file = await fileWithin(folder.path, from, left);
  const name = folder.name ?? nameOf(basename(folder.path));
  if (file !== undefined) found.push({ kind: 'command', from, file, folder: undefined, name, namesItself: false, fields: folder.fields });
}

/** A folder with a `skill.md`, in whatever case, is one skill; nothing else in it counts. */
async function commandsBelow(
  path: string,
  above: readonly string[],
  from: Origin,
  found: Found[],
  left: LeftOut[],
  depth: number,
): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  const skill = sorted.find((entry) => /^skill\.md$/i.test(entry.name) && entry.isFile());
  const nameFor = (name: string) => [...above, name].join(':');
  if (skill) {
    const name = above.length > 0 ? above.join(':') : basename(path);
    const hidden = sorted
      .filter((entry) => entry !== skill && (entry.isDirectory() || /\.md$/i.test(entry.name)))
      .map((entry) => entry.name);
    if (hidden.length > 0)
      left.push({
        file: path,
        cause: `${skill.name} makes it one skill, so these are no commands: ${hidden.slice(0, MOST_NAMED).join(', ')}`,
      });
    found.push({ kind: 'skill', from, file: join(path, skill.name), folder: path, name, namesItself: false });
    return;
  }
  for (const entry of sorted) {
    const file = join(path, entry.name);
    if (found.length >= MOST_FILES) return void left.push({ file, cause: `there are more than ${MOST_FILES} files` });
    if (entry.isDirectory() && depth < DEEPEST) await commandsBelow(file, [...above, entry.name], from, found, left, depth + 1);
    else if (entry.isSymbolicLink()) {
      if (/\.md$/i.test(entry.name) || (await stat(file).catch(() => undefined))?.isDirectory())
        left.push({ file, cause: 'it is a link, and what is linked is no command' });
    } else if (entry.isFile() && /\.md$/i.test(entry.name))
      found.push({ kind: 'command', from, file, folder: undefined, name: nameFor(nameOf(entry.name)), namesItself: false });
  }
}

function nameOf(file: string): string {
  return file.endsWith('.md') ? file.slice(0, -3) : file;
}

/** As the disk spells them, sorted: `skill.md` is no `SKILL.md` wherever both would be one file. */
async function namesIn(path: string): Promise<readonly string[]> {
  return (await readdir(path).catch(() => [])).sort();
}

async function folderWithin(path: string, from: Origin, left: LeftOut[]): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(await stat(real).catch(() => undefined))?.isDirectory()) return undefined;
  return insideOnly(path, real, from, left);
}

async function fileWithin(path: string, from: Origin, left: LeftOut[]): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined || !(await stat(real).catch(() => undefined))?.isFile()) return undefined;
  return insideOnly(path, real, from, left);
}

function insideOnly(path: string, real: string, from: Origin, left: LeftOut[]): string | undefined {
  if (isWithin(from.within, real)) return real;
  left.push({ file: path, cause: `it is a link that leads out of ${from.within}` });
  return undefined;
}
