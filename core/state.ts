import type { JsonValue } from './schema.ts';

/** A named place for one value of a session: the only memory a tool has (M1.1). */
export interface StateSlot<Value> {
  readonly name: string;
  readonly initial: () => Value;
  /** How the value is kept with the session; without this it ends with the process. */
  readonly saved?: SavedForm<Value> | undefined;
}

/** A value as JSON and back. What is read may come from an older version or a broken file: `read` throws for what it cannot use. */
export interface SavedForm<Value> {
  write(value: Value): JsonValue;
  read(kept: JsonValue): Value;
}

/** Names a slot. Each session makes its own value, when it is first read; with `saved` it is there again when the session is resumed. */
export function defineState<Value>(name: string, initial: () => Value, saved?: SavedForm<Value>): StateSlot<Value> {
  return { name, initial, saved };
}

interface Held {
  readonly value: unknown;
  /** As it was last written down. */
  written: string | undefined;
}

/** The slots of one session. Two slots of one name would share a value unseen, so a slot is known by itself, not by its name. */
export class StateStore {
  readonly #values = new Map<StateSlot<unknown>, Held>();
  readonly #kept: ReadonlyMap<string, JsonValue>;

  /** `kept` are the values an earlier run of the session has written down, by slot name. */
  constructor(kept: ReadonlyMap<string, JsonValue> = new Map()) {
    this.#kept = kept;
  }

  get<Value>(slot: StateSlot<Value>): Value {
    let held = this.#values.get(slot);
    if (held === undefined) this.#values.set(slot, (held = this.#open(slot)));
    return held.value as Value;
  }

  /** The saved slots that are not as they were when this was last called. */
  changes(): readonly { readonly slot: string; readonly value: JsonValue }[] {
    return [...this.#values].flatMap(([{ name, saved }, held]) => {
      if (saved === undefined) return [];
      const value = saved.write(held.value);
      const text = JSON.stringify(value);
      if (text === held.written) return [];
      held.written = text;
      return [{ slot: name, value }];
    });
  }

  #open<Value>({ name, initial, saved }: StateSlot<Value>): Held {
    const kept = this.#kept.get(name);
    try {
      if (saved !== undefined && kept !== undefined) return { value: saved.read(kept), written: JSON.stringify(kept) };
    } catch {
      // What cannot be read is as if it had not been kept.
    }
    const value = initial();
    return { value, written: saved && JSON.stringify(saved.write(value)) };
  }
}
