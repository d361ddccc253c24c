import { reasonText, type Host, type Judged, type Session } from 'pegboard';
import { wasAsked, type AuditInput, type AuditRecord } from 'pegboard/builtin-plugins';

import type { PermissionCase } from './permission-case.ts';
import { openScene } from './permission-scene.ts';
import { realGround } from './real-ground.ts';
import type { Desk } from './run-command.ts';

/** A verdict, by which step and why. */
interface ReplayedVerdict {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly step: string;
  readonly why: string;
}

/** What the proposed rules make of a call that was recorded. */
export type Replayed =
  | { readonly kind: 'judged'; readonly was: ReplayedVerdict; readonly becomes: ReplayedVerdict }
  | { readonly kind: 'not judged'; readonly why: string };

/** Judges recorded calls under proposed rules, each in the folder, mode and agent it was made in; closes what it opened. */
export class Replay {
  readonly #desk: Desk;
  readonly #rules: PermissionCase['rules'];
  readonly #open = new Map<string, Promise<OpenCase>>();

  constructor(desk: Desk, rules: PermissionCase['rules']) {
    this.#desk = desk;
    this.#rules = rules;
  }

  async judge(record: AuditRecord): Promise<Replayed> {
    const { decision, input, rewritten } = record;
    if (decision === 'none') return { kind: 'not judged', why: 'it was not judged when it was made' };
    if (record.reason?.by === 'hook' && record.step !== 'ask') return { kind: 'not judged', why: 'a hook decided' };
    const inputs = [input, ...(rewritten ? [rewritten] : [])];
    const lost = inputs.find((each) => each.kind === 'part');
    if (lost?.kind === 'part') return { kind: 'not judged', why: `its input was not kept whole: ${lost.why}` };
    const opened = await this.#caseOf(record);
    const judged: Judged[] = [];
    for (const each of inputs) judged.push(await verdictOn(opened, each));
    if (isAbsent(opened, judged)) return { kind: 'not judged', why: 'there is no such tool here' };
    const becomes = judged.reduce((a, b) => (STRICTNESS[b.kind] > STRICTNESS[a.kind] ? b : a));
    return { kind: 'judged', was: recorded(record, decision), becomes: proposed(becomes) };
  }

  async close(): Promise<void> {
    for (const each of this.#open.values()) await each.then(({ host }) => host.close());
  }

  #caseOf({ tool, mode, agent, headless, branch, folders }: AuditRecord): Promise<OpenCase> {
    const [cwd = '.', ...additionalDirectories] = folders;
    const key = JSON.stringify([tool, mode, agent, headless, branch, folders]);
    const opened =
      this.#open.get(key) ?? this.#openCase({ tool, mode, cwd, ctx: { agent: { type: agent }, headless, branch, additionalDirectories } });
    this.#open.set(key, opened);
    return opened;
  }

  async #openCase(about: Pick<PermissionCase, 'tool' | 'mode' | 'ctx'> & { readonly cwd: string }): Promise<OpenCase> {
    const row: PermissionCase = { ...about, id: about.tool, input: {}, expect: 'allow', rules: this.#rules ?? {} };
    const { host, tool, agent, mode } = await openScene(row, realGround(this.#desk, about.cwd));
    return { host, tool, session: host.session({ agent, mode }) };
  }
}

interface OpenCase {
  readonly host: Host;
  readonly tool: string;
  readonly session: Session;
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** A tool that nobody has, or that is hidden by something other than a rule. */
function isAbsent({ host, tool }: OpenCase, judged: readonly Judged[]): boolean {
  const pool = host.pool();
  return pool.place(tool) === undefined || (pool.get(tool) === undefined && judged.some(({ step }) => step === '0'));
}

async function verdictOn({ session, tool }: OpenCase, input: AuditInput): Promise<Judged> {
  const { decision } = await session.explain(tool, input.kind === 'whole' ? input.value : {});
  // Rules let it through; what the tool says to its input now (a file was not read in this session) is no matter of rules.
  return decision.step === '0' ? { kind: 'allow', step: '0', reason: decision.reason } : decision;
}

function recorded(record: AuditRecord, decision: ReplayedVerdict['decision']): ReplayedVerdict {
  return { decision: wasAsked(record) ? 'ask' : decision, step: record.step ?? '', why: record.why ?? '' };
}

function proposed({ kind, step, reason }: Judged): ReplayedVerdict {
  return { decision: kind, step, why: reasonText(reason) };
}
