/** A named place for one value of a session: the only memory a tool has (M1.1). */
export interface StateSlot<Value> {
  readonly name: string;
  readonly initial: () => Value;
}

/** Names a slot. Each session makes its own value, when it is first read. */
export function defineState<Value>(name: string, initial: () => Value): StateSlot<Value> {
  return { name, initial };
}

/** The slots of one session. Two slots of one name would share a value unseen, so a slot is known by itself, not by its name. */
export class StateStore {
  readonly #values = new Map<StateSlot<unknown>, unknown>();

  get<Value>(slot: StateSlot<Value>): Value {
    if (!this.#values.has(slot)) this.#values.set(slot, slot.initial());
    return this.#values.get(slot) as Value;
  }
}
