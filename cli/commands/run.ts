import {
  PegboardError,
  textOf,
  type Model,
  type RunEvent,
  type SavedSession,
  type Settled,
  type TerminalReason,
  type ToolCall,
} from 'pegboard';

import { openSaved } from 'pegboard/builtin-plugins';

import type { RunRequest } from '../args.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { refusalAdvice, withAdvice } from '../refusal-advice.ts';
import { callLine, decisionLines, resultLines } from '../render/call-trace.ts';
import { decisionJson } from '../render/json.ts';
import { progressLine } from '../render/progress.ts';
import type { Command, Desk } from '../run-command.ts';
import type { Resumed } from '../session-args.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** `run`: one request to a model, which chooses the calls. Its words are the answer; searches, decisions, calls and results go to stderr. */
export async function run({ prompt: given, model: modelName, maxTurns, maxTokens: tokenBudget, resumed }: RunRequest): Promise<Command> {
  if (given === undefined) throw usage('The request is missing. Give it in quotes, or - to read it from stdin.');
  const model = await modelNamed(modelName);
  const prompt = given === '-' ? await readAll(process.stdin) : given;
  if (prompt.trim() === '') throw usage('The request is empty. Say what should be done.');
  return async (desk) => {
    await waitForServers(desk);
    const session = desk.host.session({ saved: resumed && (await savedOf(resumed, desk)) });
    const events = session.run(prompt, { model, signal: desk.stop.signal, maxTurns, tokenBudget });
    const story = await follow(events, desk).finally(() => session.close());
    const code = codeOf(story);
    if (desk.screen.json) desk.screen.value(storyJson(story, code));
    else if (code !== exitCode.done) desk.screen.warn(`pegboard: ${endText(story, desk)}`);
    return code;
  };
}

/** A kept session, and what people must know before it goes on. */
async function savedOf(resumed: Resumed, { host, screen }: Desk): Promise<SavedSession> {
  const { resumedSession } = await import('./sessions.ts');
  const { id, cwd } = await resumedSession(resumed, host);
  const saved = await openSaved(host.home, id);
  if (cwd !== host.cwd) screen.tell([{ text: `session ${id} was begun in ${cwd} and goes on in ${host.cwd}`, style: 'yellow' }]);
  if (saved.broken > 0) screen.warn(`${saved.broken} lines of session ${id} cannot be read; it goes on without them`);
  return saved;
}

async function modelNamed(name: string | undefined): Promise<Model> {
  if (name === undefined) throw new PegboardError('CLI_MODEL', { cause: 'No model was named.' });
  const { offlineModel } = await import('pegboard/builtin-plugins');
  const model = offlineModel();
  if (name === model.name) return model;
  throw new PegboardError('CLI_MODEL', { cause: `There is no model "${name}" here.` });
}

function usage(cause: string): PegboardError<'CLI_USAGE'> {
  return new PegboardError('CLI_USAGE', { cause });
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}

/** What happened in a run, in order. */
interface Story {
  readonly session: string;
  readonly model: string;
  readonly texts: readonly string[];
  readonly calls: readonly Settled[];
  readonly end: RunEvent & { readonly kind: 'end' };
}

async function follow(events: AsyncIterable<RunEvent>, desk: Desk): Promise<Story> {
  const texts: string[] = [];
  const calls: Settled[] = [];
  let begun = { id: '', model: '' };
  let end: Story['end'] = { kind: 'end', reason: 'aborted_streaming', turns: 0, permissionDenials: [] };
  for await (const event of events) {
    if (event.kind === 'session') begun = event;
    if (event.kind === 'text' && event.done) texts.push(event.text);
    if (event.kind === 'tool_result') calls.push(event.settled);
    if (event.kind === 'end') end = event;
    tellOf(event, desk);
  }
  return { session: begun.id, model: begun.model, texts, calls, end };
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
    case 'usage':
    case 'end':
      return;
  }
}

function isSearch(call: ToolCall, { host }: Pick<Desk, 'host'>): boolean {
  return host.pool().get(call.tool)?.provides.includes('tool-search') === true;
}

/** How a run ended that did not come to its end by itself. */
const ENDED: Readonly<Record<Exclude<TerminalReason, 'completed'>, string>> = {
  stopped: 'the run was stopped by a hook or a refusal',
  refusal: 'the model refused to go on',
  aborted_streaming: 'the run was interrupted while the model answered',
  aborted_tools: 'the run was interrupted during a call',
  max_turns: 'the run was stopped after as many turns as it may take (--max-turns)',
  token_budget: 'the run was stopped because its tokens were used up (--max-tokens)',
  max_tokens: 'the answer of the model was longer than it may be',
  model_failed: 'the model failed',
};
const INTERRUPTED: ReadonlySet<TerminalReason> = new Set(['aborted_streaming', 'aborted_tools']);

/** A run that came to its end is judged by its last call: refused or failed, with nothing after it that worked, is no success. */
function codeOf({ calls, end }: Story): ExitCode {
  const last = calls.at(-1)?.outcome;
  if (INTERRUPTED.has(end.reason)) return exitCode.interrupted;
  if (last?.kind === 'refused' || last?.kind === 'hidden') return exitCode.refused;
  if (end.reason !== 'completed' || (last !== undefined && (last.kind !== 'done' || last.result.isError))) return exitCode.failed;
  return exitCode.done;
}

function endText({ calls, end }: Story, { host, options }: Desk): string {
  const last = calls.at(-1);
  const tool = last === undefined ? undefined : host.pool().place(last.call.tool)?.tool;
  if (last?.outcome.kind === 'refused' && tool !== undefined)
    return withAdvice(textOf(last.outcome.result.content), refusalAdvice(last.outcome.decision, tool, options));
  if (end.message !== undefined) return end.message;
  return end.reason === 'completed' ? `the last call did not work: ${last?.call.tool ?? ''}` : ENDED[end.reason];
}

function storyJson({ session, model, texts, calls, end }: Story, code: ExitCode) {
  return {
    session,
    model,
    reason: end.reason,
    isError: code !== exitCode.done,
    ...(end.message === undefined ? {} : { message: end.message }),
    text: texts.join('\n'),
    turns: end.turns,
    toolCalls: calls.map(({ call, outcome }) => ({
      tool: call.tool,
      input: call.input,
      outcome: outcome.kind,
      ...('decision' in outcome ? { decision: decisionJson(outcome.decision) } : {}),
      text: textOf(outcome.result.content),
      isError: outcome.result.isError === true,
    })),
    permissionDenials: end.permissionDenials,
  };
}
