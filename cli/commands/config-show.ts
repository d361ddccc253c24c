import { nearest, PegboardError } from 'pegboard';
import { keyOf, pathOf, placeText, type Explanation, type Place, type Settings } from 'pegboard/settings';

import { exitCode } from '../exit-code.ts';
import { explainPath, masked } from '../explain-key.ts';
import { shellWord } from '../render/shell-word.ts';
import { shown } from '../render/shown.ts';
import type { SettingsCommand } from '../run-command.ts';
import type { Line, Screen } from '../screen.ts';

/** Beyond that a value is for `--json`. */
const VALUE_CHARS = 1_000;

/** `config show`: what each key is, where that stands, and what it won over. A key that has one value is one object, anything above is a list. */
export function configShow(key: string | undefined): SettingsCommand {
  return async ({ configuration: { settings }, screen }) => {
    const path = key === undefined ? [] : (pathOf(key) ?? [key]);
    const found = explained(settings, key, path);
    if (key !== undefined && found.length === 0) throw new PegboardError('CLI_KEY', { key, near: nearText(key, settings.keys) });
    const [only] = found;
    if (screen.json) screen.value(only !== undefined && only.key === keyOf(path) ? only : found);
    else show(found, screen);
    return exitCode.done;
  };
}

/** A name with a dot in it may be typed as it is, where nothing else is meant by that. */
function explained(settings: Settings, key: string | undefined, path: readonly string[]): readonly Explanation[] {
  const found = key === undefined ? settings.explain('').map(masked) : explainPath(settings, path);
  return found.length > 0 || key === undefined ? found : settings.explain(key).map(masked);
}

function nearText(key: string, keys: readonly string[]): string {
  const near = nearest(key, keys);
  return near === undefined ? `; \`pegboard config set ${shellWord(key)} …\` does` : `; the nearest key is "${near}"`;
}

function show(found: readonly Explanation[], screen: Screen): void {
  screen.print(found.length === 0 ? ['No setting has a value here.'] : found.flatMap(lines));
}

function lines(each: Explanation): readonly Line[] {
  const dim = (value: unknown, place: Place, why: string): Line => [
    { text: `  ${text(value)}  ${placeText(place)} (${place.layer}): ${why}`, style: 'dim' },
  ];
  const row = (value: unknown, place: Place): Line => [
    `  ${text(value)}  `,
    { text: `${placeText(place)} (${place.layer})`, style: 'cyan' },
  ];
  const head: Line = [{ text: each.key, style: 'bold' }];
  if (each.kind === 'list')
    return [
      head,
      ...each.items.map(({ value, place }) => row(value, place)),
      ...each.left.map(({ value, place, why }) => dim(value, place, why)),
    ];
  const winner = each.winner === undefined ? ['  no value counts'] : [row(each.value, each.winner)];
  return [head, ...winner, ...each.losers.map(({ value, place, why }) => dim(value, place, why))];
}

function text(value: unknown): string {
  return shown(JSON.stringify(value) ?? 'unset', VALUE_CHARS);
}
