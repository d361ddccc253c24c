import { PegboardError, type NoteHook } from 'pegboard';

import { readAnswer } from './answer.ts';
import { EVENTS } from './events.data.ts';
import { labelOf, type Hook } from './hook.ts';
import { matches, readMatcher } from './matcher.ts';
import { failureText, type Answered } from './merge.ts';
import { runHook, type HookPlace } from './run-hook.ts';

/** What a hook is held against. */
export interface Happening {
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Does a rule speak of the call it is about? */
  readonly covers?: ((rule: string) => Promise<'yes' | 'no' | 'unclear'>) | undefined;
}

/** What became of one hook: whether it was meant, and if so what it said. */
export type Considered =
  { readonly kind: 'skipped'; readonly hook: Hook; readonly why: string } | ({ readonly kind: 'ran'; readonly ms: number } & Answered);

/** Holds hooks against what happened and runs those that are meant, all at once; the answers come in the order of the hooks. Never rejects. */
export function runHooks(hooks: readonly Hook[], about: Happening, place: HookPlace): Promise<readonly Considered[]> {
  return consider(hooks, about, (hook) => ran(hook, about, place));
}

/** Says of each hook whether it would run; none does. Never rejects. */
export function foretellHooks(hooks: readonly Hook[], about: Happening): Promise<readonly Considered[]> {
  return consider(hooks, about, async (hook) => ({
    kind: 'skipped',
    hook,
    why: 'it would run; nothing runs while a call is only explained',
  }));
}

async function consider(
  hooks: readonly Hook[],
  about: Happening,
  meant: (hook: Hook) => Promise<Considered>,
): Promise<readonly Considered[]> {
  const seen = new Set<string>();
  return Promise.all(
    hooks
      .filter(({ event }) => event === about.event)
      .map(async (hook): Promise<Considered> => {
        // Before anything is waited for: of two that are the same the first one runs.
        const key = JSON.stringify([hook.source.name, hook.source.variables, hook.action]);
        const why = matcherMisses(hook, about) ?? (isAsync(hook) || !seen.has(key) ? undefined : 'the same hook has run for this already');
        if (why !== undefined) return { kind: 'skipped', hook, why };
        seen.add(key);
        const unmeant = await ruleMisses(hook, about);
        if (unmeant !== undefined) return { kind: 'skipped', hook, why: unmeant };
        return meant(hook);
      }),
  );
}

async function ran(hook: Hook, { event, input }: Happening, place: HookPlace): Promise<Considered> {
  const began = performance.now();
  const running = runHook(hook, input, place);
  if (!isAsync(hook)) place.waits?.(hook, running);
  const done = isAsync(hook) ? ({ kind: 'output', code: 0, stdout: '', stderr: '' } as const) : await running;
  const answer = readAnswer(done, event);
  return { kind: 'ran', hook, answer, ms: Math.round(performance.now() - began) };
}

function isAsync({ action }: Hook): boolean {
  return action.kind === 'command' && action.async;
}

function matcherMisses({ event, matcher, source }: Hook, { input }: Happening): string | undefined {
  if (!source.trusted) return `the folder of ${source.name} is not trusted`;
  if (source.session !== undefined && source.session !== input['session_id']) return 'it counts in another conversation only';
  const field = EVENTS[event]?.matches;
  if (field === undefined) return undefined;
  const value = String(input[field] ?? '');
  return matches(readMatcher(matcher), value) ? undefined : `its matcher "${matcher}" does not match ${value || 'nothing'}`;
}

/** What cannot be told runs: a guard that was left out would guard nothing. */
async function ruleMisses({ when }: Hook, { covers }: Happening): Promise<string | undefined> {
  if (when === undefined) return undefined;
  if (covers === undefined) return `its \`if\` ${when} is about tools`;
  return (await covers(when).catch(() => 'unclear' as const)) === 'no' ? `its \`if\` ${when} does not cover the call` : undefined;
}

/** Tells the trace of a call what became of each hook, and people of what went wrong. */
export function tellOf(considered: readonly Considered[], note: NoteHook | undefined, report: (cause: unknown) => void): void {
  for (const each of considered) {
    const name = `${each.hook.event} \`${labelOf(each.hook)}\` of ${each.hook.source.name}`;
    if (each.kind === 'skipped') {
      note?.({ name, kind: 'skipped', why: each.why });
      continue;
    }
    const { answer, hook } = each;
    if (answer.kind === 'failed') {
      note?.({ name, kind: 'failed', why: answer.why });
      report(
        new PegboardError('HOOK_FAILED', { event: hook.event, what: failureText({ hook, why: answer.why }), origin: hook.source.origin }),
      );
      continue;
    }
    const { kind, reason, notes } = answer.said;
    note?.({ name, kind: 'ran', why: kind === 'none' ? 'it had nothing to say' : `${kind}: ${reason}` });
    for (const text of notes) report(new PegboardError('HOOK_SAYS', { hook: name, text }));
  }
}
