/** What an endpoint that caches prefixes has of one request, in bytes of what it reads. */
export interface CachedBytes {
  readonly read: number;
  readonly written: number;
  readonly rest: number;
}

interface Block {
  readonly text: string;
  readonly marked: boolean;
}

/** So many blocks before a mark are looked at for a prefix that is kept, as the Anthropic API documents it. */
const LOOKED_BACK = 20;

/** Plays the cache for the bodies of a conversation: a prefix is kept up to each mark, and the longest one that is kept is read. A deferred definition is read where a result refers to it, and nowhere else. */
export function cachedBytes(bodies: readonly string[]): readonly CachedBytes[] {
  const kept = new Set<string>();
  return bodies.map((body) => {
    const blocks = blocksOf(JSON.parse(body) as Body);
    const upTo = blocks.map((_, at) =>
      blocks
        .slice(0, at + 1)
        .map(({ text }) => text)
        .join('\n'),
    );
    const marks = blocks.flatMap(({ marked }, at) => (marked ? [at] : []));
    const seen = marks.flatMap((at) => upTo.slice(Math.max(0, at - LOOKED_BACK + 1), at + 1));
    const read = Math.max(0, ...seen.filter((prefix) => kept.has(prefix)).map(size));
    const marked = Math.max(read, ...marks.map((at) => size(upTo[at] ?? '')));
    for (const at of marks) kept.add(upTo[at] ?? '');
    return { read, written: marked - read, rest: size(upTo.at(-1) ?? '') - marked };
  });
}

interface Body {
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly system?: string | readonly object[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[];
}

/** In the order in which endpoints read: tools, system, messages. */
function blocksOf({ tools = [], system = [], messages }: Body): readonly Block[] {
  const loaded = tools.filter(({ defer_loading: waits }) => waits !== true);
  const waiting = new Map(tools.map(({ defer_loading: _, ...definition }) => [definition['name'], definition]));
  const said = messages.flatMap(({ role, content }) => listOf(content).map((block) => ({ role, ...block })));
  return [...loaded, ...listOf(system), ...said].map((block) => {
    const { cache_control: mark, ...rest } = block as { readonly cache_control?: unknown };
    return { text: JSON.stringify(rest, (_, value: unknown) => expanded(value, waiting)), marked: mark !== undefined };
  });
}

/** The API puts the definition in the place of a reference (messages-api.md, tool search). */
function expanded(value: unknown, definitions: ReadonlyMap<unknown, object>): unknown {
  const { type, tool_name: name } = (value ?? {}) as { readonly type?: unknown; readonly tool_name?: unknown };
  return type === 'tool_reference' ? (definitions.get(name) ?? value) : value;
}

function listOf(content: string | readonly object[]): readonly object[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function size(text: string): number {
  return Buffer.byteLength(text);
}
