import {
  definePlugin,
  type HookHandlers,
  type Message,
  type RunEvent,
  type RunOptions,
  type Session,
  type SessionOptions,
  type Tool,
} from 'pegboard';
import { requestProblems, scriptedModel, startHost, type ScriptedModel, type ScriptedTurn } from 'pegboard/testing';
import { expect, onTestFinished } from 'vitest';

/** A session whose tools are all allowed. */
export async function openSession(tools: readonly Tool[], hooks: HookHandlers = {}, options: SessionOptions = {}): Promise<Session> {
  const allow = tools.map(({ name }) => name);
  const { host, stop } = await startHost({ tools, plugins: [definePlugin({ name: 'hooks', hooks })], rules: { allow } });
  onTestFinished(stop);
  return host.session(options);
}

/** A run to its end, told as it goes. */
export async function follow(session: Session, prompt: string, options: RunOptions, hear: (event: RunEvent) => void = () => undefined) {
  const events: RunEvent[] = [];
  for await (const event of session.run(prompt, options)) {
    events.push(event);
    hear(event);
  }
  const ends = events.filter((event) => event.kind === 'end');
  const end = ends.at(-1);
  if (end === undefined || events.at(-1) !== end) throw new Error('the last event is not `end`');
  return { events, end, ends };
}

/** One run of a script, of which a strict endpoint takes every request. */
export async function play(
  session: Session,
  turns: readonly ScriptedTurn[],
  options: Partial<RunOptions> = {},
  hear?: (event: RunEvent) => void,
) {
  const model = scriptedModel(turns);
  const played = await follow(session, 'go', { model, ...options }, hear);
  expectSound(model);
  return { ...played, model };
}

/** Every request of a model is one that a strict endpoint takes. */
export function expectSound({ requests }: Pick<ScriptedModel, 'requests'>): void {
  const problems = requests.flatMap(({ system, tools, messages, maxTokens }) =>
    requestProblems({ model: 'scripted', max_tokens: maxTokens, tools, messages, ...(system ? { system } : {}) }),
  );
  expect(problems).toEqual([]);
}

/** The results of a message, by call id: the text, with `!` before it where it is an error. */
export function resultsOf(message: Message | undefined): Readonly<Record<string, string>> {
  const blocks = message?.role === 'user' ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block] : [])) : [];
  return Object.fromEntries(
    blocks.map(({ tool_use_id: id, content, is_error: failed }) => [
      id,
      (failed ? '!' : '') + content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n'),
    ]),
  );
}

/** All texts of the user in a request, in order, without results. */
export function userTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
}
