import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { PegboardError, causeText, type ServerOffer } from 'pegboard';
import { parseJsonc } from 'pegboard/kit';

import { complaintAbout, unusable } from './config.ts';
import { isObject, type JsonObject } from './json.ts';

/** The servers of a file, and what could not be used of it. */
export interface ServerFile {
  readonly offers: readonly ServerOffer[];
  readonly problems: readonly PegboardError[];
}

/**
 * Reads a file of servers: JSON with comments, either `{"mcpServers": {…}}` or the bare map. An entry that cannot be used costs
 * that entry, a file that cannot be read costs that file; both are told, nothing is thrown.
 */
export async function readServerFile(path: string): Promise<ServerFile> {
  const file = resolve(path);
  const failed = (problem: PegboardError): ServerFile => ({ offers: [], problems: [problem] });
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    return failed(new PegboardError('MCP_CONFIG_READ', { file, cause: causeText(cause) }, { cause }));
  }
  const parsed = await parseJsonc(text);
  if (parsed.kind === 'invalid') {
    const { line, column, cause } = parsed;
    return failed(new PegboardError('MCP_CONFIG_SYNTAX', { file, line, column, cause }));
  }
  const servers = serversOf(parsed.value);
  if (servers === undefined) return failed(new PegboardError('MCP_CONFIG_READ', { file, cause: 'it holds no map from names to servers' }));
  const entries = Object.entries(servers).map(([name, definition]) => ({ name, definition, why: complaintAbout(name, definition) }));
  return {
    offers: entries.flatMap(({ name, definition, why }) =>
      why === undefined ? [{ name, definition, origin: file, folder: dirname(file) }] : [],
    ),
    problems: entries.flatMap(({ name, why }) => (why === undefined ? [] : [unusable(name, file, why)])),
  };
}

/** A bare map may carry `$schema` and the like beside its servers. */
function serversOf(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if ('mcpServers' in value) return isObject(value['mcpServers']) ? value['mcpServers'] : undefined;
  return Object.fromEntries(Object.entries(value).filter(([name, each]) => !name.startsWith('$') || isObject(each)));
}
