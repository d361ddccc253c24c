import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { FSWatcher } from 'chokidar';
import { causeText, PegboardError } from 'pegboard';
import { isWithin } from 'pegboard/kit';

import type { Sheet } from './entry.ts';
import { findProject } from './find-project.ts';
import type { Problem } from './layer.ts';
import { MANAGED_FILE } from './managed-file.ts';
import { byCodeUnit } from './object.ts';
import { readKeeping, type ReadOptions, type Settings } from './read-settings.ts';
import { realOf } from './repository.ts';
import { SEARCH_PLACES } from './search-places.data.ts';

/** What a change on disk led to. */
export interface SettingsNews {
  readonly settings: Settings;
  /** Keys whose value or items changed, sorted. */
  readonly changed: readonly string[];
  /** Files that are broken now and count as they last were; or that changes are no longer noticed. */
  readonly kept: readonly Problem[];
}

/** Settings that follow their files. */
export interface LiveSettings {
  /** The newest good state: take it at the start of a turn. */
  readonly current: Settings;
  close(): Promise<void>;
}

/** Several files of one change, and a file that is written in pieces, are one change. */
const SETTLE_MS = 50;

/** Follows the files of all layers, also those that are not there yet. `told` hears of each change once it has been read. */
export async function watchSettings(options: ReadOptions, told: (news: SettingsNews) => void): Promise<LiveSettings> {
  const lastGood = new Map<string, Sheet>();
  const live = new Live(options, told, await readKeeping(options, lastGood), lastGood);
  await live.open();
  return live;
}

class Live implements LiveSettings {
  current: Settings;
  readonly #options: ReadOptions;
  readonly #told: (news: SettingsNews) => void;
  readonly #lastGood: Map<string, Sheet>;
  #watcher: FSWatcher | undefined;
  #wanted: ReadonlySet<string>;
  #folders: readonly string[];
  readonly #watched: Set<string>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  /** One reading after the other; a change during one means one more. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: ReadOptions, told: (news: SettingsNews) => void, first: Settings, lastGood: Map<string, Sheet>) {
    this.#options = options;
    this.#told = told;
    this.#lastGood = lastGood;
    this.current = first;
    this.#wanted = filesOf(options, first);
    this.#folders = foldersOf(this.#wanted);
    this.#watched = new Set(this.#wanted);
  }

  async open(): Promise<void> {
    const { watch } = await import('chokidar');
    const isWanted = (path: string) => this.#wanted.has(path) || this.#folders.some((folder) => isWithin(path, folder));
    const watcher = watch([], { ignored: (path) => !isWanted(path), ignoreInitial: true, persistent: false });
    this.#watcher = watcher;
    watcher.on('all', (_event, path) => {
      if (isWanted(path)) this.#soon();
    });
    watcher.on('error', (cause) => this.#lost(cause));
    const ready = new Promise<void>((done) => void watcher.once('ready', done));
    this.#watchAll();
    await ready;
    // What changed while the watch was being set up would go unseen.
    this.#soon();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#reading;
    await this.#watcher?.close();
  }

  /** Of a folder that is not there yet the nearest one above it that is. A file that was there before it was wanted is not noticed by way of its folder. */
  #watchAll(): void {
    const paths = [...this.#folders.map(nearestExisting), ...this.#wanted];
    const added = [...new Set(paths)].filter((path) => !this.#watched.has(path));
    added.forEach((path) => this.#watched.add(path));
    if (added.length > 0) this.#watcher?.add(added);
  }

  /** The system watches no more files, or may not look at one. */
  #lost(cause: unknown): void {
    const error = new PegboardError('SETTINGS_WATCH', { cause: causeText(cause) }, { cause });
    const place = { layer: 'default', source: this.current.project.folder } as const;
    this.#told({ settings: this.current, changed: [], kept: [{ costs: 'notice', error, place }] });
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reading = this.#reading.then(() => this.#readAgain()).catch((cause: unknown) => this.#lost(cause));
    }, SETTLE_MS);
  }

  async #readAgain(): Promise<void> {
    const before = this.current;
    const settings = await readKeeping(this.#options, this.#lastGood);
    if (this.#closed) return;
    this.current = settings;
    this.#wanted = filesOf(this.#options, settings);
    this.#folders = foldersOf(this.#wanted);
    this.#watchAll();
    const kept = settings.problems.filter(({ place }) =>
      settings.layers.some(({ source, state }) => source === place.source && state.kind === 'kept'),
    );
    const keys = [...new Set([...before.keys, ...settings.keys])].sort(byCodeUnit);
    const changed = keys.filter((key) => !isDeepStrictEqual(before.explain(key), settings.explain(key)));
    if (changed.length > 0 || kept.length > 0 || !isDeepStrictEqual(plain(before), plain(settings)))
      this.#told({ settings, changed, kept });
  }
}

/** What of settings can differ without a key that does. */
function plain({ layers, servers, project, problems }: Settings): unknown {
  return [layers.map(({ source, state }) => [source, state.kind]), servers, project, problems.map(({ error }) => error.message)];
}

const IN_FOLDER = [
  '.pegboard/settings.json',
  '.pegboard/settings.local.json',
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  ...SEARCH_PLACES,
];

/** Every file whose change can change the settings, and what a link among them leads to. */
function filesOf({ home, cwd, managed = MANAGED_FILE, flags }: ReadOptions, { layers }: Settings): ReadonlySet<string> {
  const { folder, around } = findProject(cwd, home);
  const files = [
    managed.file,
    ...['settings.json', 'trust.json', 'approvals.json'].map((name) => join(home, name)),
    ...[folder, ...around].flatMap((each) => IN_FOLDER.map((name) => join(each, name))),
    ...layers.map(({ source }) => source).filter(isAbsolute),
    ...(flags?.settings === undefined || flags.settings.trimStart().startsWith('{') ? [] : [resolve(cwd, flags.settings)]),
  ].map((file) => resolve(file));
  return new Set([...files, ...files.filter((file) => existsSync(file)).map(realOf)]);
}

function foldersOf(files: Iterable<string>): readonly string[] {
  return [...new Set([...files].map((file) => dirname(file)))];
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}
