/** A hook's kind is the interface it stands in, so calling or answering it the wrong way does not compile. Never run. */
import { definePlugin, textResult, type CallBefore, type Decision, type HookBus, type HookHandlers } from 'pegboard';

declare const bus: HookBus;
declare const call: CallBefore;

void bus.decide('tool.before', call);
void bus.notify('batch.end', { calls: 1, session: 's' });
void bus.transform('tool.after', textResult('x'), call);

// @ts-expect-error somebody who is told cannot decide
void bus.decide('batch.end', { calls: 1 });
// @ts-expect-error a gate is asked, not told
void bus.notify('tool.before', call);
// @ts-expect-error what is decided is not a value to change
void bus.transform('tool.before', call, call);
// @ts-expect-error there is no such hook
void bus.notify('tool.during', call);
// @ts-expect-error the event belongs to another hook
void bus.notify('batch.end', { source: 'x' });

export const handlers: HookHandlers = {
  'tool.before': ({ tool }) => ({ kind: 'deny', reason: tool }),
  'tool.after': (result) => ({ ...result, isError: true }),
  'batch.end': ({ calls }) => void calls.toFixed(),
};

// @ts-expect-error a verdict without a reason is none
export const silent: HookHandlers = { 'tool.before': () => ({ kind: 'deny' }) };
// @ts-expect-error a verdict has one of four kinds
export const odd: HookHandlers = { 'tool.before': () => ({ kind: 'block', reason: 'x' }) };
// @ts-expect-error what changes a result gives a result
export const wrongValue: HookHandlers = { 'tool.after': () => 'text' };
// @ts-expect-error a misspelt hook would guard nothing
export const misspelt = definePlugin({ name: 'x', hooks: { 'tool.befor': () => undefined } });

// @ts-expect-error there is no decision without a reason
export const bare: Decision = { kind: 'allow' };
// @ts-expect-error a refusal says something
export const mute: Decision = { kind: 'deny', reason: { by: 'no-rule' } };
