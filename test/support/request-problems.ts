import { wireProblems } from './wire-problems.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Fields[];
  readonly at: string;
}

const MARKS_ALLOWED = 4;
const USER_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result', 'tool_result']);
const ASSISTANT_BLOCKS: ReadonlySet<unknown> = new Set([
  'text',
  'tool_use',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
]);
const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const IMAGE_CHARS = 5_242_880;
const RESULT_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image', 'document', 'search_result', 'tool_reference']);

/** What a strict Messages API refuses in the body of a request; nothing when it takes it. */
export function requestProblems(body: unknown): readonly string[] {
  if (!isFields(body)) return ['body: Input should be an object'];
  const { model, max_tokens: maxTokens, messages, system, tools = [] } = body;
  const turns = Array.isArray(messages) ? messages.map(turnOf) : [];
  const everything = [...(Array.isArray(tools) ? tools : []), ...blocksOf(system), ...turns.flatMap(({ blocks }) => blocks)].filter(
    isFields,
  );
  return [
    ...(typeof model === 'string' && model !== '' ? [] : ['model: Field required']),
    ...(Number.isInteger(maxTokens) && Number(maxTokens) > 0 ? [] : ['max_tokens: Input should be a positive integer']),
    ...(Array.isArray(tools) ? wireProblems(tools) : ['tools: Input should be a list']),
    ...markProblems(everything),
    ...blocksOf(system).flatMap((block, at) => textProblems(block, `system.${at}`)),
    ...(turns.length === 0 ? ['messages: at least one message is required'] : []),
    ...(turns[0] !== undefined && turns[0].role !== 'user' ? ['messages: first message must use the "user" role'] : []),
    ...turns.flatMap(turnProblems),
    ...turns.flatMap((turn, i) => pairProblems(turn, turns[i - 1], turns[i + 1])),
    ...referenceProblems(turns, Array.isArray(tools) ? tools : []),
    ...turns.flatMap((turn, i) => pausedProblems(turn, turns[i + 1])),
    ...everything.flatMap((block) => [block, ...inner(block)]).flatMap(imageProblems),
    ...(isWellFormed(body) ? [] : ['body: the request body is not valid JSON: it has half a surrogate pair']),
  ];
}

function turnOf(message: unknown, at: number): Turn {
  const fields = isFields(message) ? message : {};
  return { role: fields['role'], blocks: blocksOf(fields['content']), at: `messages.${at}` };
}

/** Content as blocks: a string is one text block. */
function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map((block: unknown) => (isFields(block) ? block : {})) : [];
}

function inner(block: Fields): readonly Fields[] {
  return block['type'] === 'tool_result' ? blocksOf(block['content']) : [];
}

function markProblems(everything: readonly Fields[]): readonly string[] {
  const marked = everything.flatMap((block) => [block, ...inner(block)]).filter(({ cache_control: mark }) => mark);
  const wrong = marked.filter(({ cache_control: mark }) => !isFields(mark) || mark['type'] !== 'ephemeral');
  return [
    ...(marked.length > MARKS_ALLOWED
      ? [`A maximum of ${MARKS_ALLOWED} blocks with cache_control may be provided. Found ${marked.length}`]
      : []),
    ...(marked.some(({ type, text }) => type === 'text' && text === '') ? ['cache_control cannot be set for empty text blocks'] : []),
    ...wrong.map(({ cache_control: mark }) => `cache_control: ${JSON.stringify(mark)} should have the type "ephemeral"`),
  ];
}

function textProblems(block: Fields, at: string): readonly string[] {
  if (block['type'] !== 'text') return [];
  if (typeof block['text'] !== 'string') return [`${at}.text: Input should be a string`];
  return block['text'].trim() === '' ? [`${at}: text content blocks must be non-empty`] : [];
}

function turnProblems({ role, blocks, at }: Turn): readonly string[] {
  if (role !== 'user' && role !== 'assistant') return [`${at}.role: "${String(role)}" is not taken`];
  if (blocks.length === 0) return [`${at}: all messages must have non-empty content`];
  const known = role === 'user' ? USER_BLOCKS : ASSISTANT_BLOCKS;
  return blocks.flatMap((block, i) => [
    ...(known.has(block['type'])
      ? []
      : [`${at}.content.${i}: a block "${String(block['type'])}" cannot stand in a message of the ${role}`]),
    ...textProblems(block, `${at}.content.${i}`),
    ...inner(block).flatMap((part, j) => [
      ...(RESULT_BLOCKS.has(part['type'])
        ? []
        : [`${at}.content.${i}.content.${j}: a block "${String(part['type'])}" cannot stand in a result`]),
      ...textProblems(part, `${at}.content.${i}.content.${j}`),
    ]),
  ]);
}

/** Every call is answered in the next message, results first and in call order; nothing else is answered. */
function pairProblems(turn: Turn, before: Turn | undefined, next: Turn | undefined): readonly string[] {
  const calls = turn.role === 'assistant' ? idsOf(turn, 'tool_use', 'id') : [];
  const results = turn.role === 'user' ? idsOf(turn, 'tool_result', 'tool_use_id') : [];
  const asked = before?.role === 'assistant' ? idsOf(before, 'tool_use', 'id') : [];
  const answered = next?.role === 'user' ? idsOf(next, 'tool_result', 'tool_use_id') : [];
  const first = turn.blocks.findIndex(({ type }) => type !== 'tool_result');
  const last = turn.blocks.findLastIndex(({ type }) => type === 'tool_result');
  const open = calls.filter((id) => !answered.includes(id));
  const orphans = results.filter((id) => !asked.includes(id));
  const expected = asked.filter((id) => results.includes(id));
  return [
    ...(new Set(calls).size === calls.length ? [] : [`${turn.at}: tool_use ids must be unique`]),
    ...(new Set(results).size === results.length ? [] : [`${turn.at}: each tool_use must have a single result`]),
    ...(open.length > 0 ? [`${turn.at}: tool_use ids were found without tool_result blocks immediately after: ${open.join(', ')}`] : []),
    ...(orphans.length > 0 ? [`${turn.at}: unexpected tool_use_id found in tool_result blocks: ${orphans.join(', ')}`] : []),
    ...(results.length > 0 && first !== -1 && first < last ? [`${turn.at}: tool_result blocks must come first`] : []),
    ...(orphans.length === 0 && expected.join('\n') !== [...new Set(results)].join('\n')
      ? [`${turn.at}: results must stand in the order of their calls`]
      : []),
  ];
}

function idsOf({ blocks }: Turn, type: string, field: string): readonly string[] {
  return blocks.filter((block) => block['type'] === type).map((block) => String(block[field]));
}

function referenceProblems(turns: readonly Turn[], tools: readonly unknown[]): readonly string[] {
  const names = new Set(tools.map((tool) => (isFields(tool) ? tool['name'] : undefined)));
  return turns
    .flatMap(({ blocks }) => blocks.flatMap(inner))
    .filter(({ type, tool_name: name }) => type === 'tool_reference' && !names.has(name))
    .map(({ tool_name: name }) => `Tool reference '${String(name)}' not found in available tools`);
}

/** What an endpoint was about to do itself is gone on with by sending the answer back as the last message. */
function pausedProblems({ role, blocks, at }: Turn, next: Turn | undefined): readonly string[] {
  if (role !== 'assistant' || next === undefined) return [];
  const following = next.role === 'assistant' ? next.blocks : [];
  const answered = new Set([...blocks, ...following].map((block) => block['tool_use_id']));
  const open = blocks.filter(({ type, id }) => type === 'server_tool_use' && !answered.has(id));
  return open.map(({ id }) => `${at}: server_tool_use \`${String(id)}\` was found without its result`);
}

function imageProblems({ type, source }: Fields): readonly string[] {
  if (type !== 'image' || !isFields(source) || source['type'] !== 'base64') return [];
  const { media_type: mediaType, data } = source;
  return [
    ...(IMAGE_TYPES.has(mediaType) ? [] : [`image: "${String(mediaType)}" is no media type that is taken`]),
    ...(typeof data === 'string' && data !== '' ? [] : ['image: its data should be base64']),
    ...(String(data).length > IMAGE_CHARS ? ['image: exceeds 5 MB maximum'] : []),
  ];
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isFields(value) || Object.entries(value).every((entry) => entry.every(isWellFormed));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
