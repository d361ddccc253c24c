import { textOf, type CallBefore, type HookHandlers, type NoteHook, type ToolCall, type ToolResult, type Verdict } from 'pegboard';

import type { Hook } from './hook.ts';
import type { Considered, Happening } from './hook-set.ts';
import { mergeVerdict, type OnFailure } from './merge.ts';

/** What the handlers are made over. */
export interface HandlerDesk {
  readonly cwd: string;
  readonly transcript: (session: string) => string;
  readonly hooks: () => readonly Hook[];
  readonly run: (about: Happening) => Promise<readonly Considered[]>;
  /** What `run` would consider; nothing runs. */
  readonly foretell: (about: Happening) => Promise<readonly Considered[]>;
  readonly onFailure: OnFailure;
  readonly tell: (considered: readonly Considered[], note: NoteHook | undefined) => void;
  /** Tells people once of hooks that can never run, now that these tools are there. */
  readonly warnOfDead: (tools: readonly string[]) => void;
}

/** After so many times in a row that a hook would not let a turn end, it ends. */
const MOST_STOPS = 8;

/** The hooks of this host at which the events of the format happen, and what each is told (design 3.6). */
export function nativeHandlers(desk: HandlerDesk): HookHandlers {
  const calls = new Map<string, CallBefore>();
  const stops = new Map<string, number>();
  const isUsed = (event: string) => desk.hooks().some((hook) => hook.event === event);
  const base = (event: string, session: string) => ({
    session_id: session,
    transcript_path: session === '' ? '' : desk.transcript(session),
    cwd: desk.cwd,
    hook_event_name: event,
  });
  const aboutTool = (event: string, { callId, tool, input }: ToolCall, before = calls.get(callId)) => {
    return {
      ...base(event, before?.session ?? ''),
      ...(before ? { permission_mode: before.mode } : {}),
      tool_name: tool,
      tool_input: input,
      tool_use_id: callId,
    };
  };
  const run = async (happening: Happening, note?: NoteHook) => {
    const considered = await desk.run(happening);
    desk.tell(considered, note);
    return considered.flatMap((each) => (each.kind === 'ran' ? [each] : []));
  };
  const decide = async (happening: Happening, note: NoteHook, guards: boolean): Promise<Verdict | undefined> =>
    isUsed(happening.event) ? mergeVerdict(await run(happening, note), guards, desk.onFailure) : undefined;
  const coversOf = (callId: string) => {
    const before = calls.get(callId);
    return before && covering(before);
  };

  const afterTool = (event: string) => async (result: ToolResult, call: ToolCall, note: NoteHook) => {
    if (!isUsed(event)) return undefined;
    const response =
      event === 'PostToolUse' ? { tool_response: result.structuredContent ?? textOf(result.content) } : { error: textOf(result.content) };
    const input = { ...aboutTool(event, call), ...response };
    const answered = await run({ event, input, covers: coversOf(call.callId) }, note);
    return changed(result, answered);
  };

  return {
    'tool.before': async (call, note) => {
      if (desk.hooks().length === 0) return undefined;
      if (call.dryRun) {
        const happening = { event: 'PreToolUse', input: aboutTool('PreToolUse', call, call), covers: covering(call) };
        desk.tell(await desk.foretell(happening), note);
        return undefined;
      }
      calls.set(call.callId, call);
      return decide({ event: 'PreToolUse', input: aboutTool('PreToolUse', call), covers: coversOf(call.callId) }, note, true);
    },
    'permission.ask': ({ message, ...call }, note) =>
      decide(
        { event: 'PermissionRequest', input: { ...aboutTool('PermissionRequest', call), message }, covers: coversOf(call.callId) },
        note,
        true,
      ),
    'permission.denied': async ({ call, decision }) => {
      const input = { ...aboutTool('PermissionDenied', call), reason: 'message' in decision ? decision.message : '' };
      if (isUsed('PermissionDenied')) await run({ event: 'PermissionDenied', input, covers: coversOf(call.callId) });
    },
    'tool.after': afterTool('PostToolUse'),
    'tool.failed': afterTool('PostToolUseFailure'),
    'call.end': ({ call }) => void calls.delete(call.callId),
    'batch.end': async ({ calls: count, session }) => {
      if (isUsed('PostToolBatch')) await run({ event: 'PostToolBatch', input: { ...base('PostToolBatch', session), tool_calls: count } });
    },
    'prompt.submit': ({ text, session }, note) =>
      decide({ event: 'UserPromptSubmit', input: { ...base('UserPromptSubmit', session), prompt: text } }, note, false),
    'session.start': async (texts, { session, pool }, note) => {
      desk.warnOfDead(pool.tools.map(({ name }) => name));
      if (!isUsed('SessionStart')) return undefined;
      const answered = await run({ event: 'SessionStart', input: { ...base('SessionStart', session), source: 'startup' } }, note);
      return [...texts, ...answered.flatMap(({ answer }) => (answer.kind === 'said' ? (answer.said.context ?? []) : []))];
    },
    'session.end': async ({ session, reason }) => {
      stops.delete(session);
      const input = { ...base('SessionEnd', session), reason: 'other', end: reason };
      if (isUsed('SessionEnd')) await run({ event: 'SessionEnd', input });
    },
    'turn.end': async ({ session }, note) => {
      const before = stops.get(session) ?? 0;
      const verdict = await decide({ event: 'Stop', input: { ...base('Stop', session), stop_hook_active: before > 0 } }, note, false);
      if (verdict?.kind !== 'deny' || before >= MOST_STOPS) return void stops.delete(session);
      stops.set(session, before + 1);
      return verdict;
    },
  };
}

function covering(call: CallBefore) {
  return (rule: string) => call.covers(rule, 'deny');
}

/** A result with what hooks put in its place, and what they have to say about it. */
function changed(result: ToolResult, answered: readonly Extract<Considered, { readonly kind: 'ran' }>[]): ToolResult | undefined {
  const all = answered.flatMap(({ answer }) => (answer.kind === 'said' ? [answer.said] : []));
  const output = all.map((said) => said.output).findLast((each) => each !== undefined);
  const words = all.flatMap(({ kind, reason, context }) => [
    ...(kind === 'deny' ? [`A hook says of this result: ${reason}`] : []),
    ...(context ? [context] : []),
  ]);
  if (output === undefined && words.length === 0) return undefined;
  const { structuredContent: _given, ...rest } = result;
  const content =
    output === undefined ? result.content : [{ type: 'text' as const, text: typeof output === 'string' ? output : JSON.stringify(output) }];
  return { ...(output === undefined ? result : rest), content: [...content, ...words.map((text) => ({ type: 'text' as const, text }))] };
}
