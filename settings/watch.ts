import type { Problem } from './layer.ts';
import type { ReadOptions, Settings } from './read-settings.ts';

/** What a change on disk led to. `kept` lists files that are broken now and count as they last were. */
export interface SettingsNews {
  readonly settings: Settings;
  /** Keys whose value changed, sorted. */
  readonly changed: readonly string[];
  readonly kept: readonly Problem[];
}

/** Settings that follow their files. */
export interface LiveSettings {
  /** The newest good state: take it at the start of a turn. */
  readonly current: Settings;
  close(): Promise<void>;
}

/** Follows the files of all layers, also those that are not there yet. `told` hears of each change once it has been read. */
export declare function watchSettings(options: ReadOptions, told: (news: SettingsNews) => void): Promise<LiveSettings>;
