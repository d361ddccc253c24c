import { firstSentence, textOf, type AssistantBlock, type ModelRequest, type ToolUseBlock } from 'pegboard';

import { ABSTAIN_BELOW, rankTools, type Candidate } from './choose.ts';
import { announced, foundTools, loadedTools, stageOf, type Stage } from './conversation.ts';
import { NOTICE } from './notice.ts';
import type { Parameter } from './parameters.ts';
import { readRequest, searchWords } from './request.ts';
import { stemOf, stemsOf } from './words.ts';

const SEARCH_TOOL = 'ToolSearch';
const ASKING = 'To go on I need: ';
const SHOWN_CHARS = 20_000;

/** What the driver says to a request: a search, then a call, then what came of it. Same request, same answer. */
export function answerTo(request: ModelRequest): readonly AssistantBlock[] {
  const stage = stageOf(request.messages, SEARCH_TOOL, (text) => text.includes(ASKING));
  switch (stage.kind) {
    case 'nothing asked':
      return [final('Say what you want done.')];
    case 'asked':
      return hasSearch(request) ? [search(request, stage.request)] : choose(request, stage.request, []);
    case 'searched':
      return choose(request, stage.request, foundTools(stage.answer));
    case 'called':
      return [final(outcome(stage))];
  }
}

function hasSearch(request: ModelRequest): boolean {
  return request.tools.some(({ name }) => name === SEARCH_TOOL);
}

function search(request: ModelRequest, text: string): AssistantBlock {
  return call(request, SEARCH_TOOL, { query: queryOf(request, text) });
}

/** Names in a request are left out unless some tool is known by them: an unknown word would only drown the others. */
function queryOf(request: ModelRequest, text: string): string {
  const told = `${announced(request.messages)} ${request.tools.map(({ name }) => name).join(' ')}`;
  const known = new Set([...stemsOf(told), ...told.toLowerCase().split(/[^\p{L}\p{N}]+|__/u)]);
  return searchWords(readRequest(text), (word) => known.has(stemOf(word)) || known.has(word.toLowerCase())) || text.slice(0, 200);
}

function choose(request: ModelRequest, text: string, found: ReturnType<typeof foundTools>): readonly AssistantBlock[] {
  const loaded = loadedTools(request, SEARCH_TOOL).filter(({ name }) => !found.some((each) => each.name === name));
  const ranked = rankTools([...found, ...loaded], queryOf(request, text), text);
  const best = ranked[0];
  if (best === undefined) return [final('There is no tool to choose from.')];
  if (best.confidence < ABSTAIN_BELOW) return [final(unsure(ranked))];
  if (best.filled.missing.length > 0) return [final(wanted(best))];
  const use = call(request, best.tool.name, best.filled.input);
  if (best.tool.readOnly) return [use];
  return [{ type: 'text', text: `About to call ${best.tool.name} with ${JSON.stringify(best.filled.input)}` }, use];
}

function unsure(ranked: readonly Candidate[]): string {
  const lines = ranked.slice(0, 3).map(({ tool }) => `- ${tool.name}: ${firstSentence(tool.description)}`);
  return ['No tool fits this well enough, so nothing was called. The nearest are:', ...lines, 'Say it in the words of one of them.'].join(
    '\n',
  );
}

function wanted({ tool, filled }: Candidate): string {
  const lines = filled.missing.map(
    (parameter) => `- ${parameter.key}${parameter.description ? `: ${firstSentence(parameter.description)}` : ''}`,
  );
  const how = filled.missing.map((parameter) => `${parameter.key}=${example(parameter)}`).join(' ');
  const have = Object.keys(filled.input).length > 0 ? ` I have ${JSON.stringify(filled.input)}.` : '';
  return [`${tool.name} fits, but not all it needs was said, so it was not called.${have}`, `${ASKING}${how}`, ...lines].join('\n');
}

function example({ type }: Parameter): string {
  switch (type.kind) {
    case 'number':
      return '1';
    case 'boolean':
      return 'true';
    case 'choice':
      return type.values.map(String).join('|');
    case 'list':
      return '["…"]';
    case 'object':
      return '{…}';
    default:
      return '"…"';
  }
}

function outcome({ call: { name }, answer }: Stage & { readonly kind: 'called' }): string {
  const text = textOf(answer.content);
  const others = answer.content.length - answer.content.filter(({ type }) => type === 'text').length;
  const more = others > 0 ? `\n(and ${others} ${others === 1 ? 'part that is' : 'parts that are'} not text)` : '';
  const said = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  if (answer.is_error) return `${name} did not do it:\n${said}`;
  return said === '' && others === 0 ? `${name} is done; it gave no text.` : `${name} answered:\n${said}${more}`;
}

function final(text: string): AssistantBlock {
  return { type: 'text', text: `${text}\n\n(${NOTICE})` };
}

/** Ids count the calls of the conversation, so that they are unique in it and the same each time. */
function call(request: ModelRequest, tool: string, input: unknown): ToolUseBlock {
  const calls = request.messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use')).length;
  return { type: 'tool_use', id: `offline-${calls + 1}`, name: tool, input };
}
