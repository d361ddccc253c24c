import { nearest, PegboardError } from 'pegboard';

import { entriesOf, objectOf, placeIn, type Entry, type Sheet } from './entry.ts';
import { placeText, type Problem } from './layer.ts';
import { isObject, type JsonObject } from './object.ts';
import { isPlain } from './plain-value.ts';
import type { Misfit } from './schema.ts';

type Path = readonly (string | number)[];

/** The entries that fit the schema, and what is wrong with the others: one bad value costs that value only. */
export async function checkEntries(
  entries: readonly Entry[],
  sheet: Sheet,
  knownKeys: readonly string[],
): Promise<{ readonly entries: readonly Entry[]; readonly problems: readonly Problem[] }> {
  if (entries.every((entry) => knownKeys.includes(entry.path[0] ?? '') || isPlain(entry))) return { entries, problems: [] };
  const { misfitsOf } = await import('./schema.ts');
  const foreign = entries.filter(({ path }) => knownKeys.includes(path[0] ?? ''));
  let value = objectOf(entries.filter((entry) => !foreign.includes(entry)));
  const problems: Problem[] = [];
  // What is wrong with a rule is told where rules are read: one that was to restrict must not be lost before.
  const found = () => misfitsOf(value).filter(({ path }) => !isRule(path));
  for (let misfits = found(); misfits.length > 0; misfits = found()) {
    problems.push(...misfits.flatMap((misfit) => problemsOf(misfit, value, sheet)));
    const paths = misfits.flatMap(({ path, unknown }) => (unknown.length > 0 ? unknown.map((name) => [...path, name]) : [path]));
    for (const path of paths.toSorted(lastFirst)) value = without(value, path) as JsonObject;
  }
  return { entries: [...entriesOf(sheet, value), ...foreign], problems: problems.toSorted(byPlace) };
}

function isRule(path: Path): boolean {
  const [area, list, item] = path[0] === 'features' ? path.slice(2) : path;
  return area === 'permissions' && (list === 'allow' || list === 'ask' || list === 'deny') && typeof item === 'number';
}

function byPlace({ place: a }: Problem, { place: b }: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

function problemsOf(misfit: Misfit, value: JsonObject, sheet: Sheet): readonly Problem[] {
  const { document } = sheet;
  if (misfit.unknown.length === 0) {
    const place = placeIn(sheet, document.at(misfit.path));
    const key = keyText(misfit.path);
    const error = new PegboardError('SETTINGS_VALUE', { place: placeText(place), key, issue: misfit.issue });
    return [{ costs: sheet.by === 'managed' || mayRestrict(misfit.path) ? 'restriction' : 'value', error, place }];
  }
  if (sheet.dialect === 'claude') return [];
  return misfit.unknown.map((name) => {
    const place = placeIn(sheet, document.nameAt([...misfit.path, name]));
    const near = nearestKey(name, misfit.known);
    const values = { place: placeText(place), key: keyText([...misfit.path, name]), near: near ? ` (did you mean "${near}"?)` : '' };
    // A misspelt "deny" is a deny that would be lost, and a policy is there to restrict.
    const restricts =
      (sheet.by === 'managed' && near !== undefined) ||
      (mayRestrict([...misfit.path, ...(near ?? name).split('.')]) && holdsRules(value, [...misfit.path, name]));
    return { costs: restricts ? ('restriction' as const) : ('notice' as const), error: new PegboardError('SETTINGS_KEY', values), place };
  });
}

const PERMISSIONS = ['allow', 'ask', 'deny', 'defaultMode', 'disabledModes', 'additionalDirectories'];

/** The key somebody may have meant, also one a level further in: `permissions.deny` for `deny`. */
function nearestKey(name: string, known: readonly string[]): string | undefined {
  const inside = known.includes('permissions') && !known.includes(name) ? PERMISSIONS : [];
  const near = nearest(name, inside.includes(name) ? inside : [...known, ...inside]);
  return near !== undefined && inside.includes(near) ? `permissions.${near}` : near;
}

/** Could what stands at this path have been a deny or an ask? Without its list of allowed servers, all would be. */
function mayRestrict(path: Path): boolean {
  const [first, second] = path[0] === 'features' ? path.slice(2) : path;
  if (path[0] === 'sandbox') return true;
  if (path[0] === 'allowedMcpServers') return path.length === 1;
  if (first === 'deniedMcpServers' || (path[0] === 'features' && path.length <= 2)) return first === 'deniedMcpServers';
  return first === 'permissions' && (second === undefined || second === 'deny' || second === 'ask' || second === 'disabledModes');
}

function holdsRules(value: JsonObject, path: Path): boolean {
  const found = path.reduce<unknown>((at, part) => (isObject(at) || Array.isArray(at) ? (at as JsonObject)[part] : undefined), value);
  return Array.isArray(found) || isObject(found);
}

function keyText(path: Path): string {
  return path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${part}` : part), '');
}

/** Later items of a list first, so that the earlier ones keep their number. */
function lastFirst(a: Path, b: Path): number {
  const [x, y] = [a.at(-1), b.at(-1)];
  return typeof x === 'number' && typeof y === 'number' ? y - x : 0;
}

function without(value: unknown, [first, ...rest]: Path): unknown {
  if (first === undefined) return {};
  if (Array.isArray(value))
    return rest.length === 0
      ? value.filter((_each, at) => at !== first)
      : value.map((each: unknown, at) => (at === first ? without(each, rest) : each));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => rest.length > 0 || name !== String(first));
  return Object.fromEntries(entries.map(([name, each]) => [name, name === String(first) ? without(each, rest) : each]));
}
