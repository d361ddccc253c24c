// An MCP server with one tool, whose answer is one text of as many bytes as the first argument says.
import { createInterface } from 'node:readline';

const bytes = Number(process.argv[2]);
const tool = { name: 'answer', description: 'Answers at length.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'long', version: '1.0.0' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'a line of an answer\n'.repeat(bytes / 20) }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: `${method} is not known` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
