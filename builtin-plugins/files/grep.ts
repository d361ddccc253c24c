import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { defineTool, errorResult, nearest, textResult, type Tool, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { fileTypes } from './file-types.data.ts';
import { newestFirst } from './glob.ts';
import { allowInside, hiddenOf, missingSentence, pathComplaint, workspaceOf } from './place.ts';
import { partGlobs, type Found, type Row, type SearchPlan } from './search-plan.ts';

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly type?: string;
  readonly output_mode?: 'content' | 'files_with_matches' | 'count';
  readonly '-i'?: boolean;
  readonly '-n'?: boolean;
  readonly '-A'?: number;
  readonly '-B'?: number;
  readonly '-C'?: number;
  readonly multiline?: boolean;
  readonly head_limit?: number;
  readonly offset?: number;
}

/** How Grep searches. */
export interface SearchSettings {
  /** A ripgrep to run; `none` searches without any program. Left out: the one from npm, else the one on PATH, else none. */
  readonly ripgrep?: string | undefined;
  /** An answer that takes longer is given as far as it has come. */
  readonly limitMs?: number | undefined;
}

const HEAD_LIMIT = 250;
const MOST_ROWS = 100_000;
const LINE_CHARS = 1_000;
const LIMIT_MS = 20_000;
const LINES = { type: 'integer', minimum: 0, maximum: 1_000 };

/** Searches what stands in files. ripgrep does the work where there is one; the answers do not depend on it. */
export function makeGrep(settings: SearchSettings = {}): Tool<GrepInput> {
  return defineTool<GrepInput>({
    name: 'Grep',
    description: [
      'Searches the contents of files for a regular expression (ripgrep syntax).',
      'Gives the paths of matching files, the newest first; with output_mode "content" the matching lines, with "count" the number per file.',
      'Narrow it with `path`, `glob` ("*.ts", "!test/**") or `type` ("py"). Hidden files count; files that .gitignore leaves out and binary files do not.',
      'To find files by name use Glob.',
    ].join(' '),
    searchHint: 'search the text of local files for a word or a regular expression',
    kind: 'search',
    ruleNames: ['Read'],
    input: jsonSchema<GrepInput>({
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Regular expression to search for' },
        path: { type: 'string', description: 'File or folder to search in; the working folder if left out' },
        glob: { type: 'string', description: 'Only files whose path matches this glob; several are parted by blanks' },
        type: { type: 'string', description: 'Only files of this type, such as js, py, rust, md' },
        output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'], description: 'files_with_matches if left out' },
        '-i': { type: 'boolean', description: 'Ignore case' },
        '-n': { type: 'boolean', description: 'Line numbers with "content"; true if left out' },
        '-A': { ...LINES, description: 'Lines to show after each match' },
        '-B': { ...LINES, description: 'Lines to show before each match' },
        '-C': { ...LINES, description: 'Lines to show before and after each match' },
        multiline: { type: 'boolean', description: 'A match may reach over lines, and "." matches line ends' },
        head_limit: { type: 'integer', minimum: 0, description: `At most so many lines or entries; ${HEAD_LIMIT} if left out, 0 for all` },
        offset: { type: 'integer', minimum: 0, description: 'Leave out so many lines or entries first' },
      },
      required: ['pattern'],
      additionalProperties: false,
    }),
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    fileRules: ['Read'],
    reads: ({ path }) => [{ kind: 'file', path: path ?? '.' }],
    validateInput: async (input) => complaint(input),
    checkPermissions: ({ path }, context) => allowInside(path ?? '.', context),
    display: { activity: ({ pattern }) => `Searching for ${pattern}`, summary: ({ pattern }) => pattern },
    call: (input, context) => search(input, context, settings),
  });
}

function complaint({ pattern, path, type }: GrepInput): string | undefined {
  if (pattern === '') return 'the pattern is empty';
  if (pattern.includes('\0')) return 'the pattern has a NUL character in it; write it as \\x00';
  if (type !== undefined && !Object.hasOwn(fileTypes, type)) {
    const near = nearest(type, Object.keys(fileTypes));
    return `there is no file type "${type}"${near === undefined ? '' : `; did you mean "${near}"?`} Use \`glob\` for other files`;
  }
  return path === undefined ? undefined : pathComplaint(path);
}

async function search(input: GrepInput, context: ToolContext, settings: SearchSettings): Promise<ToolResult> {
  const path = workspaceOf(context).resolve(input.path ?? '.');
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined) return errorResult(await missingSentence(path));
  if (!facts.isDirectory() && !facts.isFile()) return errorResult(`${path} is a device, pipe or socket, and is not searched.`);
  const found = await runSearch(planOf(input, path, facts.isDirectory()), context.signal, settings);
  return found.kind === 'failed' ? errorResult(found.message) : textResult(await shown(await readable(found, context), input, context));
}

/** Without the files that rules keep from being read, however they were found. */
async function readable(found: FoundRows, context: ToolContext): Promise<FoundRows> {
  const hidden = await hiddenOf(
    found.rows.flatMap((row) => ('path' in row ? [row.path] : [])),
    context,
  );
  if (hidden.size === 0) return found;
  const rows = found.rows.filter((row) => !('path' in row && hidden.has(row.path)));
  return {
    ...found,
    rows,
    notes: [...found.notes, `Left out by a permission rule: ${hidden.size} ${hidden.size === 1 ? 'file' : 'files'}.`],
  };
}

async function runSearch(plan: SearchPlan, signal: AbortSignal, { ripgrep, limitMs = LIMIT_MS }: SearchSettings): Promise<Found> {
  const { findRipgrep, searchWithRipgrep } = await import('./ripgrep.ts');
  const program = ripgrep === 'none' ? undefined : (ripgrep ?? (await findRipgrep()));
  const found = program === undefined ? undefined : await searchWithRipgrep(program, plan, signal, limitMs);
  if (found !== undefined && found.kind !== 'unusable') return found;
  const { searchWithScript } = await import('./script-search.ts');
  return searchWithScript(plan, signal, limitMs);
}

function planOf(input: GrepInput, path: string, isFolder: boolean): SearchPlan {
  const mode = input.output_mode ?? 'files_with_matches';
  return {
    folder: isFolder ? path : dirname(path),
    file: isFolder ? undefined : basename(path),
    pattern: input.pattern,
    ignoreCase: input['-i'] ?? false,
    // A pattern that names a line end can match only across lines.
    across: input.multiline ? 'dots' : /(^|[^\\])(\\\\)*\\n|\n/.test(input.pattern) ? 'lines' : 'no',
    before: input['-B'] ?? input['-C'] ?? 0,
    after: input['-A'] ?? input['-C'] ?? 0,
    globs: partGlobs(input.glob ?? ''),
    type: input.type,
    mode,
    mostRows: mode === 'files_with_matches' ? MOST_ROWS : (input.offset ?? 0) + limitOf(input),
  };
}

function limitOf({ head_limit: limit }: GrepInput): number {
  return limit === 0 ? MOST_ROWS : (limit ?? HEAD_LIMIT);
}

type FoundRows = Found & { readonly kind: 'found' };

async function shown(found: FoundRows, input: GrepInput, context: ToolContext): Promise<string> {
  const { show } = workspaceOf(context);
  const sorted = await inOrder(found.rows);
  const from = input.offset ?? 0;
  const rows = sorted.slice(from, from + limitOf(input));
  const cut = found.more || sorted.length > from + rows.length;
  const notes = [
    cut ? `Only ${rows.length} shown; go on with offset ${from + rows.length}, or narrow the search.` : '',
    found.stopped === undefined ? '' : `Incomplete: the search was stopped ${found.stopped}. Name a smaller folder.`,
    ...found.notes,
  ].filter(Boolean);
  const head = rows.length > 0 ? [] : [sorted.length > 0 ? `Nothing is left behind offset ${from}.` : 'No matches found.'];
  return [...head, ...rows.map((row) => rowText(row, show, input['-n'] ?? true)), ...notes.map((note) => `[${note}]`)].join('\n');
}

async function inOrder(rows: readonly Row[]): Promise<readonly Row[]> {
  const files = rows.flatMap((row) => (row.kind === 'file' ? [row.path] : []));
  return files.length === 0 ? rows : (await newestFirst(files)).map((path) => ({ kind: 'file', path }));
}

function rowText(row: Row, show: (path: string) => string, numbers: boolean): string {
  if (row.kind === 'gap') return '--';
  if (row.kind === 'file') return show(row.path);
  if (row.kind === 'count') return `${show(row.path)}:${row.count}`;
  const mark = row.kind === 'match' ? ':' : '-';
  const text = row.text.length > LINE_CHARS ? `${row.text.slice(0, LINE_CHARS)}… [line cut]` : row.text;
  return `${show(row.path)}${mark}${numbers ? `${row.line}${mark}` : ''}${text}`;
}
