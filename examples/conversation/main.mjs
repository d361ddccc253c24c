import { createHost, definePlugin, defineTool, parseRule } from 'pegboard';
import { z } from 'zod';

// Two messages in one conversation: the second comes while the first is still worked on, and is heard with its next request.
const look = defineTool({
  name: 'Look',
  description: 'Looks something up, which takes a while.',
  input: z.object({ what: z.string() }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  call: async ({ what }, { report }) => {
    report(`looking for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return `${what} is in the cellar`;
  },
});

// Any model is an object with a stream of events; this one asks twice at once, then says what it has heard.
const model = {
  name: 'example',
  strategy: 'append',
  contextTokens: 200_000,
  async *stream({ messages }) {
    if (messages.length === 1) {
      for (const what of ['the ladder', 'the paint'])
        yield { kind: 'block', block: { type: 'tool_use', id: `find-${what.slice(4)}`, name: 'Look', input: { what } } };
      return yield { kind: 'stop', reason: 'tool_use' };
    }
    const heard = messages.flatMap(({ role, content }) => (role === 'user' ? content.filter(({ type }) => type === 'text') : []));
    yield { kind: 'block', block: { type: 'text', text: `I have heard: ${heard.map(({ text }) => text).join(' / ')}` } };
    yield { kind: 'stop', reason: 'end_turn' };
  },
};

const host = await createHost({ plugins: [definePlugin({ name: 'house', tools: [look] })], rules: [parseRule('Look', 'allow', 'cli')] });
const session = host.session();
let told = false;
let answer = '';
let running = 0;
let most = 0;
for await (const event of session.run('where is everything?', { model })) {
  if (event.kind === 'progress') most = Math.max(most, ++running);
  if (event.kind === 'progress' && !told) session.submit('and where is the brush?');
  if (event.kind === 'progress') told = true;
  if (event.kind === 'tool_result') running--;
  if (event.kind === 'text' && event.done) answer = event.text;
  if (event.kind === 'end') console.log(`${event.reason} after ${event.turns} turns, ${most} calls at once`);
}
console.log(answer);
await host.close();
if (most !== 2 || answer !== 'I have heard: where is everything? / and where is the brush?')
  throw new Error(`not as it should be: ${answer}`);
