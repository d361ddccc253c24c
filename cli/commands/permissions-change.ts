import { parseRule } from 'pegboard';
import { changeSettings, settingsFile } from 'pegboard/settings';

import { exitCode } from '../exit-code.ts';
import type { PermissionRequest } from '../permission-args.ts';
import { readAgain } from '../read-configuration.ts';
import type { SettingsCommand } from '../run-command.ts';
import { insideOf } from './config-set.ts';

/** `permissions add` and `permissions remove`: one rule in or out of one file, and whether it counts. A rule that could not be used is never written. */
export function permissionsChange(
  request: PermissionRequest & { readonly kind: 'permissions add' | 'permissions remove' },
): SettingsCommand {
  const { kind, list, rule, scope } = request;
  const adds = kind === 'permissions add';
  if (adds) parseRule(rule, list, scope);
  return async ({ configuration, screen }) => {
    const file = settingsFile(scope, { home: configuration.home, project: configuration.settings.project.folder });
    const change = { kind: adds ? 'add' : 'take', path: ['permissions', list], value: rule } as const;
    const outcome = await changeSettings(file, [change], insideOf(scope, configuration));
    if (outcome.kind === 'refused') throw outcome.error;
    const { settings } = await readAgain(configuration);
    const counts = settings.rules.some((each) => each.list === list && each.text === rule && each.place.source === file);
    if (screen.json) screen.value({ kind: outcome.kind, file, list, rule, counts });
    else
      screen.print([
        `${outcome.kind === 'written' ? (adds ? 'added to' : 'removed from') : 'nothing to change in'} ${file}: ${list} ${rule}`,
      ]);
    if (adds && !counts) screen.warn('pegboard: it does not count now; `pegboard config show permissions` says why');
    return exitCode.done;
  };
}
