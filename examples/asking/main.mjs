import { createHost, libraryAsker, reasonText } from 'pegboard';
import { anthropicModel, builtinPlugins, credentialFrom, systemPrompt } from 'pegboard/builtin-plugins';

const stop = new AbortController();
const host = await createHost({
  builtins: builtinPlugins(),
  asker: libraryAsker({
    permission: async ({ tool, decision }) =>
      tool === 'Write'
        ? { kind: 'allow' }
        : { kind: 'deny', message: `this program only lets files be written (${reasonText(decision.reason)})` },
  }),
});
const credential = credentialFrom(process.env);
if (!credential) throw new Error('Set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for an endpoint on this machine.');
const model = await anthropicModel({ model: 'claude-sonnet-5-5', credential, address: process.env.ANTHROPIC_BASE_URL }, stop.signal);

const session = host.session();
for await (const event of session.run('Write a haiku into haiku.txt.', {
  model,
  system: systemPrompt,
  signal: stop.signal,
  maxTurns: 10,
})) {
  if (event.kind === 'text' && event.done) console.log(event.text);
  if (event.kind === 'decision') console.error(`${event.call.tool}: ${event.decision.kind}, ${reasonText(event.decision.reason)}`);
  if (event.kind === 'end') console.error(`ended: ${event.reason}`);
}
await host.close();
