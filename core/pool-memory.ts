import type { FilledTurn } from './host-options.ts';
import { SWITCHED_OFF, turnFacts, type Place, type Pool, type Turn } from './pool.ts';
import type { Source } from './registry.ts';
import { alwaysEnabled, type TurnFacts } from './tool.ts';

/** What differs from one session to the next. */
type Of = Pick<Turn, 'strategy' | 'contextTokens' | 'revealed' | 'sent'>;

/** Everything a pool is made of. */
interface Made {
  readonly sources: readonly Source[];
  readonly shape: FilledTurn;
  readonly of: Of;
  readonly revealed: readonly string[];
  readonly sentSize: number | undefined;
  readonly facts: TurnFacts;
  /** Tools that may be switched on or off by something nobody here knows of. */
  readonly asked: readonly Place[];
  readonly pool: Pool;
}

/**
 * Gives the pool of the turn before while assembling it anew would give the same: a call in a pool of thousands need not pay for it.
 * Each session, known by its own list of what was revealed, has one.
 */
export class PoolMemory {
  readonly #made = new WeakMap<Of['revealed'], Made>();

  recall(sources: readonly Source[], shape: FilledTurn, of: Of, assemble: () => Pool): Pool {
    const before = this.#made.get(of.revealed);
    if (before && isSame(before, sources, shape, of)) return before.pool;
    const pool = assemble();
    const asked = pool.places.filter(({ tool, state }) => state !== 'lost' && tool.isEnabled !== alwaysEnabled);
    const facts = turnFacts(shape.features);
    this.#made.set(of.revealed, { sources, shape, of, revealed: [...of.revealed], sentSize: of.sent?.size, facts, asked, pool });
    return pool;
  }
}

function isSame(before: Made, sources: readonly Source[], shape: FilledTurn, of: Of): boolean {
  return (
    before.sources === sources &&
    isSameShape(before.shape, shape) &&
    before.of.strategy === of.strategy &&
    before.of.contextTokens === of.contextTokens &&
    before.of.sent === of.sent &&
    before.sentSize === of.sent?.size &&
    isSameList(before.revealed, [...of.revealed]) &&
    before.asked.every((place) => isAsBefore(place, before.facts))
  );
}

/** Rules are many and a preset may be anything: other ones are another shape. The rest is small, and mostly the same objects. */
function isSameShape(before: FilledTurn, now: FilledTurn): boolean {
  return (Object.keys(now) as (keyof FilledTurn)[]).every((name) =>
    name === 'rules' || name === 'preset' ? before[name] === now[name] : isEqual(before[name], now[name]),
  );
}

/** Of small values without functions. */
function isEqual(before: unknown, now: unknown): boolean {
  return before === now || JSON.stringify(before) === JSON.stringify(now);
}

function isSameList(before: readonly string[], now: readonly string[]): boolean {
  return before.length === now.length && before.every((name, at) => name === now[at]);
}

function isAsBefore({ tool, state, why }: Place, facts: TurnFacts): boolean {
  try {
    return tool.isEnabled(facts) === !(state === 'hidden' && why === SWITCHED_OFF);
  } catch {
    return false;
  }
}
