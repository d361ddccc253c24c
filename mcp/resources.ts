import { PegboardError, causeText, defineTool, errorResult, type Pool, type ResultBlock, type Tool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { adaptContents } from './adapt-result.ts';
import { hiddenBy } from './hidden-server.ts';
import { isObject, type JsonObject } from './json.ts';
import { causeOf, listAll, type Ask } from './list-all.ts';
import type { Servers } from './servers.ts';
import type { ServerSource } from './source.ts';

/** The tools that list and read what servers offer as resources. */
export function resourceTools(servers: Servers): readonly Tool[] {
  return [listResources(servers), readResource(servers)];
}

function listResources(servers: Servers): Tool {
  return defineTool({
    name: 'ListMcpResources',
    description:
      'Lists the resources of connected MCP servers: documents, records and templates of addresses, one JSON object a line with its server and uri; `changedSinceRead` marks what should be read anew. Give `server` to ask only one.',
    searchHint: 'list the resources MCP servers offer to read',
    input: jsonSchema<{ readonly server?: string }>({
      type: 'object',
      properties: { server: { type: 'string', description: 'The name of one server; all of them if left out.' } },
      additionalProperties: false,
    }),
    shouldDefer: true,
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    checkPermissions: async ({ server }, { pool }) => hiddenServer(servers, server, pool),
    call: async ({ server }, { signal, pool }) => {
      const named = server === undefined ? undefined : servers.find(server);
      if (server !== undefined && named === undefined) return errorResult(causeText(servers.unknown(server)));
      const asked = named ? [named] : servers.all().filter((each) => hiddenBy(each, pool) === undefined);
      const parts = await Promise.all(asked.map((each) => resourcesOf(each, signal)));
      const lines = parts.flatMap(({ found, trouble }) => [...found.map((each) => JSON.stringify(each)), ...trouble]);
      const content: readonly ResultBlock[] = [{ type: 'text', text: lines.join('\n') || 'No server offers resources.' }];
      return { content, structuredContent: { resources: parts.flatMap(({ found }) => found) } };
    },
  });
}

function readResource(servers: Servers): Tool {
  return defineTool({
    name: 'ReadMcpResource',
    description: 'Reads one resource of an MCP server by its uri, as ListMcpResources shows it or made from one of its templates.',
    searchHint: 'read a resource of an MCP server by its uri',
    input: jsonSchema<{ readonly server: string; readonly uri: string }>({
      type: 'object',
      properties: {
        server: { type: 'string', description: 'The name of the server.' },
        uri: { type: 'string', description: 'The uri of the resource.' },
      },
      required: ['server', 'uri'],
      additionalProperties: false,
    }),
    shouldDefer: true,
    isConcurrencySafe: () => true,
    toAutoClassifierInput: ({ server, uri }) => `${server} ${uri}`,
    checkPermissions: async ({ server }, { pool }) => hiddenServer(servers, server, pool),
    call: async ({ server, uri }, { signal, report }) => {
      const source = servers.find(server);
      if (source === undefined) return errorResult(causeText(servers.unknown(server)));
      const answer = await source.ask('resources/read', { uri }, signal, { progress: report, repeatable: true });
      const failed = (cause: string) => errorResult(new PegboardError('MCP_CALL', { server, tool: 'resources/read', cause }).message);
      if (answer.kind !== 'result') return failed(causeOf(answer));
      const contents = isObject(answer.result) ? answer.result['contents'] : undefined;
      if (!Array.isArray(contents)) return failed('its answer has no contents');
      source.watched.read(uri);
      return { content: contents.flatMap(adaptContents) };
    },
  });
}

/** Resources, then templates. A server that declared none is not asked, and one that has some need not know of templates. */
export async function resourcesOf(
  source: ServerSource,
  signal: AbortSignal,
): Promise<{ readonly found: readonly object[]; readonly trouble: readonly string[] }> {
  if (!source.hasResources) return { found: [], trouble: [] };
  const ask: Ask = (method, params) => source.ask(method, params, signal);
  const listed = await listAll(ask, 'resources/list', 'resources');
  if (listed.kind === 'failed') return { found: [], trouble: [`${source.name}: its resources could not be listed: ${listed.cause}`] };
  const templates = await listAll(ask, 'resources/templates/list', 'resourceTemplates');
  const all = [...listed.items, ...(templates.kind === 'listed' ? templates.items : [])];
  const changed = ({ uri }: JsonObject) => (source.watched.changed.has(String(uri)) ? { changedSinceRead: true } : {});
  return { found: all.filter(isObject).map((each) => ({ server: source.name, ...each, ...changed(each) })), trouble: listed.warnings };
}

async function hiddenServer(servers: Servers, name: string | undefined, pool: Pool) {
  const source = name === undefined ? undefined : servers.find(name);
  const detail = source && hiddenBy(source, pool)?.message;
  if (detail === undefined) return { kind: 'passthrough' as const };
  return { kind: 'deny' as const, reason: { by: 'tool' as const, detail }, message: detail };
}
