import { ToolIndex, assemblePool, defineTool, type Pool, type Registry, type Tool, type ToolDefinition, type Turn } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

/** A tool that answers with its own name. */
export function fakeTool(name: string, given: Partial<ToolDefinition<Record<string, unknown>>> = {}): Tool<Record<string, unknown>> {
  return defineTool({ name, description: `Does ${name}.`, input: jsonSchema({ type: 'object' }), call: async () => name, ...given });
}

/** A tool of a server, as an MCP plugin would make it. */
export function serverTool(
  server: string,
  name: string,
  given: Partial<ToolDefinition<Record<string, unknown>>> = {},
): Tool<Record<string, unknown>> {
  return fakeTool(`mcp__${server}__${name}`, { shouldDefer: true, searchTerms: [server], ruleNames: [`mcp__${server}`], ...given });
}

/** Puts a server's tools up in a registry, with the server's namespace. */
export function putServer(
  registry: Registry,
  server: string,
  tools: readonly Tool[],
  facts: { readonly instructions?: string } = {},
): void {
  registry.replace(server, tools, { namespace: `mcp__${server}__`, ...facts });
}

/** The pool of a registry, with nothing denied and everything that may wait waiting unless given. */
export function poolOf(registry: Registry, turn: Partial<Turn> = {}, index: ToolIndex = new ToolIndex()): Pool {
  return assemblePool(registry.sources(), {
    denied: () => undefined,
    deferral: { mode: 'always' },
    contextTokens: 200_000,
    strategy: 'append',
    revealed: [],
    search: (pool, query, options) => index.search(pool, query, options),
    ...turn,
  });
}

/** Names, in order. */
export function namesOf(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}
