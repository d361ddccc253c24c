import { createHost, definePlugin, defineTool, parseRule, textOf } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { z } from 'zod';

const tally = defineTool({
  name: 'Tally',
  description: 'Counts the words of a text.',
  input: z.object({ text: z.string() }),
  call: async ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
});

const host = await createHost({
  builtins: builtinPlugins(),
  plugins: [definePlugin({ name: 'words', tools: [tally] })],
  rules: [parseRule('Tally', 'allow', 'cli')],
});

const { matches } = await host.search('how many words are in this text');
const name = matches[0]?.place.tool.name ?? 'Tally';
const outcome = await host.call(name, { text: 'hang every tool on one board' });
console.log(outcome.kind, textOf(outcome.result.content), 'decision' in outcome ? outcome.decision.reason : outcome.message);
await host.close();
