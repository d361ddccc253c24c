import type { Mode } from './permission/decision.ts';
import { defineState, type StateSlot } from './state.ts';

/** What a reminder may look at. */
export interface ReminderPlace {
  readonly mode: Mode;
  /** The one file that plan mode may write, if there is one. */
  readonly planFile: string | undefined;
  /** Milliseconds since 1970, by the host's clock. */
  readonly now: number;
  readonly branch: string | undefined;
  /** How much fits into one request. */
  readonly contextTokens: number;
  state<Value>(slot: StateSlot<Value>): Value;
}

/** The whole of what the model is to keep in mind, and perhaps a shorter form of it. */
export interface Snapshot {
  readonly full: string;
  readonly sparse?: string | undefined;
}

/** Something the model is shown again and again as it stands: snapshots, never deltas (M9.2). Contributed at the point `reminder`. */
export interface Reminder {
  readonly name: string;
  /** As it stands now; nothing when there is nothing to keep in mind. */
  snapshot(place: ReminderPlace): Snapshot | undefined;
  /**
   * `at once`: when it begins and whenever it changes. `later`: not before it has stood unchanged for some turns, because the
   * model itself has just written it.
   */
  readonly shows: 'at once' | 'later';
  /** Turns between two showings of the same; 10 unless given, `Infinity` for never again. */
  readonly everyTurns?: number | undefined;
  /** Said once where it was shown and there is nothing to keep in mind any more. */
  readonly over?: string | undefined;
}

const EVERY_TURNS = 10;
/** Every so many showings of the same it is shown in full again. */
const FULL_EVERY = 5;

/** What is remembered of one reminder. */
interface Shown {
  /** In full, as it stood at the last turn. */
  readonly text: string;
  /** The turn it was last shown or changed. */
  readonly turn: number;
  /** How often this has been shown since it changed. */
  readonly times: number;
}

/** What a session remembers of its reminders, kept with it so that a resumed one repeats nothing. */
const memory = defineState<{ turn: number; shown: Readonly<Record<string, Shown>> }>('reminders', () => ({ turn: 0, shown: {} }), {
  write: ({ turn, shown }) => JSON.parse(JSON.stringify({ turn, shown })) as never,
  read: (kept) => kept as never,
});

/**
 * What the next request reminds of, each a block of its own for the newest user message, where it then stays. `anew` is the first
 * request of an epoch: whatever was shown before may be gone, so all of it is shown in full. Call it once per request.
 */
export function dueReminders(
  reminders: readonly Reminder[],
  place: ReminderPlace,
  anew: boolean,
  report: (reminder: string, cause: unknown) => void,
): readonly string[] {
  const remembered = place.state(memory);
  const turn = ++remembered.turn;
  const shown: Record<string, Shown> = {};
  const texts = reminders.flatMap((reminder) => {
    const before = remembered.shown[reminder.name];
    const snapshot = taken(reminder, place, report);
    if (snapshot === undefined) return before && before.times > 0 && reminder.over !== undefined ? [wrapped(reminder.over)] : [];
    const changed = before?.text !== snapshot.full;
    const quiet = turn - (before?.turn ?? turn) < (reminder.everyTurns ?? EVERY_TURNS);
    const due = (anew && turn > 1) || (changed ? reminder.shows === 'at once' : !quiet);
    const times = changed ? 0 : (before?.times ?? 0);
    shown[reminder.name] = { text: snapshot.full, turn: due || changed ? turn : (before?.turn ?? turn), times: times + (due ? 1 : 0) };
    if (!due) return [];
    return [wrapped(!anew && times % FULL_EVERY !== 0 ? (snapshot.sparse ?? snapshot.full) : snapshot.full)];
  });
  remembered.shown = shown;
  return texts;
}

/** A reminder that fails is as if there were nothing to keep in mind. */
function taken(reminder: Reminder, place: ReminderPlace, report: (reminder: string, cause: unknown) => void): Snapshot | undefined {
  try {
    return reminder.snapshot(place);
  } catch (cause) {
    report(reminder.name, cause);
    return undefined;
  }
}

/** What stands in a reminder may come from anywhere: it cannot end the tag it stands in. */
function wrapped(text: string): string {
  return `<system-reminder>\n${text.replaceAll(/<\/?system-reminder/gi, '')}\n</system-reminder>`;
}

/** Keeps in mind that only looking is allowed (M9.3). */
export const planReminder: Reminder = {
  name: 'plan mode',
  shows: 'at once',
  everyTurns: 5,
  snapshot: ({ mode, planFile }) => {
    if (mode !== 'plan') return undefined;
    const but = planFile === undefined ? '' : ` The one file you may write is the plan, ${planFile}.`;
    return {
      full: `Plan mode is on. Look around, ask what is unclear, and work out a plan; change nothing: no files, no settings, nothing outside.${but} What changes something is asked about, whatever else is allowed. When the plan is ready, present it and wait until the person takes it.`,
      sparse: `Plan mode is still on: change nothing.${but}`,
    };
  },
  over: 'Plan mode is off: what you may do is what the person allows again.',
};
