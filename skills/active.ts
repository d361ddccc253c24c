import type { CallBefore, Verdict } from 'pegboard';

import type { Skill } from './skill.ts';

/** Which skills are active in which conversation: from their use to the end of what was asked for. What they allow and forbid is kept to here (M12.3). */
export class ActiveSkills {
  readonly #of = new Map<string, readonly Skill[]>();
  readonly #changed: (all: readonly Skill[]) => void;

  /** `changed` is told of all that are active anywhere, whenever those are others. */
  constructor(changed: (all: readonly Skill[]) => void) {
    this.#changed = changed;
  }

  begin(session: string, skill: Skill): void {
    const others = (this.#of.get(session) ?? []).filter(({ id }) => id !== skill.id);
    this.#set(session, [...others, skill]);
  }

  /** It could not be used after all. */
  drop(session: string, skill: Skill): void {
    this.#set(
      session,
      (this.#of.get(session) ?? []).filter((each) => each !== skill),
    );
  }

  end(session: string): void {
    if (this.#of.has(session)) this.#set(session, []);
  }

  /** What active skills say of a call: a refusal of one comes before a grant of any. */
  async judge(call: CallBefore): Promise<Verdict | undefined> {
    const active = this.#of.get(call.session) ?? [];
    for (const { id, fields } of active) {
      const rule = await firstCovering(fields.disallowed, call, 'deny');
      if (rule !== undefined) return { kind: 'deny', reason: `the skill ${id} forbids ${rule} while it is active` };
    }
    for (const { id, fields } of active) {
      const rule = await firstCovering(fields.allowed, call, 'allow');
      if (rule !== undefined) return { kind: 'allow', reason: `the skill ${id} allows ${rule} while it is active` };
    }
    return undefined;
  }

  #set(session: string, skills: readonly Skill[]): void {
    if (skills.length > 0) this.#of.set(session, skills);
    else this.#of.delete(session);
    this.#changed([...this.#of.values()].flat());
  }
}

/** In doubt a restriction holds, and so does one that cannot be read as a rule where it names the tool. */
async function firstCovering(rules: readonly string[], call: CallBefore, as: 'allow' | 'deny'): Promise<string | undefined> {
  for (const rule of rules) {
    const covers = await call.covers(rule, as).catch(() => (as === 'deny' && rule.startsWith(call.tool) ? 'unclear' : 'no'));
    if (covers === 'yes' || (covers === 'unclear' && as === 'deny')) return rule;
  }
  return undefined;
}
