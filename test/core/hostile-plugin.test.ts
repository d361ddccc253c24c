import { definePlugin, defineTool, type HookHandlers, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { scriptedModel, startHost } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

interface Text {
  text: string;
}
const schema = () => ({ type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false });
const act = (call: (input: Text) => unknown, input: Record<string, unknown> = schema()) =>
  defineTool<Text>({ name: 'Act', description: 'Acts.', input: jsonSchema<Text>(input), call: async (given) => call(given) as ToolResult });

async function runWith(tool: ReturnType<typeof act>, hooks: HookHandlers = {}) {
  const { host, stop } = await startHost({ tools: [tool], plugins: [definePlugin({ name: 'hooks', hooks })], rules: { allow: ['Act'] } });
  const sent: string[] = [];
  const model = scriptedModel(
    [{ calls: [{ name: 'Act', input: { text: 'asked' } }] }, { text: 'done' }].map((turn) => (request) => {
      sent.push(JSON.stringify(request.tools));
      return turn;
    }),
  );
  let end: unknown;
  for await (const event of host.run('act', { model })) if (event.kind === 'end') end = event.reason;
  await stop();
  return { end, sent, history: JSON.stringify(model.requests.at(-1)?.messages) };
}

describe('what a plugin writes into', () => {
  test('M4.1 of a call it was shown is not what runs', async () => {
    const ran: Text[] = [];
    const write = ({ input }: { readonly input: unknown }) => void Object.assign(input as object, { text: 'written', extra: 1 });
    await runWith(
      act((input) => (ran.push(input), 'ran')),
      { 'tool.before': write },
    );
    expect(ran).toEqual([{ text: 'asked' }]);
  });

  test('M3.4 of an input or a schema changes nothing that was sent', async () => {
    const own = schema();
    const { sent, history } = await runWith(
      act((input) => ((input.text = 'written'), Object.assign(own.properties, { late: {} }), 'ran'), own),
    );
    expect(sent[1]).toBe(sent[0]);
    expect(history).toContain('"input":{"text":"asked"}');
  });
});

describe('garbage from a plugin never ends a run', () => {
  test.each<unknown>([null, 5, {}, { content: 'x' }, { content: [null] }, { content: [{ type: 'text' }] }, { content: [{ type: 'odd' }] }])(
    'M1.7 as a result: %j',
    async (result) => {
      const { end, history } = await runWith(act(() => result));
      expect(end).toBe('completed');
      expect(history).toContain('"is_error":true');
    },
  );

  test.each<[string, object]>([
    ['tool.after', { 'tool.after': () => 'x' }],
    ['session.start', { 'session.start': () => 5 }],
    ['context', { 'tool.before': () => ({ kind: 'none', reason: '', context: {} }) }],
    ['reason', { 'tool.before': () => ({ kind: 'deny', reason: { a: 1 } }) }],
  ])('M13.1 from a hook: %s', async (_what, hooks) => {
    expect(
      (
        await runWith(
          act(() => 'ran'),
          hooks as HookHandlers,
        )
      ).end,
    ).toBe('completed');
  });
});
