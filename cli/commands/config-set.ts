import { changeSettings, maskSecrets, placeText, settingsFile, type Settings, type WriteOutcome } from 'pegboard/settings';

import type { ConfigRequest, Scope } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { readAgain, type Configuration } from '../read-configuration.ts';
import type { SettingsCommand } from '../run-command.ts';

/** `config set`: writes one value and says whether it counts. The text is taken as JSON where it is JSON and fits, else as it is. */
export function configSet({ key, value, scope }: ConfigRequest & { readonly kind: 'config set' }): SettingsCommand {
  return async ({ configuration, screen }) => {
    const path = key.split('.');
    const file = settingsFile(scope, { home: configuration.home, project: configuration.settings.project.folder });
    const write = (what: unknown) => changeSettings(file, [{ kind: 'set', path, value: what }], insideOf(scope, configuration));
    const parsed = parsedJson(value);
    const first = await write(parsed);
    const outcome = first.kind === 'refused' && typeof parsed !== 'string' ? await firstUnlessBetter(first, () => write(value)) : first;
    if (outcome.kind === 'refused') throw outcome.error;
    const { settings } = await readAgain(configuration);
    const why = whyNot(settings, key, file);
    if (screen.json) screen.value({ kind: outcome.kind, file, key, counts: why === undefined, ...(why === undefined ? {} : { why }) });
    else screen.print([`${outcome.kind === 'written' ? 'wrote' : 'nothing to change in'} ${file}: ${key}`]);
    if (why !== undefined) screen.warn(`pegboard: it does not count now: ${why}`);
    return exitCode.done;
  };
}

/** No link in a repository may lead a write out of it. */
export function insideOf(scope: Scope, { settings }: Configuration): string | undefined {
  return scope === 'user' ? undefined : settings.project.folder;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function firstUnlessBetter(first: WriteOutcome, second: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
  const other = await second();
  return other.kind === 'refused' ? first : other;
}

/** Why what stands in a file does not count, if it does not. */
function whyNot(settings: Settings, key: string, file: string): string | undefined {
  for (const each of settings.explain(key)) {
    if (each.kind === 'list' ? each.items.some(({ place }) => place.source === file) : each.winner?.source === file) return undefined;
    const left = (each.kind === 'list' ? each.left : each.losers).find(({ place }) => place.source === file);
    if (left === undefined) continue;
    const winner =
      each.kind === 'value' && each.winner ? ` (${placeText(each.winner)}: ${JSON.stringify(maskSecrets(each.key, each.value))})` : '';
    return `${left.why}${winner}`;
  }
  return `${file} is not read here`;
}
