import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

import type { Loader } from 'cosmiconfig';

import { parseDocument } from './document.ts';
import { own } from './object.ts';
import { readText } from './read-text.ts';
import { SEARCH_PLACES } from './search-places.data.ts';

/** A file that holds settings of this host: as text, not yet understood. */
export interface FoundFile {
  readonly file: string;
  readonly text: string;
  /** A script must run to say anything. */
  readonly format: 'json' | 'yaml' | 'script';
  /** Where in the file they stand: `pegboard` in a package.json. */
  readonly within: readonly string[];
}

/**
 * What cosmiconfig finds in a folder under this host's name; nothing is run, and nothing of the project decides how it is looked for.
 * Throws what reading throws.
 */
export async function explore(folder: string): Promise<FoundFile | undefined> {
  if (!(await mayHold(folder))) return undefined;
  const { cosmiconfig } = await import('cosmiconfig');
  const loader: Loader = (file, text) => foundFile(file, text);
  const loaders = Object.fromEntries(SEARCH_PLACES.map((place) => [extname(place) || 'noExt', loader]));
  const explorer = elsewhere(() =>
    cosmiconfig('pegboard', { searchPlaces: [...SEARCH_PLACES], loaders, cache: false, searchStrategy: 'none', mergeSearchPlaces: false }),
  );
  const found = await explorer.search(folder);
  return found?.config as FoundFile | undefined;
}

/** Spares loading the package where there is nothing to find, and having it wait for ever for a pipe that is named like a file. */
async function mayHold(folder: string): Promise<boolean> {
  let holds = false;
  for (const place of SEARCH_PLACES) {
    const found = await readText(join(folder, place));
    if (found.kind === 'unreadable') throw new Error(`${place}: ${found.cause}`);
    holds ||= found.kind === 'text' && (!place.startsWith('package.') || /\bpegboard\b/.test(found.text));
  }
  return holds;
}

/**
 * The package reads settings of its own from the working directory while an explorer is made, and runs them if they are a script: so
 * it is made in an empty folder. Nothing else runs in between.
 */
function elsewhere<Made>(make: () => Made): Made {
  if (!isMainThread) throw new Error('settings files other than .pegboard/ cannot be looked for safely in a worker thread');
  const before = process.cwd();
  const empty = mkdtempSync(join(tmpdir(), 'pegboard-'));
  try {
    process.chdir(empty);
    return make();
  } finally {
    process.chdir(before);
    rmdirSync(empty);
  }
}

/** Wrapped, so that cosmiconfig sees none of the file's keys and follows no `$import` in it. */
async function foundFile(file: string, text: string): Promise<unknown> {
  const format = formatOf(file, text);
  if (!basename(file).startsWith('package.')) return { file, text, format, within: [] } satisfies FoundFile;
  const parsed = format === 'script' ? undefined : await parseDocument(text, format);
  // Of a broken one nobody knows what its settings were, a deny among them: it is told as broken, not passed over.
  const none = parsed?.kind === 'ok' ? own(parsed.document.value, 'pegboard') === undefined : !/\bpegboard\b/.test(text);
  return none ? {} : { pegboard: { file, text, format, within: ['pegboard'] } satisfies FoundFile };
}

/** How a file is to be read, by its ending; one without is JSON if it begins like it. */
export function formatOf(file: string, text: string): FoundFile['format'] {
  if (/\.[cm]?[jt]s$/.test(file)) return 'script';
  if (file.endsWith('.json')) return 'json';
  return /\.ya?ml$/.test(file) || !/^\s*(\{|\/[/*])/.test(text) ? 'yaml' : 'json';
}
