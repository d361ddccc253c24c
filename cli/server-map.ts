import { readFile } from 'node:fs/promises';

import { parseJsonc } from 'pegboard/kit';

/** How a file of settings or servers holds its servers: under `mcpServers`, or as a bare map. */
export interface ServerMap {
  readonly form: 'under-key' | 'bare';
  readonly names: readonly string[];
}

/** Looks into a file, which need not be there. What is broken holds nothing: whoever writes to it is refused with the place. */
export async function serverMapOf(file: string): Promise<ServerMap> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const parsed = await parseJsonc(text.replace(/^\uFEFF/, ''));
  const value = parsed.kind === 'invalid' || !isMap(parsed.value) ? {} : parsed.value;
  const bare =
    file.endsWith('.mcp.json') && !Object.hasOwn(value, 'mcpServers') && Object.keys(value).some((name) => !name.startsWith('$'));
  const servers = bare ? value : value['mcpServers'];
  return { form: bare ? 'bare' : 'under-key', names: isMap(servers) ? Object.keys(servers) : [] };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
