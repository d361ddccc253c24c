import type { Asker } from './asker.ts';
import type { HostEvent } from './host.ts';
import type { FilledOptions, FilledTurn } from './host-options.ts';
import type { HookBus } from './hooks.ts';
import type { Compactor } from './compaction.ts';
import type { OpenJournal, SavedSession } from './journal.ts';
import type { Mode } from './permission/decision.ts';
import type { RuleBook } from './permission/rule-book.ts';
import type { Pool, Turn } from './pool.ts';
import type { Reminder } from './reminders.ts';

/** What a session needs of its host. */
export interface SessionHost {
  readonly options: FilledOptions;
  readonly hooks: HookBus;
  /** What a turn that begins now can use, and what its calls are judged by. */
  readonly turn: (of: Pick<Turn, 'strategy' | 'contextTokens' | 'revealed' | 'sent'>) => OpenTurn;
  readonly emit: (event: HostEvent) => void;
  readonly journal: () => OpenJournal | undefined;
  readonly compactor: () => Compactor | undefined;
  readonly reminders: () => readonly Reminder[];
}

/** A turn that has begun. */
export interface OpenTurn {
  readonly pool: Pool;
  readonly book: RuleBook;
  readonly options: FilledTurn;
}

/** What makes a session other than the host's own. */
export interface SessionOptions {
  /** Instead of what the settings say; a mode nobody may choose is `default`. */
  readonly mode?: Mode | undefined;
  /** The type of the agent whose session it is; `main` unless given. */
  readonly agent?: string | undefined;
  /** Who answers questions in the mode `bubble`: the session that started this one. Nobody unless given. */
  readonly parent?: Asker | undefined;
  /** The one file that plan mode may write, absolute. */
  readonly planFile?: string | undefined;
  /** A session that is to be gone on with, under its own id. What cannot be used of it is left out. */
  readonly saved?: SavedSession | undefined;
}
