import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { causeText } from 'pegboard';
import { updateFile } from 'pegboard/kit';

/** A tool that was called after a query, and in which sessions. */
export interface Choice {
  /** The terms of the query, in one order. */
  readonly words: string;
  readonly tool: string;
  readonly sessions: readonly { readonly id: string; readonly at: number }[];
}

const VERSION = 1;
const EMPTY = JSON.stringify({ version: VERSION, choices: [] });
const MOST_CHOICES = 500;
const MOST_SESSIONS = 5;
const MOST_BYTES = 256 * 1024;
const MOST_AGE_MS = 90 * 24 * 60 * 60 * 1000;
/** One choice may have been a mistake. */
const SESSIONS_THAT_COUNT = 2;

/**
 * Which tools were called after which queries, in one file of a person's own. Several processes may write it at once; each sees what the
 * others wrote when it is next asked. It forgets what is old, and the oldest where there is too much.
 */
export class History {
  readonly file: string;
  #seen: { readonly stamp: string; readonly choices: readonly Choice[] } = { stamp: '', choices: [] };
  #line: Promise<unknown> = Promise.resolve();

  /** `folder` holds the file; it need not exist. */
  constructor(folder: string) {
    this.file = join(folder, 'history.json');
  }

  /** All that is kept. Throws for a file that cannot be read or holds something else. */
  choices(): readonly Choice[] {
    const stat = statSync(this.file, { throwIfNoEntry: false });
    const stamp = stat === undefined ? '' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
    if (stamp !== this.#seen.stamp)
      this.#seen = { stamp, choices: stat === undefined ? [] : parseHistory(readFileSync(this.file, 'utf8'), this.file) };
    return this.#seen.choices;
  }

  /** Of all sessions that used these words the share that called each tool; only tools that were called in more than one. */
  evidence(words: string, now: number): ReadonlyMap<string, number> {
    const own = this.choices().filter((choice) => choice.words === words);
    const counted = own.map(({ tool, sessions }) => [tool, sessions.filter(({ at }) => now - at < MOST_AGE_MS).length] as const);
    const all = counted.reduce((sum, [, count]) => sum + count, 0);
    return new Map(counted.filter(([, count]) => count >= SESSIONS_THAT_COUNT).map(([tool, count]) => [tool, count / all]));
  }

  /** Keeps one choice. A session counts once, however often it chose. */
  async add(words: string, tool: string, session: string, now: number): Promise<void> {
    const written = this.#line.then(() =>
      updateFile(this.file, (text) =>
        JSON.stringify({
          version: VERSION,
          choices: added(text === undefined ? [] : parseHistory(text, this.file), { words, tool, session, now }),
        }),
      ),
    );
    this.#line = written.catch(() => undefined);
    await written;
  }

  /** Forgets everything, under the lock that others write with: who writes meanwhile brings nothing back. Says whether there was something. */
  async clear(): Promise<boolean> {
    if (statSync(this.file, { throwIfNoEntry: false }) === undefined) return false;
    return (await updateFile(this.file, () => EMPTY)) === 'written';
  }
}

function added(
  choices: readonly Choice[],
  { words, tool, session, now }: { readonly words: string; readonly tool: string; readonly session: string; readonly now: number },
): readonly Choice[] {
  const isSame = (choice: Choice) => choice.words === words && choice.tool === tool;
  const before = choices.find(isSame)?.sessions ?? [];
  const sessions = [{ id: session, at: now }, ...before.filter(({ id }) => id !== session)].slice(0, MOST_SESSIONS);
  const young = choices
    .filter((choice) => !isSame(choice))
    .map((choice) => ({ ...choice, sessions: choice.sessions.filter(({ at }) => now - at < MOST_AGE_MS) }));
  const kept = [{ words, tool, sessions }, ...young.filter((choice) => choice.sessions.length > 0)].slice(0, MOST_CHOICES);
  while (kept.length > 1 && Buffer.byteLength(JSON.stringify(kept)) > MOST_BYTES) kept.length = Math.floor(kept.length * 0.9);
  return kept;
}

/** The choices of a file, newest first. Throws a sentence that says what is wrong and how to mend it. */
function parseHistory(text: string, file: string): readonly Choice[] {
  let value: { readonly version?: unknown; readonly choices?: unknown } | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch (cause) {
    throw new Error(`${file} cannot be used: ${causeText(cause)}. ${MEND}`, { cause });
  }
  if (value?.version !== VERSION || !Array.isArray(value.choices) || !value.choices.every(isChoice))
    throw new Error(`${file} cannot be used: it is no history of searches. ${MEND}`);
  return value.choices;
}

const MEND = 'Nothing is learnt until it is mended, or removed with `pegboard search-history clear`.';

function isChoice(value: unknown): value is Choice {
  const { words, tool, sessions } = (value ?? {}) as Partial<Record<keyof Choice, unknown>>;
  return (
    typeof words === 'string' &&
    typeof tool === 'string' &&
    Array.isArray(sessions) &&
    sessions.every((each: Partial<Choice['sessions'][number]> | null) => typeof each?.id === 'string' && typeof each.at === 'number')
  );
}
