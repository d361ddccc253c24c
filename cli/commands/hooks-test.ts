import { PegboardError } from 'pegboard';
import { labelOf, type Considered } from 'pegboard/builtin-plugins';

import { exitCode } from '../exit-code.ts';
import type { Command } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { typedInput } from '../typed-input.ts';

/** `hooks test`: runs the hooks of an event over an input and shows what each said, and what that comes to. A refusal ends with exit code 3. */
export function hooksTest(event: string, given: string | undefined): Command {
  return async ({ hooks, host, screen }) => {
    const known = hooks.list().map(({ hook }) => hook.event);
    if (!known.includes(event)) throw new PegboardError('HOOK_NONE', { event, known: [...new Set(known)].join(', ') || 'none' });
    const about = { session_id: 'test', transcript_path: '', cwd: host.cwd, hook_event_name: event };
    const { considered, verdict } = await hooks.test(event, { ...about, ...inputOf(event, given) });
    if (screen.json) screen.value({ event, hooks: considered.map(consideredJson), ...(verdict ? { verdict } : {}) });
    else {
      screen.print(considered.flatMap(linesOf));
      screen.print([[{ text: 'all together ', style: 'dim' }, verdict ? `${verdict.kind}: ${verdict.reason}` : 'nothing to say']]);
    }
    return verdict?.kind === 'deny' || verdict?.kind === 'ask' ? exitCode.refused : exitCode.done;
  };
}

function inputOf(event: string, input: string | undefined): Readonly<Record<string, unknown>> {
  const value = typedInput(event, undefined, { input, pairs: [] });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new PegboardError('CLI_INPUT', { tool: event, cause: 'it is not an object' });
}

function consideredJson(considered: Considered) {
  const { hook } = considered;
  const about = { hook: labelOf(hook), source: hook.source.name, matcher: hook.matcher };
  if (considered.kind === 'skipped') return { ...about, became: 'skipped', why: considered.why };
  const { answer, ms } = considered;
  return answer.kind === 'failed'
    ? { ...about, ms, became: 'failed', why: answer.why }
    : { ...about, ms, became: 'ran', said: answer.said };
}

function linesOf(considered: Considered): readonly Line[] {
  const name = `${labelOf(considered.hook)} (${considered.hook.source.name})`;
  if (considered.kind === 'skipped') return [[{ text: 'skipped  ', style: 'dim' }, `${name}: ${considered.why}`]];
  const { answer, ms } = considered;
  if (answer.kind === 'failed') return [[{ text: 'failed   ', style: 'red' }, `${name}: ${answer.why}`]];
  const { kind, reason, context, notes } = answer.said;
  const words = kind === 'none' ? 'nothing to say' : `${kind}: ${reason}`;
  return [
    [{ text: 'ran      ', style: 'green' }, `${name}, ${ms} ms: ${words}`],
    ...(context === undefined ? [] : [`         context: ${context}`]),
    ...notes.map((note) => `         ${note}`),
  ];
}
