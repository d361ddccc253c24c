import { createHost, definePlugin, parseRule } from 'pegboard';
import { builtinPlugins, offlineModel } from 'pegboard/builtin-plugins';
import { mcp, readServerFile } from 'pegboard/mcp';

const { offers } = await readServerFile('examples/demo/mcp.json');
const host = await createHost({
  builtins: [...builtinPlugins(), mcp()],
  plugins: [definePlugin({ name: 'my-servers', contributes: { 'mcp.server': offers } })],
  rules: [parseRule('mcp__filesystem__list_directory', 'allow', 'cli')],
  listen: (event) => event.kind === 'report' && console.error(event.message),
});

await host.settled(30_000);
for await (const event of host.run('list the directory "notes"', { model: offlineModel() })) {
  if (event.kind === 'text') console.log(event.text);
}
await host.close();
