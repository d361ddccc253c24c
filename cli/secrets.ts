import { join } from 'node:path';

import type { HostOptions, Secrets } from 'pegboard';
import { openSecrets } from 'pegboard/kit';

/** Where the command line keeps secrets, each plugin's by itself. */
export function homeSecrets(home: string): (plugin: string) => Secrets {
  return openSecrets(join(home, 'secrets.json')) satisfies HostOptions['secrets'];
}

/** What the plugin for MCP servers keeps: the sign-ins of the person whose home this is. */
export function signInSecrets(home: string): Secrets {
  return homeSecrets(home)('mcp');
}
