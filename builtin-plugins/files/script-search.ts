import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createContext, Script } from 'node:vm';

import { causeText } from 'pegboard';

import { kindOf } from './file-kind.ts';
import { fileTypes } from './file-types.data.ts';
import { CONTROL_FOLDERS, ignoreRulesAt, type IgnoreRules } from './ignore-rules.ts';
import { ANSWER_BYTES, patternSentence, type Found, type Row, type SearchPlan } from './search-plan.ts';

const FILE_BYTES = 64_000_000;
/** A pattern may make the engine try for years; this much for one file is enough for any honest one. */
const PATTERN_MS = 2_000;

/** Searches without any program: slower than ripgrep, same answers. */
export async function searchWithScript(plan: SearchPlan, signal: AbortSignal, limitMs: number): Promise<Found> {
  const limit = AbortSignal.timeout(limitMs);
  const rows: Row[] = [];
  const notes: string[] = [];
  let bytes = 0;
  try {
    const pattern = toRegExp(plan);
    const bounded = boundedRunner();
    for await (const path of searchedFiles(plan)) {
      signal.throwIfAborted();
      if (limit.aborted) return { kind: 'found', rows, more: false, stopped: `after ${limitMs / 1_000} s`, notes };
      const text = await textOfFile(path, plan.file !== undefined, notes);
      if (text === undefined) continue;
      for (const row of bounded(() => rowsOf(path, text, pattern, plan))) {
        if (plan.mode === 'content' && row.kind !== 'gap' && rows.length > 0 && isFirstOf(path, rows) && hasContext(plan))
          rows.push({ kind: 'gap' });
        rows.push(row);
        bytes += row.kind === 'match' || row.kind === 'context' ? Math.min(row.text.length, 8_000) : 100;
        if (rows.length > plan.mostRows || bytes > ANSWER_BYTES)
          return { kind: 'found', rows: rows.slice(0, plan.mostRows), more: true, notes };
      }
    }
    return { kind: 'found', rows, more: false, notes };
  } catch (cause) {
    signal.throwIfAborted();
    return { kind: 'failed', message: failure(plan, cause) };
  }
}

function failure(plan: SearchPlan, cause: unknown): string {
  if (cause instanceof SyntaxError)
    return patternSentence(plan.pattern, cause.message.replace(/^Invalid regular expression: .*\/[a-z]*: /s, ''));
  if (typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
    return `The pattern ${JSON.stringify(plan.pattern)} takes too long: a repetition in it holds another one. Write it more simply.`;
  return `The search failed: ${causeText(cause)}`;
}

/** The forms that ripgrep's dialect writes differently are translated; what both know stays. */
function toRegExp({ pattern, ignoreCase, across }: SearchPlan): RegExp {
  const [whole = '', letters = ''] = /^\(\?([imsux]+)\)/.exec(pattern) ?? [];
  const source = pattern
    .slice(whole.length)
    .replaceAll('(?P<', '(?<')
    .replace(/\\A/g, across === 'no' ? '^' : '(?<![^])')
    .replace(/\\z/g, across === 'no' ? '$' : '(?![^])')
    .replace(/\[:(\^?)(\w+):\]/g, (text, not: string, name: string) => (not === '' ? (CLASSES.get(name) ?? text) : text));
  const flags = `g${across === 'no' ? '' : 'm'}${ignoreCase || letters.includes('i') ? 'i' : ''}${across === 'dots' || letters.includes('s') ? 's' : ''}`;
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}

const CLASSES: ReadonlyMap<string, string> = new Map([
  ['alpha', 'a-zA-Z'],
  ['digit', '0-9'],
  ['alnum', 'a-zA-Z0-9'],
  ['upper', 'A-Z'],
  ['lower', 'a-z'],
  ['space', '\\s'],
  ['xdigit', '0-9a-fA-F'],
  ['word', '\\w'],
  ['punct', '!-\\/:-@\\[-`{-~'],
]);

/** Runs work that a pattern of somebody else may make endless; only V8's own watchdog can end such a match. */
function boundedRunner(): <Value>(work: () => Value) => Value {
  const script = new Script('work()');
  const box = createContext({ work: undefined as (() => unknown) | undefined });
  return (work) => {
    box['work'] = work;
    return script.runInContext(box, { timeout: PATTERN_MS }) as ReturnType<typeof work>;
  };
}

function rowsOf(path: string, text: string, pattern: RegExp, plan: SearchPlan): readonly Row[] {
  if (!mayMatch(text, pattern)) return [];
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  const { matched, count } = plan.across === 'no' ? matchedLines(lines, pattern) : matchedAcross(lines, pattern);
  if (matched.size === 0) return [];
  if (plan.mode === 'files_with_matches') return [{ kind: 'file', path }];
  return plan.mode === 'count' ? [{ kind: 'count', path, count }] : withContext(path, lines, matched, plan);
}

/** A quick look at the whole, which most files fail. What a pattern forbids could stand on another line, so then there is no telling. */
function mayMatch(text: string, pattern: RegExp): boolean {
  return /\(\?<?!/.test(pattern.source) || new RegExp(pattern.source, `${pattern.flags.replace(/[gm]/g, '')}m`).test(text);
}

interface Matched {
  readonly matched: ReadonlySet<number>;
  readonly count: number;
}

function matchedLines(lines: readonly string[], pattern: RegExp): Matched {
  const matched = new Set<number>();
  lines.forEach((line, at) => {
    pattern.lastIndex = 0;
    if (pattern.test(line)) matched.add(at);
  });
  return { matched, count: matched.size };
}

function matchedAcross(lines: readonly string[], pattern: RegExp): Matched {
  const text = lines.join('\n');
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  const matched = new Set<number>();
  let count = 0;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + Math.max(match[0].length, 1);
    while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= match.index) at += 1;
    for (let line = at; line < starts.length && (starts[line] ?? 0) < end; line++) matched.add(line);
    count += 1;
  }
  return { matched, count };
}

function withContext(path: string, lines: readonly string[], matched: ReadonlySet<number>, { before, after }: SearchPlan): readonly Row[] {
  const shown = new Set<number>();
  for (const at of matched)
    for (let line = Math.max(0, at - before); line <= Math.min(lines.length - 1, at + after); line++) shown.add(line);
  const rows: Row[] = [];
  let last = -1;
  for (const at of [...shown].sort((a, b) => a - b)) {
    if (rows.length > 0 && at > last + 1 && before + after > 0) rows.push({ kind: 'gap' });
    rows.push({ kind: matched.has(at) ? 'match' : 'context', path, line: at + 1, text: lines[at] ?? '' });
    last = at;
  }
  return rows;
}

function hasContext({ before, after }: SearchPlan): boolean {
  return before + after > 0;
}

function isFirstOf(path: string, rows: readonly Row[]): boolean {
  const last = rows.at(-1);
  return last !== undefined && last.kind !== 'gap' && last.path !== path;
}

async function textOfFile(path: string, named: boolean, notes: string[]): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES) return void notes.push(`${path} is too large to be searched without ripgrep`);
    const bytes = await readFile(path);
    const kind = kindOf(bytes);
    if (kind.kind !== 'text' && !named) return undefined;
    return new TextDecoder(kind.kind === 'text' ? kind.encoding : 'utf-8').decode(bytes);
  } catch (cause) {
    return void notes.push(`${path} could not be searched: ${causeText(cause)}`);
  }
}

/** By path, as ripgrep sorts them: folders and files of one folder together, by name. */
async function* searchedFiles(plan: SearchPlan): AsyncGenerator<string> {
  if (plan.file !== undefined) return yield join(plan.folder, plan.file);
  const wanted = await makeFilter(plan);
  const walk = async function* (folder: string, rules: IgnoreRules): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      if (!wanted(path, isFolder, rules)) continue;
      if (isFolder) yield* walk(path, await rules.enter(path));
      else yield path;
    }
  };
  yield* walk(plan.folder, await ignoreRulesAt(plan.folder));
}

type Filter = (path: string, isFolder: boolean, rules: IgnoreRules) => boolean;

/** A file that a glob names is searched even if it is ignored; that is what ripgrep does. */
async function makeFilter({ folder, globs, type }: SearchPlan): Promise<Filter> {
  const { default: ignore } = await import('ignore');
  const patterns = (texts: readonly string[]) => ignore({ ignorecase: false }).add(texts.flatMap(expandBraces));
  const named = patterns(globs);
  const ofType = type === undefined ? undefined : patterns(fileTypes[type] ?? []);
  const picky = globs.some((glob) => !glob.startsWith('!'));
  return (path, isFolder, rules) => {
    const name = path.slice(path.lastIndexOf(sep) + 1);
    if (isFolder && CONTROL_FOLDERS.some((each) => each === name)) return false;
    const given = named.test(relative(folder, path).split(sep).join('/') + (isFolder ? '/' : ''));
    if (given.unignored) return false;
    if (!given.ignored && (rules.hides(path, isFolder) || (picky && !isFolder))) return false;
    return isFolder || ofType === undefined || ofType.test(name).ignored;
  };
}

/** `*.{ts,tsx}` into `*.ts` and `*.tsx`. */
function expandBraces(glob: string): readonly string[] {
  const [, head, inner, tail] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  if (head === undefined || inner === undefined || tail === undefined) return [glob];
  return inner.split(',').flatMap((choice) => expandBraces(`${head}${choice}${tail}`));
}
