import { describe, expect, onTestFinished, test } from 'vitest';
import { requestProblems, startMessagesServer, type ServerTurn } from 'pegboard/testing';

const ask = { model: 'm', max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'hello' }] as unknown[] };
const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
const thinking = { type: 'thinking', thinking: 'Let me see what there is to be done here.', signature: 'sig-1' };
const redacted = { type: 'redacted_thinking', data: 'xyz' };
const call = { type: 'tool_use', id: 'a', name: 'echo', input: { message: 'a message of some length' } };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] };

async function server(...turns: ServerTurn[]) {
  const started = await startMessagesServer(turns);
  onTestFinished(() => started.close());
  const post = (body: unknown, signal?: AbortSignal) =>
    fetch(`${started.url}/v1/messages`, { method: 'POST', body: JSON.stringify(body), headers, ...(signal ? { signal } : {}) });
  return { ...started, post };
}

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: unknown;
  readonly delta?: Readonly<Record<string, string>>;
}

/** The events of a stream, and whether it came to its end. */
async function read(response: Response) {
  let text = '';
  let whole = true;
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
  } catch {
    whole = false;
  }
  const events = text
    .split('\n\n')
    .flatMap((part) => /^data: (.*)$/m.exec(part)?.[1] ?? [])
    .map((line) => JSON.parse(line) as StreamEvent);
  return { events, whole };
}

describe('the strict server streams', () => {
  test('texts, inputs and thoughts come in pieces that add up to the message, with its stop reason and usage', async () => {
    const { post } = await server({
      blocks: [thinking, redacted, { type: 'text', text: 'I will say it again now.' }, call],
      usage: { input_tokens: 7, output_tokens: 9 },
    });
    const response = await post(ask);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const { events, whole } = await read(response);
    expect(whole).toBe(true);
    expect([events[0]?.type, events[1]?.type, events.at(-1)?.type]).toEqual(['message_start', 'ping', 'message_stop']);
    const joined = (index: number, field: string) =>
      events
        .filter((event) => event.index === index)
        .map((event) => event.delta?.[field] ?? '')
        .join('');
    expect([joined(0, 'thinking'), joined(0, 'signature')]).toEqual([thinking.thinking, 'sig-1']);
    expect(events.find(({ index }) => index === 1)?.content_block).toEqual(redacted);
    expect(joined(2, 'text')).toBe('I will say it again now.');
    expect(JSON.parse(joined(3, 'partial_json'))).toEqual(call.input);
    expect(events.filter(({ type }) => type === 'content_block_delta').length).toBeGreaterThan(6);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } });
  });

  test('a call that the limit cuts off has the beginning of its input, and the stop reason says why', async () => {
    const { post } = await server({ text: 'I write', cutCall: { name: 'write', json: '{"file_path":"a' } });
    const { events } = await read(await post(ask));
    const json = events.map((event) => event.delta?.['partial_json'] ?? '').join('');
    expect(json).toBe('{"file_path":"a');
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'max_tokens' } });
  });

  test('a stream may break, or say nothing any more', async () => {
    const { post } = await server(
      { text: 'never heard to its end', ends: { kind: 'breaks', afterEvents: 4 } },
      { text: 'x', ends: { kind: 'silent', afterEvents: 2 } },
    );
    const broken = await read(await post(ask));
    expect([broken.whole, broken.events.length]).toEqual([false, 4]);
    const leave = new AbortController();
    const response = await post(ask, leave.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read().catch(() => 'left');
    leave.abort();
    expect(await next).toBe('left');
  });

  test('an error of the API comes with its type and headers, and a function decides on the request', async () => {
    const { post } = await server({ status: 429, headers: { 'retry-after': '2' } }, (body) => ({
      text: `you are ${String(body['model'])}`,
    }));
    const refused = await post(ask);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error' } });
    expect((await (await post({ ...ask, stream: false })).json()) as object).toMatchObject({ content: [{ text: 'you are m' }] });
  });
});

describe('LOOP-01 what was answered comes back as it was', () => {
  const answer = [thinking, call, { ...thinking, thinking: 'more', signature: 'sig-2' }, redacted, { type: 'text', text: 'so' }];
  const again = (content: unknown) => ({ ...ask, messages: [...ask.messages, { role: 'assistant', content }, result] });

  test.each<readonly [string, unknown[], number]>([
    ['unchanged', answer, 200],
    ['a thought altered', answer.with(0, { ...thinking, thinking: `${thinking.thinking} ` }), 400],
    ['a signature altered', answer.with(0, { ...thinking, signature: 'other' }), 400],
    ['a thought left out', answer.slice(1), 400],
    ['thoughts in another order', [answer[2], answer[1], answer[0], redacted, answer[4]], 400],
    ['a thought behind its call', [call, thinking, ...answer.slice(2)], 400],
    ['a thought of its own', [{ ...thinking, thinking: 'forged', signature: 'forged' }, { ...call }, { type: 'text', text: 'x' }], 400],
  ])('LOOP-01 %s', async (_what, content, status) => {
    const { post } = await server({ blocks: answer }, { text: 'done' });
    await read(await post(ask));
    expect((await post({ ...again(content), stream: false })).status).toBe(status);
  });
});

describe('LOOP-03 a paused answer', () => {
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
  test('LOOP-03 is sent back as the last message, and nothing may follow what it has not finished', async () => {
    const paused = { role: 'assistant', content: [{ type: 'text', text: 'I search' }, search] };
    expect(requestProblems({ ...ask, messages: [...ask.messages, paused] })).toEqual([]);
    expect(requestProblems({ ...ask, messages: [...ask.messages, paused, ...ask.messages] })).toEqual([
      expect.stringContaining('without its result'),
    ]);
  });
});

describe('bodies', () => {
  const image = (mediaType: string, data: string) => ({
    ...ask,
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: mediaType, data } }] }],
  });
  test.each<readonly [string, unknown, string]>([
    ['LOOP-12 half a character', { ...ask, messages: [{ role: 'user', content: 'a \ud83d b' }] }, 'half a surrogate pair'],
    ['an image of an unknown type', image('image/tiff', 'AAAA'), 'no media type'],
    ['an image over 5 MB', image('image/png', 'A'.repeat(5_300_000)), '5 MB'],
  ])('%s is refused', (_what, body, why) => {
    expect(requestProblems(body)).toEqual([expect.stringContaining(why)]);
  });
});
