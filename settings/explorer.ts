import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

import type { Loader } from 'cosmiconfig';

import { parseDocument } from './document.ts';
import { own } from './object.ts';
import { readText, type FileText } from './read-text.ts';
import { SEARCH_PLACES } from './search-places.data.ts';

/** A file that holds settings of this host: as text, not yet understood. */
export interface FoundFile {
  readonly file: string;
  readonly text: string;
  /** Where it really is, links followed. */
  readonly real: string;
  /** A script must run to say anything. */
  readonly format: 'json' | 'yaml' | 'script';
  /** Where in the file they stand: `pegboard` in a package.json. */
  readonly within: readonly string[];
}

/** What a folder holds under this host's name, in the order in which it counts. */
export interface Exploration {
  readonly found: readonly FoundFile[];
  readonly unreadable: readonly { readonly file: string; readonly cause: string }[];
  /** Files without a word in them. */
  readonly blank: readonly string[];
}

/**
 * All that cosmiconfig would take in a folder, not its first find alone: that one must not hide the deny rules of another. Nothing is
 * run, and nothing of the project decides how it is looked for. Throws what the package throws.
 */
export async function explore(folder: string): Promise<Exploration> {
  const texts = new Map<string, Readable>();
  const unreadable: { readonly file: string; readonly cause: string }[] = [];
  for (const file of SEARCH_PLACES.map((place) => join(folder, place))) {
    const read = await readText(file);
    if (read.kind === 'unreadable') unreadable.push({ file, cause: read.cause });
    if (read.kind === 'text') texts.set(file, read);
  }
  const [blank, said] = [
    [...texts.keys()].filter((file) => isBlank(texts, file)),
    [...texts.keys()].filter((file) => !isBlank(texts, file)),
  ];
  return { found: said.some((file) => mayHold(file, texts)) ? await search(folder, said, texts) : [], unreadable, blank };
}

type Readable = FileText & { readonly kind: 'text' };

function isBlank(texts: ReadonlyMap<string, Readable>, file: string): boolean {
  return texts.get(file)?.text.trim() === '';
}

/** Spares loading the package where there is nothing to find. */
function mayHold(file: string, texts: ReadonlyMap<string, Readable>): boolean {
  return !basename(file).startsWith('package.') || /\bpegboard\b/.test(texts.get(file)?.text ?? '');
}

/** Each file is put down as it comes by, and none is said to be the one, so that the search goes on to the last. */
async function search(folder: string, files: readonly string[], texts: ReadonlyMap<string, Readable>): Promise<readonly FoundFile[]> {
  const { cosmiconfig } = await import('cosmiconfig');
  const found: FoundFile[] = [];
  const loader: Loader = async (file) => {
    // Of what the package has read itself nobody knows where it lay.
    const read = texts.get(file);
    const each = read && (await foundFile(file, read));
    if (each) found.push(each);
    return basename(file).startsWith('package.') ? {} : null;
  };
  const searchPlaces = files.map((file) => relative(folder, file));
  const loaders = Object.fromEntries(SEARCH_PLACES.map((place) => [extname(place) || 'noExt', loader]));
  const explorer = elsewhere(() =>
    cosmiconfig('pegboard', { searchPlaces, loaders, cache: false, searchStrategy: 'none', mergeSearchPlaces: false }),
  );
  await explorer.search(folder);
  return found;
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

/** A package file without a word of ours holds nothing. */
async function foundFile(file: string, { text, real }: Readable): Promise<FoundFile | undefined> {
  const format = formatOf(file, text);
  if (!basename(file).startsWith('package.')) return { file, text, real, format, within: [] };
  const parsed = format === 'script' ? undefined : await parseDocument(text, format);
  // Of a broken one nobody knows what its settings were, a deny among them: it is told as broken, not passed over.
  const none = parsed?.kind === 'ok' ? own(parsed.document.value, 'pegboard') === undefined : !/\bpegboard\b/.test(text);
  return none ? undefined : { file, text, real, format, within: ['pegboard'] };
}

/** How a file is to be read, by its ending; one without is JSON if it begins like it. */
export function formatOf(file: string, text: string): FoundFile['format'] {
  if (/\.[cm]?[jt]s$/.test(file)) return 'script';
  if (file.endsWith('.json')) return 'json';
  return /\.ya?ml$/.test(file) || !/^\s*(\{|\/[/*])/.test(text) ? 'yaml' : 'json';
}
