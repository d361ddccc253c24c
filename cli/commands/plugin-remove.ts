import { realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';

import { PegboardError } from 'pegboard';
import { changeSettings, keyOf, placeText, type Place, type SettingChange } from 'pegboard/settings';

import { exitCode } from '../exit-code.ts';
import { findPlugin } from '../find-plugin.ts';
import type { KnownPlugin } from '../known-plugins.ts';
import { lockPlugin } from '../plugin-locks.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';

/** `plugin remove`: what was installed is deleted, what is only named is named no more. Its own data stays. */
export function pluginRemove(name: string): SettingsCommand {
  return async (desk) => {
    const plugin = await findPlugin(name, desk);
    const done = await removed(plugin, desk);
    const path = ['enabledPlugins', plugin.id];
    for (const place of placesOf(keyOf(path), desk)) await changeAt(place, [{ kind: 'remove', path }], desk);
    for (const scope of ['user', 'project'] as const) await lockPlugin(scope, plugin.id, undefined, desk.configuration);
    if (desk.screen.json) desk.screen.value({ name: plugin.id, ...done });
    else desk.screen.print([`removed ${plugin.id} from ${done.from}`]);
    return exitCode.done;
  };
}

async function removed({ id, folder, from }: KnownPlugin, desk: SettingsDesk): Promise<{ readonly from: string }> {
  const { home, settings } = desk.configuration;
  switch (from) {
    case 'line':
      throw new PegboardError('CLI_USAGE', { cause: `The plugin ${id} is given on the command line: leave --plugin-dir out.` });
    case 'catalogue':
      return {
        from:
          placesOf(keyOf(['enabledPlugins', id]), desk)
            .map(({ source }) => source)
            .join(', ') || 'nowhere: it was not enabled',
      };
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
      const here = values.filter((item) => placeText(item.place) === placeText(place)).map(({ value }) => value);
      // Several may stand in one line.
      const meant = here.filter((value) => leadsTo(String(value), folder, settings.project.folder));
      const gone = meant.length > 0 ? meant : here;
      await changeAt(
        place,
        gone.map((value) => ({ kind: 'take', path: ['plugins'], value })),
        desk,
      );
      return { from: place.source };
    }
  }
}

/** The files of the person and the project in which a key stands, whichever of them counts. */
function placesOf(key: string, { configuration }: SettingsDesk): readonly Place[] {
  const found = configuration.settings
    .explain(key)
    .flatMap((each) => (each.kind === 'value' ? [...(each.winner ? [each.winner] : []), ...each.losers.map(({ place }) => place)] : []));
  return found.filter(({ layer }) => layer === 'user' || layer === 'project' || layer === 'local');
}

async function changeAt({ layer, source }: Place, changes: readonly SettingChange[], { configuration }: SettingsDesk): Promise<void> {
  const outcome = await changeSettings(source, changes, layer === 'user' ? undefined : configuration.settings.project.folder);
  if (outcome.kind === 'refused') throw outcome.error;
}

function leadsTo(written: string, folder: string, project: string): boolean {
  try {
    return realpathSync(resolve(project, written.replace(/^~(?=\/|$)/, homedir()))) === folder;
  } catch {
    return false;
  }
}
