import type { CallBefore, Verdict } from 'pegboard';

import type { Skill } from './skill.ts';

/** Which skills are active in which conversation: from their use to the end of what was asked for. What they allow and forbid is kept to here (M12.3). */
export class ActiveSkills {
  readonly #of = new Map<string, readonly Skill[]>();
  readonly #changed: (all: ReadonlyMap<string, readonly Skill[]>) => void;

  /** `changed` is told of all that are active, by conversation, whenever those are others. */
  constructor(changed: (all: ReadonlyMap<string, readonly Skill[]>) => void) {
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
    const foreign = await this.#foreign(call, active);
    if (foreign !== undefined) return foreign;
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

  /** A server that a skill has brought into another conversation is not there for this one. */
  async #foreign(call: CallBefore, active: readonly Skill[]): Promise<Verdict | undefined> {
    const others = [...this.#of.values()].flat().filter(({ id }) => !active.some((each) => each.id === id));
    for (const { id, fields } of others)
      for (const server of Object.keys(fields.servers)) {
        const covers = await call
          .covers(`mcp__${serverName(id, server).replaceAll(/[^A-Za-z0-9_-]/gu, '_')}`, 'deny')
          .catch(() => 'no' as const);
        if (covers !== 'no')
          return { kind: 'deny', reason: `it is a tool of the skill ${id}, which is active in another conversation only` };
      }
    return undefined;
  }

  #set(session: string, skills: readonly Skill[]): void {
    if (skills.length > 0) this.#of.set(session, skills);
    else this.#of.delete(session);
    this.#changed(this.#of);
  }
}

/** What a server of a skill is called on the host. */
export function serverName(skill: string, server: string): string {
  return `skill:${skill}:${server}`;
}

/** In doubt a restriction holds, and so does one that cannot be read as a rule where it names the tool. */
async function firstCovering(rules: readonly string[], call: CallBefore, as: 'allow' | 'deny'): Promise<string | undefined> {
  for (const rule of rules) {
    const covers = await call.covers(rule, as).catch(() => (as === 'deny' && rule.startsWith(call.tool) ? 'unclear' : 'no'));
    if (covers === 'yes' || (covers === 'unclear' && as === 'deny')) return rule;
  }
  return undefined;
}
