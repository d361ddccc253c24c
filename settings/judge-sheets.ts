import { PegboardError } from 'pegboard';

import { checkEntries } from './check.ts';
import { entriesOf, objectOf, type Entry, type Sheet } from './entry.ts';
import { disabledModes, judgeSetting, RESTRICTS, type SettingFacts, type SettingJudgement } from './judge-setting.ts';
import { placeText, type Problem } from './layer.ts';
import type { JsonObject } from './object.ts';

/** A value that does not count, and why. */
export interface LeftEntry extends Entry {
  readonly until: NonNullable<SettingJudgement['until']>;
  readonly why: string;
}

/** All values of all sheets, in their order: those that count, and those that do not. */
export interface Judged {
  readonly counted: readonly Entry[];
  readonly left: readonly LeftEntry[];
  readonly problems: readonly Problem[];
}

/** Decides of every value whether it counts, and checks those that do. */
export async function judgeSheets(
  sheets: readonly Sheet[],
  context: { readonly trusted: boolean; readonly knownKeys: readonly string[] },
): Promise<Judged> {
  const policy = policyOf(sheets);
  const counted: Entry[] = [];
  const left: LeftEntry[] = [];
  const problems: Problem[] = [];
  for (const sheet of sheets) {
    const judged = sayings(sheet).map((entry) => ({
      entry,
      judgement: beyondLimit(entry) ?? judgeSetting(factsOf(entry, context.trusted, policy)),
    }));
    const inert = judged.flatMap(({ entry, judgement: { kind, until = 'policy', why } }) =>
      kind === 'allow' ? [] : [{ ...entry, until, why }],
    );
    const allowed = judged.flatMap(({ entry, judgement }) => (judgement.kind === 'allow' ? [entry] : []));
    const checked = await checkEntries(allowed, sheet, context.knownKeys);
    // A misspelt deny does not become harmless by standing in a folder that is not trusted.
    const unseen = (await checkEntries(inert, sheet, context.knownKeys)).problems.filter(({ costs }) => costs === 'restriction');
    counted.push(...checked.entries);
    left.push(...inert);
    problems.push(...checked.problems, ...unseen, ...inert.flatMap(refusedMode));
  }
  return { counted, left, problems };
}

/** What a sheet says that is meant for us: of a broken one only what restricts, of other programs' files only what both know. */
function sayings(sheet: Sheet): readonly Entry[] {
  const all = entriesOf(sheet).filter(({ key }) => !(sheet.layer === 'found' && key === '$import'));
  return sheet.extent === 'rest' ? all.filter(({ key }) => RESTRICTS.test(key) && key !== 'permissions') : all;
}

function beyondLimit({ key, sheet: { limited } }: Entry): SettingJudgement | undefined {
  return limited === undefined || RESTRICTS.test(key) ? undefined : { kind: 'deny', until: 'place', why: limited };
}

/** The policy, and the modes that anybody forbids: a layer may take a mode away from the ones above it, never give one back. */
function policyOf(sheets: readonly Sheet[]): JsonObject {
  const managed = objectOf(sheets.filter(({ by }) => by === 'managed').flatMap((sheet) => entriesOf(sheet)));
  const forbidden = sheets.flatMap(({ document }) => disabledModes(document.value));
  return { ...managed, permissions: { disabledModes: forbidden } };
}

const SOURCES: Readonly<Record<Sheet['by'], SettingFacts['source']>> = {
  managed: 'managed',
  cli: 'cli',
  own: 'local',
  repository: 'project',
  user: 'user',
};

/** A policy file that reached this point belongs to the administrator; a local file that may be the repository's is judged as such. */
function factsOf({ key, value, sheet }: Entry, trusted: boolean, managed: JsonObject): SettingFacts {
  return { key, value, source: SOURCES[sheet.by], trusted, managed, ownerIsAdmin: sheet.by === 'managed' };
}

/** Whoever asked for a mode on the command line is told that it was not given. */
function refusedMode({ key, value, sheet, place, until, why }: LeftEntry): readonly Problem[] {
  if (key !== 'permissions.defaultMode' || until !== 'policy' || sheet.by === 'repository') return [];
  return [
    { costs: 'value', error: new PegboardError('SETTINGS_MODE', { place: placeText(place), mode: String(value), cause: why }), place },
  ];
}

/** Of the values of `.claude/`, those that this host knows; whether they are wanted at all is a setting of ours. */
export function wantsClaude(entries: readonly Entry[]): boolean {
  return entries.find(({ key, sheet }) => key === 'compat.claude' && sheet.dialect !== 'claude')?.value !== false;
}
