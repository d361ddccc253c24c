import { createHost, definePlugin, defineTool, parseRule } from 'pegboard';
import { z } from 'zod';

// A run that is stopped by a signal, and one that is bounded: each ends with its reason, and the conversation can go on.
const wait = defineTool({
  name: 'Wait',
  description: 'Waits until it is told to stop.',
  input: z.object({}),
  call: (_input, { signal, report }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('told to stop')));
      report('waiting');
    }),
});
const count = defineTool({
  name: 'Count',
  description: 'Counts on.',
  input: z.object({}),
  isReadOnly: () => true,
  call: async () => 'one more',
});

const calling = (name) => ({
  name: 'example',
  strategy: 'append',
  contextTokens: 200_000,
  async *stream({ messages }) {
    yield { kind: 'block', block: { type: 'tool_use', id: `call-${messages.length}`, name, input: {} } };
    yield { kind: 'stop', reason: 'tool_use', usage: { input_tokens: 400, output_tokens: 20 } };
  },
});

const host = await createHost({
  plugins: [definePlugin({ name: 'patience', tools: [wait, count] })],
  rules: ['Wait', 'Count'].map((name) => parseRule(name, 'allow', 'cli')),
});

const stop = new AbortController();
const ends = [];
const session = host.session();
for await (const event of session.run('wait', { model: calling('Wait'), signal: stop.signal })) {
  if (event.kind === 'progress') stop.abort();
  if (event.kind === 'end') ends.push(event.reason);
}
for await (const event of session.run('count', { model: calling('Count'), maxTurns: 3 })) if (event.kind === 'end') ends.push(event.reason);
for await (const event of host.run('count', { model: calling('Count'), tokenBudget: 1_000 }))
  if (event.kind === 'end') ends.push(event.reason);
await host.close();

const results = session.messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
console.log(ends.join(', '), `with ${results.length} results`);
if (ends.join() !== 'aborted_tools,max_turns,token_budget' || results.length !== 4)
  throw new Error(`not as it should be: ${ends.join(', ')}`);
