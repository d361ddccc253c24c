import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import type { FSWatcher } from 'chokidar';
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
  /** Files that are broken now and count as they last were. */
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
  const live = new Live(options, told);
  await live.open();
  return live;
}

class Live implements LiveSettings {
  readonly #options: ReadOptions;
  readonly #told: (news: SettingsNews) => void;
  readonly #lastGood = new Map<string, Document>();
  #current: Settings | undefined;
  #watcher: FSWatcher | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** One reading after the other; a change during one means one more. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: ReadOptions, told: (news: SettingsNews) => void) {
    this.#options = options;
    this.#told = told;
  }

  get current(): Settings {
    if (this.#current === undefined) throw new Error('open() was not called');
    return this.#current;
  }

  async open(): Promise<void> {
    const { watch } = await import('chokidar');
    this.#current = await readKeeping(this.#options, this.#lastGood);
    const wanted = new Set(filesOf(this.#options, this.#current));
    const folders = [...new Set([...wanted].map((file) => dirname(file)))];
    const ignored = (path: string) => !wanted.has(path) && !folders.some((folder) => isWithin(path, folder));
    const roots = folders.map(nearestExisting);
    this.#watcher = watch([...new Set(roots)], { ignored, ignoreInitial: true, persistent: false });
    this.#watcher.on('all', (_event, path) => {
      if (wanted.has(path) || folders.includes(path)) this.#soon();
    });
    await new Promise<void>((ready) => void this.#watcher?.once('ready', ready));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#watcher?.close();
    await this.#reading;
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
    this.#current = settings;
    const kept = settings.problems.filter(({ place }) =>
      settings.layers.some(({ source, state }) => source === place.source && state.kind === 'kept'),
    );
    const keys = [...new Set([...before.keys, ...settings.keys])].sort(byCodeUnit);
    const changed = keys.filter((key) => !isDeepStrictEqual(before.explain(key), settings.explain(key)));
    const same = (['layers', 'servers', 'project'] as const).every((part) => isDeepStrictEqual(before[part], settings[part]));
    if (changed.length > 0 || kept.length > 0 || !same) this.#told({ settings, changed, kept });
  }
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
