import { causeText, type CompactionRequest, type Compactor, type Message, type ModelEvent, type ModelRequest } from 'pegboard';
import { timeSignal } from 'pegboard/kit';

import type { SummaryPatience } from './options.ts';

const SYSTEM = 'You write summaries of conversations between a person and an agent. The agent goes on from your summary alone.';
const INSTRUCTION = [
  'Write the summary between <summary> and </summary>. Say, in this order and as exactly as needed to go on:',
  '1. What the person wants, with every condition they set, in their own words where the words matter.',
  '2. What was done: files, commands and calls by name, and what came of each.',
  '3. What is true now: decisions, findings, names, numbers, references to kept results.',
  '4. What is open: errors, questions, what was refused, the next step.',
  'Use plain text only and no tools.',
].join('\n');

const CHARS_PER_TOKEN = 2.4;
/** Of what fits into a request, for the conversation; a third of it at each further try. */
const SHARES: readonly number[] = [0.6, 0.2, 0.07];
const SUMMARY_TOKENS = 8_000;
const CALL_CHARS = 2_000;
const RESULT_CHARS = 4_000;
const LAST_WORDS_CHARS = 4_000;

/** An endpoint that does not answer now: showing it less would not help. */
class Unanswered extends Error {}

/**
 * A history as a summary that its own model writes. The model is shown the conversation as one text, so no kind of block can make the
 * request unusable; where that is too long or fails, less of its middle is shown. Throws when no try gave a summary, and at once where
 * the endpoint does not answer: it wants to be waited for longer than anybody would, failed after it was asked again, or says nothing.
 */
export const summarise: (patience: SummaryPatience) => Compactor = (patience) => async (request) => {
  const { messages, model } = request;
  const limits = { deadline: Date.now() + patience.waitSeconds * 1000, silenceMs: patience.silentSeconds * 1000 };
  let failure: unknown;
  for (const share of SHARES) {
    try {
      const summary = await ask(request, shortened(transcript(messages), share * model.contextTokens * CHARS_PER_TOKEN), limits);
      if (summary !== '') return [{ role: 'user', content: [{ type: 'text', text: goOn(summary, lastWords(messages)) }] }];
      failure = new Error('the model gave no summary');
    } catch (cause) {
      request.signal.throwIfAborted();
      if (cause instanceof Unanswered) throw cause;
      failure = cause;
    }
  }
  throw failure;
};

interface Limits {
  /** No wait is begun that ends later. */
  readonly deadline: number;
  readonly silenceMs: number;
}

async function ask(request: CompactionRequest, conversation: string, limits: Limits): Promise<string> {
  const { model, wish, hear } = request;
  const wanted = wish === undefined ? '' : `\nAbove all, keep this: ${wish}`;
  const text = `<conversation>\n${conversation}\n</conversation>\n\n${INSTRUCTION}${wanted}`;
  const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text }] }];
  const parts: string[] = [];
  const asked = { system: SYSTEM, tools: [], messages, maxTokens: Math.min(SUMMARY_TOKENS, Math.ceil(model.contextTokens / 4)) };
  for await (const event of answered(asked, request, limits)) {
    if (event.kind === 'again') parts.length = 0;
    hear?.(event);
    if (event.kind === 'block' && event.block.type === 'text' && typeof event.block.text === 'string') parts.push(event.block.text);
    if (event.kind === 'stop' && (event.reason === 'refusal' || event.reason === 'model_context_window_exceeded'))
      throw new Error(`the model stopped with ${event.reason}`);
  }
  return summaryIn(parts.join('\n'));
}

/** What a model says, as long as it says something. */
async function* answered(
  asked: ModelRequest,
  { model, signal: outer }: CompactionRequest,
  { deadline, silenceMs }: Limits,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { signal, again, done } = timeSignal(outer, silenceMs);
  /** Why it is asked anew, until it says something. */
  let why: string | undefined;
  try {
    for await (const event of model.stream(asked, signal)) {
      again();
      why = event.kind === 'again' ? event.why : undefined;
      if (event.kind === 'again' && Date.now() + event.waitMs > deadline) throw new Unanswered(`the model did not answer: ${event.why}`);
      yield event;
    }
  } catch (cause) {
    outer.throwIfAborted();
    if (signal.aborted)
      throw new Unanswered(`the model said nothing for ${silenceMs / 1000} s (pluginOptions.transcripts.summary.silentSeconds)`, { cause });
    throw why === undefined || cause instanceof Unanswered ? cause : new Unanswered(causeText(cause), { cause });
  } finally {
    done();
  }
}

/** What stands between the tags; without them everything but what repeats the instruction. */
function summaryIn(text: string): string {
  const tagged = /<summary>([^]*?)(<\/summary>|$)/.exec(text)?.[1];
  const lines = new Set(INSTRUCTION.split('\n').map((line) => line.trim()));
  const own = (tagged ?? text).split('\n').filter((line) => !lines.has(line.trim()));
  return own.join('\n').trim();
}

function goOn(summary: string, last: string): string {
  return [
    'The conversation before this message was long and has been summarised. This is what is left of it:',
    `<conversation-summary>\n${summary.replaceAll(/<\/?conversation-summary/gi, '')}\n</conversation-summary>`,
    ...(last === '' ? [] : [`The last message of the person was:\n${last}`]),
    'Go on from here.',
  ].join('\n\n');
}

/** What the person said last: it must not depend on a summary. */
function lastWords(messages: readonly Message[]): string {
  for (const { role, content } of [...messages].reverse()) {
    if (role !== 'user' || content.some(({ type }) => type === 'tool_result')) continue;
    const [first] = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    if (first !== undefined) return cut(first, LAST_WORDS_CHARS);
  }
  return '';
}

function transcript(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) => content.map((block) => `${role}: ${worded(block)}`));
}

function worded(block: Message['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_use':
      return `[call ${block['name']} ${cut(JSON.stringify(block['input']), CALL_CHARS)}]`;
    case 'tool_result': {
      const parts = Array.isArray(block['content'])
        ? (block['content'] as readonly { readonly type: string; readonly text?: string }[])
        : [];
      const text = parts.map(({ type, text: words }) => words ?? `[${type}]`).join('\n');
      return `[result${block['is_error'] === true ? ' (error)' : ''} ${cut(text, RESULT_CHARS)}]`;
    }
    case 'thinking':
    case 'redacted_thinking':
      return '[thought]';
    default:
      return `[${block.type}]`;
  }
}

/** The beginning, which says what is wanted, and as much of the end as fits. */
function shortened(lines: readonly string[], chars: number): string {
  const all = lines.join('\n\n');
  if (all.length <= chars) return all;
  const head = cut(lines[0] ?? '', chars / 4);
  return `${head}\n\n[… much was left out here …]\n\n${all.slice(-Math.max(0, Math.floor(chars - head.length)))}`;
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, Math.floor(chars))}… [${text.length - Math.floor(chars)} more characters]`;
}
