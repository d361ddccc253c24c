import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { FSWatcher } from 'chokidar';
import { causeText, PegboardError } from 'pegboard';
import { isWithin } from 'pegboard/kit';

import type { Document } from './document.ts';
import type { Problem } from './layer.ts';
import { MANAGED_FILE } from './managed-file.ts';
import { byCodeUnit } from './object.ts';
import { readKeeping, type ReadOptions, type Settings } from './read-settings.ts';
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
  const lastGood = new Map<string, Document>();
  const live = new Live(options, told, await readKeeping(options, lastGood), lastGood);
  await live.open();
  return live;
}

class Live implements LiveSettings {
  current: Settings;
  readonly #options: ReadOptions;
  readonly #told: (news: SettingsNews) => void;
  readonly #lastGood: Map<string, Document>;
  #watcher: FSWatcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** One reading after the other; a change during one means one more. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: ReadOptions, told: (news: SettingsNews) => void, first: Settings, lastGood: Map<string, Document>) {
    this.#options = options;
    this.#told = told;
    this.#lastGood = lastGood;
    this.current = first;
  }

  async open(): Promise<void> {
    const { watch } = await import('chokidar');
    const wanted = new Set(filesOf(this.#options, this.current));
    const folders = [...new Set([...wanted].map((file) => dirname(file)))];
    const ignored = (path: string) => !wanted.has(path) && !folders.some((folder) => isWithin(path, folder));
    const watcher = watch([...new Set(folders.map(nearestExisting))], { ignored, ignoreInitial: true, persistent: false });
    this.#watcher = watcher;
    watcher.on('all', (_event, path) => {
      if (wanted.has(path) || folders.includes(path)) this.#soon();
    });
    watcher.on('error', (cause) => this.#lost(cause));
    await new Promise<void>((ready) => void watcher.once('ready', ready));
    // What changed while the watch was being set up would go unseen.
    this.#soon();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    await this.#reading;
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
      this.#reading = this.#reading.then(() => this.#readAgain());
    }, SETTLE_MS);
  }

  async #readAgain(): Promise<void> {
    const before = this.current;
    const settings = await readKeeping(this.#options, this.#lastGood);
    this.current = settings;
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

/** Every file whose change can change the settings. */
function filesOf({ home, cwd, managed = MANAGED_FILE, flags }: ReadOptions, { project, layers }: Settings): readonly string[] {
  const inProject = [
    '.pegboard/settings.json',
    '.pegboard/settings.local.json',
    '.mcp.json',
    '.claude/settings.json',
    '.claude/settings.local.json',
  ];
  return [
    managed.file,
    ...['settings.json', 'trust.json', 'approvals.json'].map((name) => join(home, name)),
    ...[...inProject, ...SEARCH_PLACES].map((name) => join(project.folder, name)),
    ...layers.map(({ source }) => source).filter(isAbsolute),
    ...(flags?.settings === undefined || flags.settings.trimStart().startsWith('{') ? [] : [resolve(cwd, flags.settings)]),
  ].map((file) => resolve(file));
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}
