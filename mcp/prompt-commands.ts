import { PegboardError, type CommandOffer, type CommandText, type ImageBlock, type TextBlock } from 'pegboard';

import { adaptBlock } from './adapt-result.ts';
import { complete } from './complete.ts';
import { hiddenBy } from './hidden-server.ts';
import { isObject } from './json.ts';
import { causeOf } from './list-all.ts';
import { givenArguments, splitWords, usageOf } from './prompt-words.ts';
import type { ServerPrompt } from './prompts.ts';
import type { ServerSource } from './source.ts';

/** The prompts of a server as commands. */
export function promptCommands(source: ServerSource): readonly CommandOffer[] {
  return source.prompts.map((prompt) => ({
    name: prompt.command,
    description: prompt.description,
    arguments: prompt.arguments,
    hidden: (pool) => hiddenBy(source, pool) !== undefined,
    expand: async (words, { pool, signal }) => {
      const hidden = hiddenBy(source, pool);
      return hidden === undefined ? getPrompt(source, prompt, words, signal) : { kind: 'wrong', error: hidden };
    },
    complete: async (words, { pool, signal }) => (hiddenBy(source, pool) === undefined ? completeLast(source, prompt, words, signal) : []),
  }));
}

async function getPrompt(source: ServerSource, prompt: ServerPrompt, words: string, signal: AbortSignal): Promise<CommandText> {
  const read = givenArguments(splitWords(words), prompt.arguments);
  if (read.kind === 'wrong') {
    const usage = usageOf(prompt.command, prompt.arguments);
    return { kind: 'wrong', error: new PegboardError('MCP_PROMPT_WORDS', { command: prompt.command, why: read.why, usage }) };
  }
  // One that takes none need not know of arguments; one that takes some may insist on them, even if all are left out.
  const params = { name: prompt.name, ...(prompt.arguments.length === 0 ? {} : { arguments: read.given }) };
  const answer = await source.ask('prompts/get', params, signal, { repeatable: true });
  const failed = (cause: string): CommandText => ({
    kind: 'wrong',
    error: new PegboardError('MCP_CALL', { server: source.name, tool: 'prompts/get', cause }),
  });
  if (answer.kind !== 'result') return failed(causeOf(answer));
  const messages = isObject(answer.result) ? answer.result['messages'] : undefined;
  if (!Array.isArray(messages)) return failed('its answer has no messages');
  const content = contentOf(messages.filter(isObject));
  return content.length === 0 ? failed('its messages are empty') : { kind: 'prompt', content };
}

/** All messages as one. Who said what is told where not all of it is the person's. */
function contentOf(messages: readonly { readonly [member: string]: unknown }[]): readonly (TextBlock | ImageBlock)[] {
  const alone = messages.every(({ role }) => role !== 'assistant');
  return messages.flatMap(({ role, content }) => {
    const blocks = [content].flat().flatMap(adaptBlock).filter(isShowable);
    return alone || blocks.length === 0
      ? blocks
      : [{ type: 'text' as const, text: role === 'assistant' ? 'Assistant:' : 'User:' }, ...blocks];
  });
}

function isShowable(block: { readonly type: string }): block is TextBlock | ImageBlock {
  return block.type === 'text' || block.type === 'image';
}

/** The last word is the one that is being written; after white space that is an empty one. */
async function completeLast(source: ServerSource, { name, arguments: wanted }: ServerPrompt, words: string, signal: AbortSignal) {
  const written = splitWords(words);
  const all = /\s$/.test(words) || written.length === 0 ? [...written, ''] : written;
  const argument = wanted[all.length - 1];
  if (argument === undefined) return [];
  const before = Object.fromEntries(wanted.slice(0, all.length - 1).map((each, at) => [each.name, all[at] ?? '']));
  return complete(source, { type: 'ref/prompt', name }, { name: argument.name, value: all.at(-1) ?? '' }, before, signal);
}
