import { randomUUID } from 'node:crypto';

import { PegboardError, defineState, defineTool, revealed, type Tool, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { answerPicture, writeAnswer } from './answer.ts';
import type { Asked } from './learning.ts';

export interface ToolSearchInput {
  readonly query: string;
  readonly max_results?: number;
}

const DEFAULT_DEFINITIONS = 5;
const MOST_DEFINITIONS = 10;
const MORE_NAMES = 5;

/** Marks the searches of one session as belonging together; says nothing of the session. */
const sessionMark = defineState('search-session', () => ({ id: randomUUID().slice(0, 8) }));

/** Finds tools whose definitions are not loaded; what it shows can be called from then on (M3.3). `answered` is told of each search. */
export function toolSearch(answered: (asked: Asked) => void): Tool<ToolSearchInput> {
  return defineTool<ToolSearchInput>({
    name: 'ToolSearch',
    description: [
      'Finds tools whose definitions are not loaded and gives their definitions. A tool can be called once its definition was given.',
      'How to ask:',
      '- one capability a query, in two to eight words, naming the object: "create calendar event", "merge pdf files". Add the server if you know it: "github list issues".',
      '- "select:NameA,NameB" gives tools whose exact names you know.',
      '- "server:github" searches that server only; "+word" must be in the text of the tool, a phrase in quotes as it stands: +slack "send message".',
      'For a task of several steps search once for each step. If nothing fits, try other words before you give up.',
    ].join('\n'),
    searchHint: 'find more tools by name or by what they do',
    input: jsonSchema<ToolSearchInput>({
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few words on what the tool should do, or select:Name' },
        max_results: {
          type: 'integer',
          minimum: 1,
          description: `Most definitions to give; ${DEFAULT_DEFINITIONS} unless given, at most ${MOST_DEFINITIONS}`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    }),
    kind: 'search',
    provides: ['tool-search'],
    alwaysLoad: true,
    /** It bounds its own answer: a definition cut in two would be of no use. */
    maxResultSizeChars: Infinity,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    validateInput: async ({ query }) => (query.trim() === '' ? new PegboardError('SEARCH_QUERY', { query }).message : undefined),
    checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'it only looks at which tools there are' } }),
    display: {
      activity: ({ query }) => `Looking for a tool: ${query}`,
      summary: ({ query }) => query,
      result: (_input, { text }) => answerPicture(text),
    },
    call: (input, context) => findTools(input, context, answered),
  });
}

async function findTools(
  { query, max_results = DEFAULT_DEFINITIONS }: ToolSearchInput,
  context: ToolContext,
  answered: (asked: Asked) => void,
): Promise<ToolResult> {
  const definitions = Math.min(max_results, MOST_DEFINITIONS);
  const found = await context.pool.search(query, { among: 'waiting', limit: definitions + MORE_NAMES });
  const answer = writeAnswer({ query, found, definitions, pool: context.pool });
  const names = context.state(revealed);
  for (const name of answer.shown) names.add(name);
  answered({ query, terms: found.terms, shown: answer.ranked, session: context.state(sessionMark).id });
  const references = context.pool.strategy === 'reference' ? answer.shown : [];
  return {
    content: [{ type: 'text', text: answer.text }, ...references.map((name) => ({ type: 'tool_reference' as const, tool_name: name }))],
  };
}
