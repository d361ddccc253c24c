type Fields = Readonly<Record<string, unknown>>;

const FIXED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/** A block that goes back as it came: what a model thought, and what its endpoint did itself. */
function isFixed({ type }: Fields): boolean {
  return (
    FIXED.has(type) || type === 'server_tool_use' || (typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result'))
  );
}

/**
 * What of a request's history is not as it was answered: `sent` are the contents of all answers so far. Blocks of a kind that must
 * not be touched come back equal to the last character, in their places, and none of them is missing where others of its answer are there.
 */
export function alteredProblems(body: unknown, sent: readonly (readonly Fields[])[]): readonly string[] {
  const messages = (body as { readonly messages?: readonly { readonly role?: unknown; readonly content?: unknown }[] }).messages ?? [];
  return messages.flatMap(({ role, content }, at) => {
    if (role !== 'assistant' || !Array.isArray(content)) return [];
    const blocks = content as readonly Fields[];
    const from = (like: typeof isSame) => sent.find((answer) => answer.some((block) => blocks.some((other) => like(block, other))));
    const origin = from(isSame) ?? from(isAlike);
    const place = `messages.${at}`;
    if (origin === undefined) return blocks.some(isFixed) ? [`${place}: thinking blocks cannot be made up or modified`] : [];
    const expected = origin.filter(isFixed).map((block) => JSON.stringify(block));
    const found = blocks.filter(isFixed).map((block) => JSON.stringify(block));
    if (expected.join('\n') !== found.join('\n'))
      return [`${place}: \`thinking\`, \`redacted_thinking\` and server tool blocks cannot be modified, left out or moved`];
    return inOrder(blocks, origin) ? [] : [`${place}: blocks cannot be reordered or merged`];
  });
}

function isSame(a: Fields, b: Fields): boolean {
  if (a['type'] !== b['type']) return false;
  if (a['type'] === 'tool_use' || a['type'] === 'server_tool_use') return a['id'] === b['id'];
  if (a['type'] === 'thinking') return a['signature'] === b['signature'];
  return isFixed(a) && JSON.stringify(a) === JSON.stringify(b);
}

/** Whether one block may be the other one with another signature. */
function isAlike(a: Fields, b: Fields): boolean {
  return a['type'] === 'thinking' && b['type'] === 'thinking' && a['thinking'] === b['thinking'];
}

/** Whether blocks that came from an answer stand in its order; what was left out is no matter here. */
function inOrder(blocks: readonly Fields[], origin: readonly Fields[]): boolean {
  const places = blocks.map((block) =>
    origin.findIndex((other) => (block['type'] === 'text' ? other['text'] === block['text'] : isSame(block, other))),
  );
  const known = places.filter((place) => place !== -1);
  return known.every((place, at) => at === 0 || place > (known[at - 1] ?? -1));
}
