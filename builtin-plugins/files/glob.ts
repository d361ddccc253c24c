import { readdir, lstat, stat } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { defineTool, errorResult, textResult, type ToolContext, type ToolResult } from 'pegboard';
import { isWithin, jsonSchema } from 'pegboard/kit';
import type { GlobOptions } from 'tinyglobby';

import { CONTROL_FOLDERS, ignoreRulesAt, type IgnoreRules } from './ignore-rules.ts';
import { allowInside, hiddenOf, missingSentence, pathComplaint, workspaceOf } from './place.ts';
import { globArea, patternComplaint } from './search-area.ts';

export interface GlobInput {
  readonly pattern: string;
  readonly path?: string;
}

const MOST_SHOWN = 100;
const TIME_LIMIT_MS = 20_000;

/** Finds files by their names, the newest first. It never follows links to folders and leaves out what `.gitignore` leaves out. */
export const glob = defineTool<GlobInput>({
  name: 'Glob',
  description: [
    'Finds files whose path matches a glob pattern such as "**/*.ts" or "src/**/*.{css,scss}", the most recently changed first.',
    `At most ${MOST_SHOWN} are listed. Hidden files count; files that .gitignore leaves out do not, unless \`path\` names their folder; links to folders are not followed.`,
    'To search for what stands in files use Grep.',
  ].join(' '),
  searchHint: 'find or list local files by name pattern or extension',
  kind: 'search',
  ruleNames: ['Read'],
  input: jsonSchema<GlobInput>({
    type: 'object',
    properties: {
      pattern: { type: 'string', description: 'Glob pattern of the wanted files' },
      path: { type: 'string', description: 'Folder to search in; the working folder if left out' },
    },
    required: ['pattern'],
    additionalProperties: false,
  }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  fileRules: ['Read'],
  reads: ({ pattern, path }) => [{ kind: 'file', path: globArea(pattern, path, (each) => each).folder }],
  validateInput: async ({ pattern, path }) => patternComplaint(pattern) ?? (path === undefined ? undefined : pathComplaint(path)),
  checkPermissions: ({ pattern, path }, context) => allowInside(globArea(pattern, path, workspaceOf(context).resolve).folder, context),
  display: { activity: ({ pattern }) => `Finding ${pattern}`, summary: ({ pattern }) => pattern },
  call: findFiles,
});

async function findFiles(input: GlobInput, context: ToolContext): Promise<ToolResult> {
  const area = globArea(input.pattern, input.path, workspaceOf(context).resolve);
  const refused = await folderComplaint(area.folder);
  if (refused !== undefined) return errorResult(refused);
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const found = new Set<string>();
  const { glob: crawl } = await import('tinyglobby');
  const paths = await crawl(area.pattern, {
    cwd: area.folder,
    dot: true,
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    signal: AbortSignal.any([context.signal, limit]),
    fs: { readdir: visibleEntries(area.folder, await ignoreRulesAt(area.folder)) },
  });
  const hidden = await hiddenOf(paths, context);
  for (const path of paths) if (isWithin(area.folder, path) && !hidden.has(path)) found.add(path);
  context.signal.throwIfAborted();
  return textResult(await listing([...found], input, area.folder, context, limit.aborted));
}

async function listing(
  paths: readonly string[],
  input: GlobInput,
  folder: string,
  context: ToolContext,
  incomplete: boolean,
): Promise<string> {
  const workspace = workspaceOf(context);
  const note = incomplete ? `[Incomplete: the search was stopped after ${TIME_LIMIT_MS / 1_000} s. Name a smaller folder.]` : '';
  if (paths.length === 0)
    return [`No file in ${workspace.show(folder)} matches ${input.pattern}. Files that .gitignore leaves out were not looked at.`, note]
      .filter(Boolean)
      .join('\n');
  const newest = await newestFirst(paths);
  const rest = newest.length - MOST_SHOWN;
  const more = rest > 0 ? `[${rest} more match. Use a narrower pattern or path to see them.]` : '';
  return [...newest.slice(0, MOST_SHOWN).map((path) => workspace.show(path)), more, note].filter(Boolean).join('\n');
}

/** By time of change, equal times by path, so that the same tree gives the same answer. */
export async function newestFirst(paths: readonly string[]): Promise<readonly string[]> {
  const times = new Map<string, number>();
  const statOf = promisify(lstat);
  for (let at = 0; at < paths.length; at += 256) {
    await Promise.all(
      paths.slice(at, at + 256).map(async (path) => {
        times.set(
          path,
          await statOf(path).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          ),
        );
      }),
    );
  }
  return [...paths].sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1));
}

async function folderComplaint(folder: string): Promise<string | undefined> {
  const facts = await promisify(stat)(folder).catch(() => undefined);
  if (facts === undefined) return missingSentence(folder);
  return facts.isDirectory() ? undefined : `${folder} is not a folder. Give the folder to search in as \`path\`.`;
}

/** A look into folders that leaves out what is ignored, so that the crawl never goes there. */
function visibleEntries(root: string, rootRules: IgnoreRules): NonNullable<NonNullable<GlobOptions['fs']>['readdir']> {
  const known = new Map<string, Promise<IgnoreRules>>([[root, Promise.resolve(rootRules)]]);
  const rulesAt = (folder: string): Promise<IgnoreRules> => {
    const rules =
      known.get(folder) ??
      (dirname(folder) === folder ? Promise.resolve(rootRules) : rulesAt(dirname(folder)).then((above) => above.enter(folder)));
    known.set(folder, rules);
    return rules;
  };
  const inControl = CONTROL_FOLDERS.some((name) => root.split('/').includes(name));
  const look = async (given: string) => {
    const folder = given.length > 1 ? given.replace(/[/\\]$/, '') : given;
    const [entries, rules] = await Promise.all([promisify(readdir)(folder, { withFileTypes: true }), rulesAt(folder)]);
    return entries.filter(
      (entry) =>
        !rules.hides(join(folder, entry.name), entry.isDirectory()) &&
        (inControl || !entry.isDirectory() || !CONTROL_FOLDERS.some((name) => name === basename(entry.name))),
    );
  };
  return ((folder: string, _options: unknown, done: (cause: unknown, entries?: unknown) => void) => {
    look(folder).then(
      (entries) => done(null, entries),
      (cause: unknown) => done(cause),
    );
  }) as NonNullable<NonNullable<GlobOptions['fs']>['readdir']>;
}
