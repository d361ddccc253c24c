import { causeText, PegboardError } from 'pegboard';
import { searchHistory } from 'pegboard/builtin-plugins';

import { exitCode, type ExitCode } from '../exit-code.ts';
import type { SettingsDesk } from '../run-command.ts';

/** `search-history export`: everything that was learnt from use, as one JSON value with or without `--json`. */
export async function searchHistoryExport({ configuration, screen }: SettingsDesk): Promise<ExitCode> {
  const { file, choices } = read(configuration.home);
  screen.value({ file, choices });
  return exitCode.done;
}

/** `search-history clear`: forgets all of it, also what cannot be read. */
export async function searchHistoryClear({ configuration, screen }: SettingsDesk): Promise<ExitCode> {
  const history = searchHistory(configuration.home);
  const cleared = await history.clear();
  if (screen.json) screen.value({ file: history.file, cleared });
  else screen.print([cleared ? `emptied ${history.file}` : 'There was nothing to forget.']);
  return exitCode.done;
}

function read(home: string) {
  const history = searchHistory(home);
  try {
    return { file: history.file, choices: history.choices() };
  } catch (cause) {
    throw new PegboardError('SEARCH_HISTORY', { cause: causeText(cause) });
  }
}
