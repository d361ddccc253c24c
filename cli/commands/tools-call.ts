import { textOf, type HostEvent, type Outcome, type Tool } from 'pegboard';

import { activityWords } from '../chat/call-words.ts';
import { advised } from '../error-advice.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { findTool } from '../find-tool.ts';
import { refusalAdvice, withAdvice } from '../refusal-advice.ts';
import { decisionLines } from '../render/call-trace.ts';
import { outcomeJson } from '../render/json.ts';
import { shownLines } from '../render/shown.ts';
import { progressLine } from '../render/progress.ts';
import type { Command, Desk } from '../run-command.ts';
import { typedInput, type GivenInput } from '../typed-input.ts';
import { counted } from '../render/counted.ts';

/** `tools call`: one call through the whole pipeline. The result's text is the answer; how it was judged goes to stderr. */
export function toolsCall({ name, ...given }: GivenInput & { readonly name: string }): Command {
  return async (desk) => {
    const tool = (await findTool(desk, name))?.tool;
    const input = typedInput(name, tool, given);
    const deaf = desk.host.on((event) => tellOf(event, desk, tool));
    desk.screen.busy(activityWords(tool, { callId: '', tool: name, input }));
    const outcome = await desk.host.call(name, input, { signal: desk.stop.signal }).finally(() => desk.screen.busy(undefined));
    deaf();
    if (desk.screen.json) desk.screen.value(outcomeJson(outcome));
    else showResult(outcome, desk);
    const sentence = sentenceOf(outcome, tool, desk);
    if (sentence !== '') for (const line of shownLines(`pegboard: ${sentence}`)) desk.screen.warn(line);
    return codeOf(outcome);
  };
}

function tellOf(event: HostEvent, { screen }: Desk, tool: Tool | undefined): void {
  if (event.kind === 'decision') for (const line of decisionLines(event.call, event.decision).slice(0, 1)) screen.tell(line);
  if (event.kind === 'progress') screen.tell(progressLine(event.progress, tool, screen.width));
}

function showResult(outcome: Outcome, { screen }: Desk): void {
  const { content } = outcome.result;
  const pictures = content.filter(({ type }) => type === 'image').length;
  if (outcome.kind === 'done') screen.text(textOf(content));
  if (pictures > 0) screen.warn(`pegboard: not shown: ${counted(pictures, 'picture')} of the result; --json has them`);
}

/** What a person has to know about an end that was not a success. */
function sentenceOf(outcome: Outcome, tool: Tool | undefined, { options }: Desk): string {
  const text = textOf(outcome.result.content);
  if (outcome.kind === 'done') return outcome.result.isError ? `${tool?.name} answered with an error` : '';
  if (outcome.kind === 'refused' && tool !== undefined) return withAdvice(text, refusalAdvice(outcome.decision, tool, options));
  if (outcome.kind === 'invalid') return `${firstLine(text)} \`pegboard tools show ${tool?.name}\` prints its definition.`;
  return outcome.kind === 'unknown' ? advised('TOOL_UNKNOWN', text) : text;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function codeOf(outcome: Outcome): ExitCode {
  switch (outcome.kind) {
    case 'done':
      return outcome.result.isError ? exitCode.failed : exitCode.done;
    case 'refused':
    case 'hidden':
      return exitCode.refused;
    case 'unknown':
    case 'invalid':
      return exitCode.usage;
    case 'failed':
    case 'cancelled':
      return exitCode.failed;
  }
}
