import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { ServerOffer } from 'pegboard';
import type { Settings } from 'pegboard/settings';

import type { Configuration } from './read-configuration.ts';

/**
 * Where a server works whose definition names no folder, if not in the working directory. In a folder nobody trusts a program of the
 * person's own would run what the folder brings: `npx` its packages and its `.npmrc`, `python -m` its modules. There it works in an empty
 * folder of the host's own. What was named on this very command line was meant for this folder.
 */
export function workFolder(offer: ServerOffer, { cwd, home }: Pick<Configuration, 'cwd' | 'home'>, settings: Settings): string | undefined {
  const named = settings.servers.some(({ scope, state }) => scope === 'cli' && 'offer' in state && state.offer === offer);
  if (named || settings.trusted(cwd)) return undefined;
  const empty = join(home, 'cache', 'no-folder');
  mkdirSync(empty, { recursive: true, mode: 0o700 });
  return empty;
}
