import { textOf, type AssistantBlock, type ModelRequest, type ToolUseBlock } from 'pegboard';

import { asksForMore, unsure, wanted, which } from './ask.ts';
import { ABSTAIN_BELOW, rankTools, rivalsOf, unclearOf, type Candidate } from './choose.ts';
import { announced, foundTools, loadedTools, nearestNames, stageOf, type Stage } from './conversation.ts';
import { NOTICE } from './notice.ts';
import { furtherWords, readRequest, searchWords } from './request.ts';
import { nameWords, stemOf, stemsOf } from './words.ts';

const SEARCH_TOOL = 'ToolSearch';
const SHOWN_CHARS = 20_000;

/** What the driver says to a request: a search, then a call, then what came of it. Same request, same answer. */
export function answerTo(request: ModelRequest): readonly AssistantBlock[] {
  const stage = stageOf(request.messages, SEARCH_TOOL, asksForMore);
  switch (stage.kind) {
    case 'nothing asked':
      return [final('Say what you want done.')];
    case 'asked':
      return hasSearch(request) ? [search(request, queryOf(request, stage.request))] : decide(request, rank(request, stage));
    case 'searched':
      return searched(request, stage);
    case 'called':
      return [final(outcome(stage))];
  }
}

function hasSearch(request: ModelRequest): boolean {
  return request.tools.some(({ name }) => name === SEARCH_TOOL);
}

function search(request: ModelRequest, query: string): AssistantBlock {
  return call(request, SEARCH_TOOL, { query });
}

/** Names in a request are left out unless some tool is known by them: an unknown word would only drown the others. */
function queryOf(request: ModelRequest, text: string): string {
  const told = `${announced(request.messages)} ${request.tools.map(({ name }) => name).join(' ')}`;
  const known = new Set([...stemsOf(told), ...told.toLowerCase().split(/[^\p{L}\p{N}]+|__/u)]);
  const knows = (word: string) => known.has(stemOf(word)) || known.has(word.toLowerCase());
  const knowsAll = (word: string) => knows(word) || (/[_-]/.test(word) && nameWords(word).every(knows));
  return searchWords(readRequest(text), knowsAll) || text.slice(0, 200);
}

/** A second search: for the act a question asks for, or for what the values of the request are. Nothing where it says that itself. */
function furtherQuery(request: ModelRequest, text: string): string | undefined {
  const query = queryOf(request, text);
  const asked = new Set(stemsOf(query));
  const { act, values } = furtherWords(readRequest(text));
  if (act !== undefined && asked.size > 0 && !asked.has(stemOf(act))) return `${act} ${query}`;
  return values.filter((word) => !asked.has(stemOf(word))).join(' ') || undefined;
}

type Open = Stage & { readonly kind: 'asked' | 'searched' };

function rank(request: ModelRequest, stage: Open): readonly Candidate[] {
  const [first, ...further] = stage.kind === 'searched' ? stage.answers : [];
  const found = first === undefined ? [] : foundTools(first);
  // How well a tool fits a second search says nothing of how well it fits the request.
  const more = further.flatMap(foundTools).map((tool) => ({ ...tool, found: undefined }));
  const known = [...found, ...more, ...loadedTools(request, SEARCH_TOOL)];
  const tools = [...new Map([...known].reverse().map((tool) => [tool.name, tool])).values()];
  return rankTools(tools, queryOf(request, stage.request), stage.request);
}

/**
 * Where the first search only names what comes nearest, a look at that shows whether it is meant. Where nothing can be called, the
 * values of the request say what else to look for.
 */
function searched(request: ModelRequest, stage: Stage & { readonly kind: 'searched' }): readonly AssistantBlock[] {
  const near = nearestNames(stage.answers[0]);
  const looks = near.length > 0 ? 2 : 1;
  if (stage.answers.length < looks) return [search(request, `select:${near.join(',')}`)];
  const ranked = rank(request, stage);
  const best = ranked[0];
  const callable = best !== undefined && best.confidence >= ABSTAIN_BELOW && best.filled.missing.length === 0 && best.filled.unused === 0;
  const further = furtherQuery(request, stage.request);
  if (!callable && stage.answers.length === looks && further !== undefined) return [search(request, further)];
  return decide(request, ranked);
}

function decide(request: ModelRequest, ranked: readonly Candidate[]): readonly AssistantBlock[] {
  const best = ranked[0];
  if (best === undefined) return [final('There is no tool to choose from.')];
  if (best.confidence < ABSTAIN_BELOW) return [final(unsure(ranked))];
  const unclear = unclearOf(best);
  const rivals = rivalsOf(best, ranked, unclear);
  if (rivals.length > 0)
    return [
      final(which([best, ...rivals].map((candidate) => ({ candidate, needs: [...candidate.filled.missing, ...unclearOf(candidate)] })))),
    ];
  if (best.filled.missing.length + unclear.length > 0) return [final(wanted(best, unclear))];
  const use = call(request, best.tool.name, best.filled.input);
  if (best.tool.readOnly) return [use];
  return [{ type: 'text', text: `About to call ${best.tool.name} with ${JSON.stringify(best.filled.input)}` }, use];
}

/** What the tool said, once: the steps before it were shown already. */
function outcome({ call: { name }, answer }: Stage & { readonly kind: 'called' }): string {
  const text = textOf(answer.content).trimEnd();
  const others = answer.content.filter(({ type }) => type !== 'text').length;
  const more = others > 0 ? `\n(and ${others} ${others === 1 ? 'part that is' : 'parts that are'} not text)` : '';
  const said = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  if (answer.is_error) return said.includes(name) ? said : `${name} did not do it: ${said}`;
  return said === '' && others === 0 ? `${name} is done; it gave no text.` : `${said}${more}`.trimStart();
}

function final(text: string): AssistantBlock {
  return { type: 'text', text: `${text}\n\n(${NOTICE})` };
}

/** Ids count the calls of the conversation, so that they are unique in it and the same each time. */
function call(request: ModelRequest, tool: string, input: unknown): ToolUseBlock {
  const calls = request.messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use')).length;
  return { type: 'tool_use', id: `offline-${calls + 1}`, name: tool, input };
}
