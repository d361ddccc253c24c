import { posix } from 'node:path';

import { wildcardsMeet, type Ask } from 'pegboard';
import type { Workspace } from 'pegboard/kit';

import { textOf, type Directory, type Member, type Word } from '../command/member.ts';
import { baseName, effectsOf } from '../effects/effects.ts';
import { isGlob, unescaped } from './places.ts';

const REMOVING = /^(rm|rmdir|unlink|find|fd|fdfind)$/;

/**
 * The ask for a command that may remove what nobody gets back: the root and what lies in it, a home, the folder that is worked in and
 * all above it (permissions.md, guard G1). Nothing waves it through.
 */
export async function guardRemoval(member: Member, start: string, workspace: Workspace): Promise<Ask | undefined> {
  const name = baseName(textOf(member.name) ?? '');
  if (!REMOVING.test(name)) return undefined;
  const critical = criticalFolders([start, ...workspace.roots], workspace);
  const { places } = effectsOf(member);
  // The first operand of the others is what they look for.
  const hasFilter = name.startsWith('fd') || (name === 'find' && filters(member.args));
  const does = name.startsWith('f') && runsRemoval(member.args) ? 'reads' : 'removes';
  const removed = name === 'unlink' ? member.args : places.flatMap((place) => (place.does === does ? [place.word] : []));
  for (const word of removed) {
    const found = await lost(word, member.directory, critical, workspace);
    // What is picked by name in the folder that is worked in is not the folder.
    if (hasFilter && workspace.roots.some((root) => workspace.below(root, found ?? '') === '')) continue;
    if (found !== undefined) return asksFor(name, found);
  }
  return undefined;
}

/** `find … -exec rm …` and `fd … -x rm …`, through whatever. */
function runsRemoval(args: readonly Word[]): boolean {
  const at = args.findIndex((arg) => /^-(exec|execdir|ok|okdir|x|X|-exec|-exec-batch)$/.test(textOf(arg) ?? ''));
  return at !== -1 && args.slice(at).some((arg) => /^(rm|rmdir|unlink)$/.test(baseName(textOf(arg) ?? '')));
}

function filters(args: readonly Word[]): boolean {
  return args.some((arg, at) => /^-(i?name|i?path|i?regex)$/.test(textOf(arg) ?? '') && /[\p{L}\p{N}]/u.test(textOf(args[at + 1]) ?? ''));
}

function asksFor(name: string, path: string): Ask {
  const detail = `${name} would remove a folder that nobody gets back`;
  return {
    kind: 'ask',
    reason: { by: 'guard', guard: 'G1', path, detail },
    message: `${detail}: ${path} (guard G1, which nothing switches off)`,
  };
}

/** Folders to keep with all above them. */
function criticalFolders(folders: readonly string[], { home, spelling }: Workspace): ReadonlySet<string> {
  const all = new Set<string>();
  for (const folder of [...folders, home]) for (let at = compared(folder, spelling); ; at = posix.dirname(at)) {
    all.add(at);
    if (at === posix.dirname(at)) break;
  } // prettier-ignore
  return all;
}

const DRIVE = /^(?:[A-Za-z]:|\/(?:mnt\/|cygdrive\/)?[A-Za-z](?=\/|$))/;

/** How a folder is compared with others: on Windows without its drive, however that is written. */
function compared(path: string, { windows, fold }: Workspace['spelling']): string {
  return fold(windows ? path.replaceAll('\\', '/').replace(DRIVE, '') || '/' : path);
}

/** What would be lost, if that is critical. */
async function lost(word: Word, directory: Directory, critical: ReadonlySet<string>, workspace: Workspace): Promise<string | undefined> {
  switch (word.kind) {
    case 'text':
      return lostAt(word.text, directory, critical, workspace);
    case 'names':
      for (const pattern of word.patterns) {
        const found = isGlob(pattern)
          ? await lostByGlob(pattern, directory, critical, workspace)
          : await lostAt(unescaped(pattern), directory, critical, workspace);
        if (found !== undefined) return found;
      }
      return undefined;
    case 'unknown':
      if (lostByUnknown(word)) return word.source;
      for (const text of likelyTexts(word.source, directory, workspace)) {
        const found = await lostAt(text, directory, critical, workspace);
        if (found !== undefined) return `${found} (${word.source})`;
      }
      return undefined;
  }
}

const EXPANSION = /\$\{(\w+)(?::?[-=+?]([^{}]*)|[^{}]*)\}|\$(\w+)/g;

/** What a word is likely to become: variables that hold a critical folder with it, whatever is cut off, and others with what stands in for them. */
function likelyTexts(source: string, directory: Directory, { home, cwd }: Workspace): readonly string[] {
  const folders: ReadonlyMap<string, string> = new Map([
    ['HOME', home],
    ['USERPROFILE', home],
    ['SYSTEMROOT', 'C:/Windows'],
    ['SystemRoot', 'C:/Windows'],
    ['WINDIR', 'C:/Windows'],
    ['PWD', directory.kind === 'known' ? directory.path : cwd],
    ['OLDPWD', cwd],
  ]);
  const plain = source.replace(/["'\\]/g, '');
  const found = [...plain.matchAll(EXPANSION)].map(([, name, instead, bare]) => [folders.get(name ?? bare ?? ''), instead] as const);
  const withTheir = (choices: readonly (string | undefined)[]): readonly string[] => {
    let at = 0;
    return choices.length === 0 || choices.includes(undefined) ? [] : [plain.replace(EXPANSION, () => choices[at++] ?? '')];
  };
  return [
    ...withTheir(found.map(([held, instead]) => held ?? instead)),
    ...withTheir(found.map(([held, instead]) => instead ?? held)),
    ...choicesIn(plain),
  ].map((text) => text.replace(/^~(?=\/|$)/, home));
}

/** What stands in braces, each choice with what stands around all of them. */
function choicesIn(text: string): readonly string[] {
  const [, head = '', inner, tail = ''] = /^([^{}$]*)\{(.*)\}([^{}$]*)$/s.exec(text) ?? [];
  const choices = inner?.split(/[{},]/).filter((choice) => choice !== '') ?? [];
  return choices.map((choice) => head + choice + tail);
}

async function lostAt(
  text: string,
  directory: Directory,
  critical: ReadonlySet<string>,
  workspace: Workspace,
): Promise<string | undefined> {
  if (text === '') return undefined;
  if (isWindowsRoot(text)) return text;
  const isWhole = text.startsWith('/') || (workspace.spelling.windows && /^(?:\\|[A-Za-z]:)/.test(text));
  if (!isWhole && directory.kind === 'unknown') return /^[./]*$/.test(text) ? text : undefined;
  const path = isWhole || directory.kind === 'unknown' ? text : `${directory.path}/${text}`;
  const plain = posix.normalize(workspace.spelling.windows ? path.replaceAll('\\', '/') : path).replace(/(?<=.)\/$/, '');
  const isLost = (each: string) => isCritical(compared(each, workspace.spelling), critical);
  if (isLost(plain)) return plain;
  // What is behind a link is only meant with a slash behind it, or something in it.
  const followed = /\/\.?$/.test(text) ? path : posix.dirname(path);
  const rest = followed === path ? '' : `/${posix.basename(path)}`;
  const { hops } = await workspace.locate(followed);
  return hops.map((hop) => posix.normalize(hop + rest).replace(/(?<=.)\/$/, '')).find(isLost);
}

function isCritical(path: string, critical: ReadonlySet<string>): boolean {
  return critical.has(path) || /^\/+[^/]*$/.test(path) || /^\/private(\/[^/]*)?$/.test(path) || isWindowsRoot(path);
}

function isWindowsRoot(path: string): boolean {
  const plain = path.replace(/^[\\/]{2}[?.][\\/]+/, '');
  return /^([A-Za-z]:|\/(mnt\/|cygdrive\/)?[A-Za-z](?=[\\/]|$))([\\/]+[^\\/]*)?[\\/]*$/.test(plain);
}

/** A glob that takes everything in a folder takes the folder. */
async function lostByGlob(
  pattern: string,
  directory: Directory,
  critical: ReadonlySet<string>,
  workspace: Workspace,
): Promise<string | undefined> {
  const plain = pattern.replace(/\/+$/, '');
  const last = plain.slice(plain.lastIndexOf('/') + 1);
  const folder = plain.slice(0, plain.length - last.length);
  if (folder === '/' || isWindowsRoot(unescaped(plain).replace(/[\\/]\*+$/, ''))) return pattern;
  const named = [...critical].find((each) => finds(pattern, each, directory, workspace));
  if (named !== undefined) return `${named} (${pattern})`;
  const takesAll = !/[\p{L}\p{N}_-]/u.test(last.replace(/\[.*\]/g, '')) && isGlob(last);
  if (isGlob(folder))
    return takesAll || isGlob(folder.split('/')[1] ?? '') ? lostByGlob(folder, directory, critical, workspace) : undefined;
  if (!takesAll) return undefined;
  const found = await lostAt(folder === '' ? './' : unescaped(folder), directory, critical, workspace);
  return found === undefined ? undefined : `${found} (${pattern})`;
}

/** Whether a glob may find a folder: step by step, a set of characters being any of them. */
function finds(pattern: string, folder: string, directory: Directory, { spelling }: Workspace): boolean {
  const start = pattern.startsWith('/') || directory.kind === 'unknown' ? '' : directory.path;
  const steps = posix.normalize(`${start}/${pattern}`).replace(/\/$/, '').split('/');
  const names = folder.split('/');
  return (
    steps.length === names.length &&
    steps.every((step, at) => {
      const open = spelling.fold(step.replace(/\\(.)|\[.*\]|\?/gs, (_, plain?: string) => plain ?? '*'));
      return wildcardsMeet(open, names[at] ?? '');
    })
  );
}

/** What comes from elsewhere, or becomes the root where a variable is empty. */
function lostByUnknown({ source, why }: Extract<Word, { kind: 'unknown' }>): boolean {
  if (why === 'what comes from the input' || why === 'what a command prints' || why === 'the home of somebody') return true;
  const emptied = source.replace(/\$\{[^}]*\}|\$\w+|\$[@*#?$!-]|["'\\]/g, '');
  return /^\/[/.*?[\]]*$/.test(emptied);
}
