import { rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { PegboardError } from 'pegboard';
import { changeSettings, placeText } from 'pegboard/settings';

import { exitCode } from '../exit-code.ts';
import { findPlugin } from '../find-plugin.ts';
import type { KnownPlugin } from '../known-plugins.ts';
import { lockPlugin } from '../plugin-locks.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { writeSettings } from '../write-settings.ts';

/** `plugin remove`: what was installed is deleted, what is only named is named no more. Its own data stays. */
export function pluginRemove(name: string): SettingsCommand {
  return async (desk) => {
    const plugin = await findPlugin(name, desk);
    const done = await removed(plugin, desk);
    const { enabled } = desk.configuration.settings;
    if (Object.hasOwn(enabled, plugin.id))
      await writeSettings('user', [{ kind: 'remove', path: ['enabledPlugins', plugin.id] }], desk.configuration);
    for (const scope of ['user', 'project'] as const) await lockPlugin(scope, plugin.id, undefined, desk.configuration);
    if (desk.screen.json) desk.screen.value({ name: plugin.id, ...done });
    else desk.screen.print([`removed ${plugin.id} from ${done.from}`]);
    return exitCode.done;
  };
}

async function removed({ id, folder, from }: KnownPlugin, { configuration }: SettingsDesk): Promise<{ readonly from: string }> {
  const { home, settings } = configuration;
  switch (from) {
    case 'line':
      throw new PegboardError('CLI_USAGE', { cause: `The plugin ${id} is given on the command line: leave --plugin-dir out.` });
    case 'catalogue':
      return { from: await writeSettings('user', [{ kind: 'remove', path: ['enabledPlugins', id] }], configuration) };
    case 'store': {
      const [top = ''] = relative(join(home, 'plugins'), folder).split(sep);
      await rm(join(home, 'plugins', top), { recursive: true });
      return { from: join(home, 'plugins') };
    }
    case 'settings': {
      const named = settings.plugins.find((each) => each.folder === folder);
      if (named === undefined) throw new PegboardError('CLI_USAGE', { cause: `No file of settings names ${folder}.` });
      const { place } = named;
      const values = settings.explain('plugins').flatMap((each) => (each.kind === 'list' ? each.items : []));
      const written = values.filter((item) => placeText(item.place) === placeText(place)).map(({ value }) => value);
      const within = place.layer === 'user' ? undefined : settings.project.folder;
      const outcome = await changeSettings(
        place.source,
        written.map((value) => ({ kind: 'take', path: ['plugins'], value })),
        within,
      );
      if (outcome.kind === 'refused') throw outcome.error;
      return { from: place.source };
    }
  }
}
