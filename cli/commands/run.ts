import { PegboardError, textOf, type RunEvent, type RunOptions, type Session, type ToolCall } from 'pegboard';

import { systemPrompt } from 'pegboard/builtin-plugins';

import { Activity } from '../activity.ts';
import type { RunRequest } from '../args.ts';
import { exitCode } from '../exit-code.ts';
import { modelChoice, openModel } from '../open-model.ts';
import { refusalAdvice, withAdvice } from '../refusal-advice.ts';
import { patiently } from '../patience.ts';
import { isPiped, readInput } from '../piped-input.ts';
import { callLine, decisionLines, resultLines } from '../render/call-trace.ts';
import { againLine, compactionLine, eventJson, usageLine } from '../render/run-event.ts';
import { progressLine } from '../render/progress.ts';
import type { Command, Desk } from '../run-command.ts';
import { reachHooks } from '../reach-hooks.ts';
import { readTyped } from '../read-typed.ts';
import { codeOf, ENDED, follow, storyJson, type Story } from '../run-story.ts';
import { savedOf } from '../saved-session.ts';
import { waitBriefly } from '../wait-for-servers.ts';

const WAITS_FOR_INPUT = 'reading what is piped in until it ends; `</dev/null` leaves it out';

/** `run`: one request to a model, which chooses the calls. Its words are the answer; searches, decisions, calls and results go to stderr. */
export async function run({
  prompt: given,
  model: modelName,
  maxTurns,
  maxTokens: tokenBudget,
  resumed,
  output,
}: RunRequest): Promise<Command> {
  if (given === undefined) throw usage('The request is missing. Give it in quotes, or - to read it from stdin.');
  const prompt = given === '-' ? await readInput(process.stdin) : given;
  if (prompt.trim() === '') throw usage('The request is empty. Say what should be done.');
  return async (desk) => {
    const piped = given !== '-' && isPiped() ? await patiently(desk.screen, WAITS_FOR_INPUT, readInput(process.stdin)) : '';
    const model = await patiently(desk.screen, 'asking the model whether it is there', openModel(modelChoice(desk, modelName)));
    reachHooks(desk.hooks, desk.host, desk.screen, model);
    await waitBriefly(desk);
    const session = desk.host.session({ saved: resumed && (await savedOf(resumed, desk)) });
    const bounds = { maxTurns, tokenBudget, signal: desk.stop.signal };
    const story = await answered({ prompt, piped }, session, { model, system: systemPrompt, ...bounds }, output, desk);
    const code = codeOf(story);
    if (output === 'json' || desk.screen.json) desk.screen.value(storyJson(story, code));
    else if (code !== exitCode.done) desk.screen.warn(`pegboard: ${endText(story, desk)}`);
    return code;
  };
}

/** What a person has given a run. */
interface Said {
  readonly prompt: string;
  /** What stood on stdin beside the prompt; empty where nothing did. */
  readonly piped: string;
}

/** The session ends with its run, whatever becomes of that. */
async function answered(
  { prompt, piped }: Said,
  session: Session,
  options: RunOptions,
  output: RunRequest['output'],
  desk: Desk,
): Promise<Story> {
  try {
    const typed = await readTyped(prompt, session, desk);
    // No mention or command in it counts: it may come from anywhere.
    const attached =
      piped.trim() === '' ? typed.attached : [...typed.attached, { type: 'text' as const, text: `What was piped in:\n\n${piped}` }];
    return await follow(session.run(typed.text, { ...options, attached }), teller(output, desk));
  } finally {
    desk.screen.busy(undefined);
    await session.close();
  }
}

function usage(cause: string): PegboardError<'CLI_USAGE'> {
  return new PegboardError('CLI_USAGE', { cause });
}

/** What is told while a run goes on: events as JSON lines, or words for people. */
function teller(output: RunRequest['output'], desk: Desk): (event: RunEvent) => void {
  const { screen, host } = desk;
  if (output === 'stream-json') return (event) => screen.line(eventJson(event));
  const activity = new Activity(host);
  return (event) => {
    tellOf(event, desk);
    if (output !== 'json') screen.busy(activity.after(event, screen.width));
  };
}

function tellOf(event: RunEvent, { host, screen }: Desk): void {
  switch (event.kind) {
    case 'session':
      if (event.notice !== undefined) screen.tell([{ text: event.notice, style: 'dim' }]);
      return;
    case 'message':
      if (event.refused !== undefined) screen.warn(`pegboard: a hook kept the message out: ${event.refused}`);
      return;
    case 'text':
      if (event.done && !screen.json) screen.text(event.text);
      return;
    case 'tool_use':
      if (isSearch(event.call, { host })) screen.tell(callLine('search', event.call));
      return;
    case 'decision': {
      const lines = decisionLines(event.call, event.decision);
      for (const line of isSearch(event.call, { host }) ? lines.slice(0, 1) : lines) screen.tell(line);
      return;
    }
    case 'progress':
      screen.tell(progressLine(event.progress, host.pool().get(event.call.tool), screen.width));
      return;
    case 'tool_result':
      for (const line of resultLines(event.settled.call, event.settled.outcome, host.pool(), screen.width)) screen.tell(line);
      return;
    case 'receipt':
      screen.debug(`request: ${event.tools} definitions, ${event.bytes} bytes, ${event.readAgain} read again`);
      for (const { source, ms } of event.firstUse) screen.debug(`request: ${source} starts at its first call, in about ${ms} ms`);
      return;
    case 'retry':
      screen.tell(againLine(event));
      return;
    case 'compacting':
      screen.tell([{ text: '… summarising the conversation', style: 'dim' }]);
      return;
    case 'compaction':
      screen.tell([{ text: compactionLine(event.result), style: 'dim' }]);
      return;
    case 'usage':
      screen.debug(usageLine(event.usage, event.usd));
      return;
    case 'end':
      return;
  }
}

function isSearch(call: ToolCall, { host }: Pick<Desk, 'host'>): boolean {
  return host.pool().get(call.tool)?.provides.includes('tool-search') === true;
}

function endText({ calls, end }: Story, { host, options }: Desk): string {
  const last = calls.at(-1);
  const tool = last === undefined ? undefined : host.pool().place(last.call.tool)?.tool;
  if (last?.outcome.kind === 'refused' && tool !== undefined)
    return withAdvice(textOf(last.outcome.result.content), refusalAdvice(last.outcome.decision, tool, options));
  if (end.message !== undefined) return end.message;
  return end.reason === 'completed' ? `the last call did not work: ${last?.call.tool ?? ''}` : ENDED[end.reason];
}
