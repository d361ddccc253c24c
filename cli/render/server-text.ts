import { expandPlaceholders, variableEffect, type SecretView } from 'pegboard/kit';
import { maskSecrets, placeText, type FoundServer, type Settings } from 'pegboard/settings';

import type { Line } from '../screen.ts';
import { shellWord } from './shell-word.ts';
import { shown } from './shown.ts';

/** One thing that a definition decides; `effect` is there where it changes what runs or where it leads without looking like it. */
export interface Fact {
  readonly text: string;
  readonly effect?: string | undefined;
}

/** Beyond that a fact is for `--json`; so much is never a name or a flag. */
const FACT_CHARS = 4_000;

/** Everything that decides how a server is started or reached, the command or address first. For whoever has not said yes yet only what looks like a secret is masked. */
export function serverFacts({ definition, state }: Pick<FoundServer, 'definition' | 'state'>, settings: Settings): readonly Fact[] {
  return [...definitionFacts(definition, state.kind === 'waiting' ? 'approval' : 'record'), ...placeholderFacts(definition, settings)];
}

/** The same of a definition by itself, in one line and without its secrets. */
export function serverText(definition: unknown): string {
  return factsText(definitionFacts(definition, 'record'));
}

/** Facts in one line. */
export function factsText(facts: readonly Fact[]): string {
  return facts.map(factText).join('; ');
}

/** Facts as lines, the first behind `head`, the others below it. */
export function factLines(head: string, facts: readonly Fact[], tail = ''): readonly Line[] {
  const [first, ...others] = facts.map((fact) => ({ fact, text: shown(factText(fact), FACT_CHARS) }));
  const more = others.map(({ fact, text }): Line => (fact.effect === undefined ? `    ${text}` : ['    ', { text, style: 'yellow' }]));
  return [`${head}${first?.text ?? ''}${tail}`, ...more];
}

function factText({ text, effect }: Fact): string {
  return effect === undefined ? text : `${text} (${effect})`;
}

/** Said of what decides which program or code runs. */
export const CHANGES_WHAT_RUNS = 'changes what runs';
const EFFECTS = { runs: CHANGES_WHAT_RUNS, leads: 'changes where it leads' } as const;

/** A variable and its value, which stands out if it does more than its name says. */
export function variableFact(name: string, value: unknown): Fact {
  const effect = variableEffect(name);
  return { text: `${name}=${wordText(value)}`, effect: effect && EFFECTS[effect] };
}

/** What a definition by itself decides. */
export function definitionFacts(definition: unknown, view: SecretView): readonly Fact[] {
  const masked = maskSecrets('mcpServers.server', definition, view);
  if (typeof masked !== 'object' || masked === null || Array.isArray(masked)) return [{ text: JSON.stringify(masked) ?? 'nothing' }];
  const { command, args, url, cwd, env, headers, type, ...rest } = masked as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args : args === undefined ? [] : [args];
  const line = [command, ...words].filter((word) => word !== undefined).map(wordText);
  const facts: Fact[] = [
    ...(line.length > 0 ? [{ text: line.join(' ') }] : []),
    ...(url === undefined ? [] : [{ text: wordText(url) }]),
    ...(type === undefined ? [] : [{ text: `type ${wordText(type)}` }]),
    ...(cwd === undefined ? [] : [{ text: `in ${wordText(cwd)}` }]),
    ...membersOf(env).map(([name, value]) => {
      const fact = variableFact(shellWord(name), value);
      return { ...fact, text: `env ${fact.text}` };
    }),
    ...membersOf(headers).map(([name, value]) => ({
      text: `header ${wordText(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)}`,
    })),
    ...membersOf(rest).map(([name, value]) => ({ text: `${shellWord(name)} ${JSON.stringify(value)}` })),
  ];
  return facts.length > 0 ? facts : [{ text: '{}' }];
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : value === undefined || value === null ? [] : [['', value]];
}

/** Text as a word of a shell: what is no text as JSON. */
function wordText(value: unknown): string {
  return typeof value === 'string' ? shellWord(value) : (JSON.stringify(value) ?? '');
}

/** What will stand where the placeholders stand. */
function placeholderFacts(definition: unknown, settings: Settings): readonly Fact[] {
  const names = new Set<string>();
  expandPlaceholders(definition, (name) => void names.add(name));
  return [...names].map((name) => ({ text: `\${${name}} takes ${fillText(name, settings)}`, effect: undefined }));
}

function fillText(name: string, settings: Settings): string {
  const given = settings.explain(`env.${name}`).flatMap((each) => {
    if (each.kind === 'list') return [];
    const winner = each.winner === undefined ? [] : [{ value: each.value, place: each.winner }];
    return [...winner, ...each.losers.filter(({ place }) => waitsForTrust(`env.${name}`, placeText(place), settings))];
  });
  const written = given.map(({ value, place }) => `${wordText(maskSecrets(`env.${name}`, value, 'approval'))} (${placeText(place)})`);
  if (written.length > 0) return written.join(' or, once the folder is trusted, ');
  return process.env[name] ? `the variable ${name} of your environment` : `the variable ${name} of your environment, which is not set`;
}

function waitsForTrust(key: string, place: string, { ignored }: Settings): boolean {
  return ignored.some(
    ({ what, until, place: at }) => until === 'trust' && what.kind === 'value' && what.key === key && placeText(at) === place,
  );
}
