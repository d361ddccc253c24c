import { describe, expect, onTestFinished, test } from 'vitest';
import { requestProblems, startMessagesServer, wireProblems, type ServerTurn } from 'pegboard/testing';

const object = { type: 'object' };
const echo = { name: 'echo', description: 'Says it again.', input_schema: object };
const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
const call = { type: 'tool_use', id: 'a', name: 'echo', input: {} };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'hello' };

async function server(...responses: ServerTurn[]) {
  const started = await startMessagesServer(responses);
  onTestFinished(() => started.close());
  const post = async (body: unknown, headers: Record<string, string> = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${started.url}/v1/messages`, { method: 'POST', body: text, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...started, post };
}

describe('the strict server', () => {
  test('answers a script as whole messages and remembers what came', async () => {
    const { post, requests } = await server({ text: 'hi', calls: [{ name: 'echo', input: { message: 'x' } }] }, { text: 'done' });
    const first = await post({ ...ask, tools: [echo] });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 'call-1-1', name: 'echo', input: { message: 'x' } },
      ],
    });
    expect((await post(ask)).body).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'done' }] });
    expect((await post(ask)).status).toBe(500);
    expect(requests.map(({ problems }) => problems)).toEqual([[], [], []]);
  });

  test('refuses with the error the API gives, naming what is wrong, and keeps its response', async () => {
    const { post, requests } = await server({ text: 'still here' });
    const refused = await post({ ...ask, tools: [{ ...echo, name: 'no spaces' }] });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: `tools.0.name: "no spaces" should match '^[a-zA-Z0-9_-]{1,64}$'` },
    });
    expect(requests[0]?.problems).toHaveLength(1);
    expect((await post(ask)).status).toBe(200);
  });

  test.each([
    ['what is not JSON', '{', undefined, 400, 'invalid_request_error'],
    ['no credentials', ask, { 'anthropic-version': '2023-06-01' }, 401, 'authentication_error'],
    ['no version', ask, { authorization: 'Bearer k' }, 400, 'invalid_request_error'],
  ])('refuses %s', async (_what, body, headers, status, type) => {
    const { post } = await server({ text: 'never' });
    const refused = await post(body, headers);
    expect(refused).toMatchObject({ status, body: { error: { type } } });
  });

  test('knows no other address', async () => {
    const { url } = await server();
    expect((await fetch(`${url}/v1/models`)).status).toBe(404);
  });
});

describe('tools', () => {
  const schemaOf = (schema: unknown) => wireProblems([{ ...echo, input_schema: schema }]);

  test('takes good ones', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/x~1y' },
        b: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        c: { $ref: '#here' },
        $ref: { type: 'string' },
      },
      $defs: { 'x/y': { type: ['string', 'null'] }, z: { $anchor: 'here', items: { $ref: '#' } } },
      default: { $ref: 'only data' },
      required: ['a'],
      additionalProperties: false,
    };
    expect(schemaOf(schema)).toEqual([]);
    expect(wireProblems([echo, { ...echo, name: 'later', defer_loading: true, strict: true }])).toEqual([]);
    expect(wireProblems([])).toEqual([]);
  });

  test.each([
    ['a name with a dot', [{ ...echo, name: 'a.b' }], 'tools.0.name'],
    ['a name of 65', [{ ...echo, name: 'x'.repeat(65) }], 'tools.0.name'],
    ['no name', [{ input_schema: object }], 'tools.0.name'],
    ['one name twice', [echo, echo], 'unique'],
    ['only deferred ones', [{ ...echo, defer_loading: true }], 'At least one tool'],
    [
      'a mark on a deferred one',
      [echo, { ...echo, name: 'b', defer_loading: true, cache_control: { type: 'ephemeral' } }],
      'tools.1: cache_control',
    ],
    ['a field of ours', [{ ...echo, searchHint: 'x' }], 'tools.0.searchHint'],
    ['no schema', [{ name: 'a' }], 'tools.0.input_schema: Input should be an object'],
    ['what is no tool', [null], 'tools.0.name'],
  ])('refuses %s', (_what, tools, place) => {
    expect(wireProblems(tools).join('\n')).toContain(place);
  });

  test.each([
    ['another root', { type: 'string' }, 'input_schema.type'],
    ['no type at the root', { properties: {} }, 'input_schema.type'],
    ['a combinator at the root', { ...object, anyOf: [{}] }, 'anyOf at the top level'],
    ['a reference that leads nowhere', { ...object, properties: { a: { $ref: '#/$defs/gone' } } }, 'properties.a.$ref'],
    ['a reference into the net', { ...object, items: { $ref: 'https://example.org/s.json' } }, 'items.$ref'],
    ['a reference into the prototype', { ...object, items: { $ref: '#/constructor' } }, 'items.$ref'],
    ['an unknown dialect', { ...object, $schema: 'https://example.org/mine' }, '$schema'],
    ['a type nobody knows', { ...object, properties: { a: { type: 'any' } } }, 'properties.a.type'],
    ['required as a flag', { ...object, properties: { a: { type: 'string', required: true } } }, 'properties.a.required'],
    ['a member that is no schema', { ...object, properties: { a: 'string' } }, 'properties.a: Input should be a schema'],
    [
      'a broken one deep inside',
      { ...object, properties: { a: { items: { oneOf: [{ $ref: '#/no' }] } } } },
      'properties.a.items.oneOf.0.$ref',
    ],
  ])('refuses a schema with %s', (_what, schema, place) => {
    const problems = schemaOf(schema);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(place);
  });
});

describe('messages', () => {
  const talk = (...messages: unknown[]) =>
    requestProblems({ ...ask, tools: [echo], messages: [{ role: 'user', content: 'go' }, ...messages] });
  const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
  const user = (...content: unknown[]) => ({ role: 'user', content });

  test('takes a call with its result', () => {
    expect(talk(assistant(call), user(result, { type: 'text', text: 'and on' }))).toEqual([]);
  });

  test.each([
    ['a call without a result', talk(assistant(call)), 'without tool_result'],
    ['a call answered too late', talk(assistant(call), user({ type: 'text', text: 'wait' }), user(result)), 'without tool_result'],
    ['a result nobody asked for', talk(user(result)), 'unexpected tool_use_id'],
    ['one call answered twice', talk(assistant(call), user(result, result)), 'single result'],
    ['two calls of one id', talk(assistant(call, call), user(result)), 'ids must be unique'],
    ['a text before the result', talk(assistant(call), user({ type: 'text', text: 'x' }, result)), 'must come first'],
    [
      'results in another order',
      talk(assistant(call, { ...call, id: 'b' }), user({ ...result, tool_use_id: 'b' }, result)),
      'order of their calls',
    ],
    ['an empty text', talk(assistant({ type: 'text', text: '' })), 'non-empty'],
    ['an empty message', talk(assistant()), 'non-empty content'],
    ['a result in an assistant message', talk(assistant(result)), 'cannot stand in a message of the assistant'],
    ['an unknown role', talk({ role: 'tool', content: 'x' }), 'role'],
    [
      'a reference to a tool that is not sent',
      talk(assistant(call), user({ ...result, content: [{ type: 'tool_reference', tool_name: 'gone' }] })),
      "Tool reference 'gone'",
    ],
    ['an assistant first', requestProblems({ ...ask, messages: [assistant({ type: 'text', text: 'x' })] }), 'first message'],
    ['no message', requestProblems({ ...ask, messages: [] }), 'at least one'],
    ['no model', requestProblems({ ...ask, model: '' }), 'model'],
    ['no limit', requestProblems({ ...ask, max_tokens: 0 }), 'max_tokens'],
    ['no object', requestProblems([]), 'body'],
  ])('refuses %s', (_what, problems, sentence) => {
    expect(problems.join('\n')).toContain(sentence);
  });

  test('allows four breakpoints and none on an empty text', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const system = (count: number) => Array.from({ length: count }, (_, i) => ({ type: 'text', text: `${i}`, ...mark }));
    expect(requestProblems({ ...ask, system: system(4) })).toEqual([]);
    expect(requestProblems({ ...ask, system: system(4), tools: [{ ...echo, ...mark }] })).toEqual([
      'A maximum of 4 blocks with cache_control may be provided. Found 5',
    ]);
    expect(requestProblems({ ...ask, system: [{ type: 'text', text: '', ...mark }] })).toContain(
      'cache_control cannot be set for empty text blocks',
    );
  });
});
