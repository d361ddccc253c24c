import type { Layer } from 'pegboard/settings';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { shortPath } from '../render/short-path.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsDesk } from '../run-command.ts';

/** `config path`: every place that settings could come from, the highest first, and what became of it. */
export async function configPath({ configuration: { settings }, screen }: SettingsDesk): Promise<ExitCode> {
  const rows = settings.layers.map(layerJson);
  if (screen.json) screen.value(rows);
  else
    screen.print(
      tableLines(
        [{ title: 'layer' }, { title: 'state' }, { title: 'place' }, { title: '' }],
        rows.map(({ layer, state, source, why = '' }) => [layer, state, shortPath(source, settings.project.folder), why]),
        screen.width,
      ),
    );
  return exitCode.done;
}

/** One layer as JSON and tables have it. */
export function layerJson({ name, source, state }: Layer) {
  const why = 'error' in state ? state.error.message : 'why' in state ? state.why : undefined;
  return { layer: name, source, state: state.kind, ...(why === undefined ? {} : { why }) };
}
