import { parseJsonc, readRegularFile } from 'pegboard/kit';

/** The names of the servers a file of settings or of servers holds; it need not be there, nor be read here. What is broken holds none: whoever writes to it is refused with the place. */
export async function serversInFile(file: string): Promise<readonly string[]> {
  const parsed = await parseJsonc((await readRegularFile(file).catch(() => undefined)) ?? '');
  const value = parsed.kind === 'ok' && isMap(parsed.value) ? parsed.value : {};
  const servers = Object.hasOwn(value, 'mcpServers') || !file.endsWith('.mcp.json') ? value['mcpServers'] : value;
  return isMap(servers) ? Object.keys(servers) : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
