import { exitCode } from '../exit-code.ts';
import { knownPlugins, type KnownPlugin } from '../known-plugins.ts';
import { shortPath } from '../render/short-path.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsCommand } from '../run-command.ts';

/** `plugin list`: every plugin that lies somewhere, whether it is loaded, and what is wrong with it. Nothing of them is run. */
export function pluginList(all: boolean): SettingsCommand {
  return async ({ configuration, options, screen, report }) => {
    const { known, problems } = await knownPlugins(options.pluginDir, configuration, all);
    for (const { message, code, blame } of problems) report({ message, code, blame });
    const rows = known.map(pluginJson);
    if (screen.json) screen.value(rows);
    else if (rows.length === 0) screen.print(['no plugins; `pegboard plugin add` adds one']);
    else
      screen.print(
        tableLines(
          [
            { title: 'plugin', holds: 'longest' },
            { title: 'kind' },
            { title: 'from' },
            { title: 'state' },
            { title: 'folder', leaves: { turn: 1, to: 'nowhere' } },
          ],
          rows.map(({ name, kind, from, state, folder }) => [
            name,
            kind,
            from,
            state,
            shortPath(folder, configuration.settings.project.folder),
          ]),
          screen.width,
        ),
      );
    return exitCode.done;
  };
}

/** What is known of a plugin without running it. */
export function pluginJson(known: KnownPlugin) {
  const { id, kind, from, folder, enabled } = known;
  const read = known.kind === 'packed' ? known.read : undefined;
  const state = !enabled ? 'disabled' : read?.kind === 'broken' ? 'broken' : 'enabled';
  const version = read?.kind === 'loads' ? read.version : undefined;
  return { name: id, kind, from, folder, state, ...(version === undefined ? {} : { version }), problems: problemsJson(known) };
}

/** The problems of a packed folder; of a native one nothing is known before it runs. */
export function problemsJson(known: KnownPlugin) {
  if (known.kind === 'native') return [];
  return known.read.problems.map((problem) => ({
    kind: problem.kind,
    ...(problem.kind === 'error' ? { type: problem.type } : {}),
    code: problem.error.code,
    message: problem.error.message,
  }));
}
