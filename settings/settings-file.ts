import { basename, join } from 'node:path';

import { isObject, type JsonObject } from './object.ts';

const SERVERS = '.mcp.json';

/** Which file a scope writes; `mcp` is where a project's servers stand. */
export function settingsFile(
  scope: 'local' | 'project' | 'user' | 'mcp',
  { home, project }: { readonly home: string; readonly project: string },
): string {
  const files = {
    local: join(project, '.pegboard', 'settings.local.json'),
    project: join(project, '.pegboard', 'settings.json'),
    user: join(home, 'settings.json'),
    mcp: join(project, SERVERS),
  };
  return files[scope];
}

/** Is this file of servers the map of them itself, without `mcpServers` around it? An empty one is not. */
export function isBareMap(file: string, value: JsonObject): boolean {
  return basename(file) === SERVERS && !Object.hasOwn(value, 'mcpServers') && Object.values(value).some(isObject);
}
