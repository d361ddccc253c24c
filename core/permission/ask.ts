import type { Asker } from '../asker.ts';
import type { HookBus, ToolCall } from '../hooks.ts';
import type { Tool } from '../tool.ts';
import type { Ask, Judged } from './decision.ts';

/** Only these asks may be answered by something that is not a person (M4.6). */
export function answerableWithoutPerson(tool: Tool, ask: Ask): boolean {
  return (ask.reason.by === 'no-rule' || ask.reason.by === 'tool') && !tool.requiresUserInteraction();
}

/** What becomes of an ask: a hook may answer some of them, a person all; with nobody to ask it is a deny (M4.6). */
export async function settleAsk(
  tool: Tool,
  call: ToolCall,
  ask: Ask & { readonly step: string },
  hooks: HookBus,
  asker: Asker,
  signal: AbortSignal,
): Promise<Judged> {
  const verdict = await hooks.decide('permission.ask', { ...call, message: ask.message });
  if (verdict?.kind === 'deny')
    return {
      kind: 'deny',
      step: 'ask',
      reason: { by: 'hook', plugin: verdict.plugin, hook: 'permission.ask', detail: verdict.reason },
      message: verdict.reason,
      stop: verdict.stop,
    };
  if (verdict?.kind === 'allow' && answerableWithoutPerson(tool, ask)) {
    return {
      kind: 'allow',
      step: 'ask',
      reason: { by: 'hook', plugin: verdict.plugin, hook: 'permission.ask', detail: verdict.reason },
      ...('input' in verdict ? { input: verdict.input } : {}),
    };
  }
  const answer = await asker.permission(
    {
      tool: tool.name,
      input: call.input,
      decision: ask,
      answerable: answerableWithoutPerson(tool, ask),
      display: tool.display.use?.(call.input),
    },
    signal,
  );
  switch (answer.kind) {
    case 'allow':
      return {
        kind: 'allow',
        step: 'ask',
        reason: answer.by?.kind === 'flag' ? { by: 'flag', flag: answer.by.flag } : { by: 'person', answer: 'yes' },
        ...('input' in answer ? { input: answer.input } : {}),
      };
    case 'deny':
      return { kind: 'deny', step: 'ask', reason: { by: 'person', answer: answer.message }, message: answer.message, stop: answer.stop };
    case 'nobody':
      return {
        kind: 'deny',
        step: 'ask',
        reason: { by: 'nobody-to-ask', asked: ask.reason },
        message: `${ask.message}, and there is nobody to ask`,
      };
  }
}
