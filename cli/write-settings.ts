import { changeSettings, settingsFile, type SettingChange } from 'pegboard/settings';

import type { Scope } from './config-args.ts';
import type { Configuration } from './read-configuration.ts';

/** Changes the settings of a scope and says which file that is. Throws what keeps it from being written; no link of a repository leads a write out of it. */
export async function writeSettings(scope: Scope, changes: readonly SettingChange[], { home, settings }: Configuration): Promise<string> {
  const project = settings.project.folder;
  const file = settingsFile(scope, { home, project });
  const outcome = await changeSettings(file, changes, scope === 'user' ? undefined : project);
  if (outcome.kind === 'refused') throw outcome.error;
  return file;
}
