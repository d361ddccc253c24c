import { PegboardError, textOf, type RunOptions, type Session, type ToolCall } from 'pegboard';

import { refusalAdvice, withAdvice } from './refusal-advice.ts';
import { decisionLines, resultLines } from './render/call-trace.ts';
import type { Desk } from './run-command.ts';

/** A prompt with its commands and mentions made into what a model is sent. What is read for it is shown. Throws where it cannot be sent. */
export async function readTyped(
  typed: string,
  session: Session,
  desk: Desk,
): Promise<{ readonly text: string; readonly attached: NonNullable<RunOptions['attached']> }> {
  if (typed.trimStart().startsWith('/')) await desk.skills.look();
  const read = await desk.commands.read(typed, { session, signal: desk.stop.signal });
  if (read.kind === 'wrong') throw read.error;
  for (const reading of read.readings) tellOf(reading, desk);
  if (read.kind === 'unread') throw unread(read.readings.at(-1), desk);
  return read;
}

type Reading = Extract<Awaited<ReturnType<Desk['commands']['read']>>, { readonly kind: 'unread' }>['readings'][number];

function tellOf({ tool, input, outcome }: Reading, { host, screen }: Desk): void {
  const call: ToolCall = { callId: '', tool, input };
  if ('decision' in outcome) for (const line of decisionLines(call, outcome.decision)) screen.tell(line);
  for (const line of resultLines(call, outcome, host.pool(), screen.width)) screen.tell(line);
}

function unread(reading: Reading | undefined, { host, options }: Desk): PegboardError {
  const { word = '', outcome } = reading ?? {};
  const why = textOf(outcome?.result.content ?? []);
  if (outcome?.kind !== 'refused' && outcome?.kind !== 'hidden') return new PegboardError('MENTION_UNREAD', { word, why });
  const tool = reading && host.pool().get(reading.tool);
  const advice = outcome.kind === 'refused' && tool ? refusalAdvice(outcome.decision, tool, options) : '';
  return new PegboardError('MENTION_REFUSED', { word, why: withAdvice(why, advice) });
}
