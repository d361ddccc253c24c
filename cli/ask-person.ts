import { createInterface, type Interface } from 'node:readline/promises';

import { reasonText, type Asker, type Elicitation, type PermissionQuestion, type RuleScope } from 'pegboard';

import { shown, shownLines } from './render/shown.ts';
import { displayLines } from './render/terminal.ts';
import type { Line, Screen } from './screen.ts';
import type { Stop } from './stop.ts';

/** Where the person types, and where what is typed is shown. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Asks the person at the terminal, one question after the other; Ctrl-C stops the whole command. */
export function askPerson(terminal: Terminal, screen: Screen, stop: Stop): Asker {
  const read: ReadAnswer = (prompt, signal) => screen.still(() => readLine(terminal, prompt, AbortSignal.any([signal, stop.signal]), stop));
  return askInWords(read, screen);
}

/** Reads one line that a person types as an answer; nothing where the input ended or the person stopped. */
export type ReadAnswer = (prompt: string, signal: AbortSignal) => Promise<string | undefined>;

/** Asks by lines that are shown and a line that is read, one question after the other. */
export function askInWords(read: ReadAnswer, screen: Pick<Screen, 'warn' | 'width'>): Asker {
  const inTurn = oneAfterTheOther();
  return {
    permission: async (question, signal) => {
      // Its questions follow at once, and may be left unanswered.
      if (question.asksItself) return { kind: 'allow', by: { kind: 'person' } };
      return inTurn(async () => {
        for (const line of questionLines(question, screen.width)) screen.warn(line);
        const rules = question.suggestions;
        if (rules.length > 0) screen.warn([{ text: `always would keep: ${rules.join(', ')}`, style: 'dim' }]);
        for (;;) {
          const answer = await read(`Run it? [y]es / [n]o, or no and why${rules.length > 0 ? ' / [a]lways' : ''} `, signal);
          if (answer === undefined) return { kind: 'deny', message: 'the person stopped', stop: true };
          if (/^y(es)?$/i.test(answer)) return { kind: 'allow', by: { kind: 'person' } };
          if (rules.length > 0 && /^a(lways)?$/i.test(answer)) {
            const remember = await whereTo(rules, screen, (prompt) => read(prompt, signal));
            if (remember !== undefined) return { kind: 'allow', by: { kind: 'person' }, remember };
          }
          const no = /^no?(?:[\s,:]+(.*))?$/i.exec(answer);
          if (no) return { kind: 'deny', message: no[1] ? `the person said no: ${no[1]}` : 'the person said no' };
        }
      });
    },
    question: ({ text, options = [] }, signal) =>
      inTurn(async () => {
        for (const line of shownLines(text)) screen.warn(line);
        options.forEach(({ label, description }, at) => screen.warn(`  ${at + 1}. ${label}${description ? `: ${description}` : ''}`));
        const answer = await read(options.length > 0 ? 'Number or text: ' : '> ', signal);
        if (answer === undefined || answer === '') return { kind: 'declined' };
        return { kind: 'answer', text: options[Number(answer) - 1]?.label ?? answer };
      }),
    elicit: (elicitation, signal) => inTurn(() => fillIn(elicitation, screen, (prompt) => read(prompt, signal))),
  };
}

/** What is asked while something else is being asked waits for that. */
export function oneAfterTheOther(): <Answer>(ask: () => Promise<Answer>) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const next = last.then(ask, ask);
    last = next.catch(() => undefined);
    return next;
  };
}

/** Who wants to run what, why that is asked, and the whole input. */
export function questionLines({ tool, input, decision, display }: PermissionQuestion, width: number): readonly Line[] {
  return [
    [{ text: tool, style: 'bold' }, ` wants to run: ${shown(decision.message || reasonText(decision.reason), 400)}`],
    ...(display ? displayLines(display, width) : []),
    ...(JSON.stringify(input, undefined, 2) ?? '').split('\n'),
  ];
}

const SCOPES: Readonly<Record<string, RuleScope>> = { s: 'session', l: 'local', p: 'project', u: 'user' };

/** Shows in full what would be kept, and asks where; any other answer keeps nothing. */
async function whereTo(
  rules: readonly string[],
  screen: Pick<Screen, 'warn'>,
  read: (prompt: string) => Promise<string | undefined>,
): Promise<RuleScope | undefined> {
  screen.warn(`Not asked again: ${rules.join(', ')}`);
  const answer = await read(
    'Keep that for this [s]ession, for you here ([l]ocal), for everybody here ([p]roject), for you everywhere ([u]ser)? ',
  );
  return SCOPES[answer?.charAt(0).toLowerCase() ?? ''];
}

/** A server's form, one line per value; an empty line leaves a value out, or declines where it is required. */
async function fillIn(
  { server, message, schema }: Elicitation,
  screen: Pick<Screen, 'warn'>,
  read: (prompt: string) => Promise<string | undefined>,
) {
  screen.warn(`${server} asks: ${message}`);
  const content: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const {
      type,
      title,
      enum: values,
    } = property as { readonly type?: string; readonly title?: string; readonly enum?: readonly unknown[] };
    const answer = await read(`${shown(title ?? name, 80)}${values ? ` (${shown(values.join(', '), 200)})` : ''}: `);
    if (answer === undefined || (answer === '' && schema.required?.includes(name))) return { kind: 'decline' as const };
    if (answer !== '') content[name] = typed(answer, type);
  }
  return { kind: 'accept' as const, content };
}

function typed(answer: string, type: string | undefined): unknown {
  if ((type === 'number' || type === 'integer') && Number.isFinite(Number(answer))) return Number(answer);
  if (type === 'boolean') return /^(y(es)?|true)$/i.test(answer);
  return answer;
}

/** One line, or nothing when the input ended or the person stopped; what is said next stands on a line of its own either way. */
async function readLine(terminal: Terminal, prompt: string, signal: AbortSignal, stop: Stop): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const reader: Interface = createInterface({ input: terminal.input, output: terminal.output });
  const ended = new Promise<undefined>((resolve) => {
    reader.once('close', () => resolve(undefined));
    reader.once('SIGINT', () => (stop.interrupt(), reader.close()));
  });
  const asked = reader.question(prompt, { signal }).catch(() => undefined);
  const answer = await Promise.race([asked, ended]);
  reader.close();
  if (answer === undefined) terminal.output.write('\n');
  return answer?.trim();
}
