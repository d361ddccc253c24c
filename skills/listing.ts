import { oneLine } from 'pegboard';

import type { Skill } from './skill.ts';

/** A description is cut to these, the longest first, until all fit. */
const DESCRIPTION_CHARS = [800, 400, 250, 160, 120, 80] as const;
const NAME_CHARS = 100;

/** What a listing may take, in UTF-8 bytes, and of it one description, in characters. */
export interface ListingBudget {
  readonly bytes: number;
  readonly descriptionChars: number;
}

/** What a model is told of the skills there are, within a budget: with descriptions, as long as they fit, then names, then how many there are where. */
export function listSkills(skills: readonly Skill[], { bytes: limit, descriptionChars: most }: ListingBudget): string {
  const head = 'These skills can be called with the tool Skill, by name. Call one before work that it is for.';
  const frame = (lines: readonly string[]) => [head, ...lines].join('\n');
  const fits = (text: string) => Buffer.byteLength(text) <= limit;
  for (const chars of [most, ...DESCRIPTION_CHARS.filter((each) => each < most)]) {
    const text = frame(skills.map((skill) => `- ${nameOf(skill)}: ${oneLine(skill.description, chars)}`));
    if (fits(text)) return text;
  }
  const names = frame([skills.map(nameOf).join(', ')]);
  if (fits(names)) return names;
  const how = 'Call Skill with a few words on the task instead of a name to be shown those that fit.';
  return bounded([head, how], bySource(skills), limit);
}

/** Whose skills there are how many of, and as many names as fit. */
function bySource(skills: readonly Skill[]): readonly { readonly owner: string; readonly names: readonly string[] }[] {
  const owners = new Map<string, string[]>();
  for (const skill of skills) owners.set(skill.from.plugin, [...(owners.get(skill.from.plugin) ?? []), nameOf(skill)]);
  return [...owners].map(([owner, names]) => ({ owner: oneLine(owner, NAME_CHARS), names }));
}

function bounded(head: readonly string[], sources: ReturnType<typeof bySource>, limit: number): string {
  const counts = sources.map(({ owner, names }) => `${owner} (${names.length} skills)`);
  const room = limit - Buffer.byteLength([...head, ...counts].join('\n'));
  if (room < 0) return cutLines([...head, ...counts], limit);
  const share = room / sources.length;
  return [...head, ...sources.map(({ names }, at) => `${counts[at]}${firstNames(names, share)}`)].join('\n');
}

function firstNames(names: readonly string[], room: number): string {
  let bytes = Buffer.byteLength(': , …');
  const kept = names.findIndex((name) => (bytes += Buffer.byteLength(name) + 2) > room);
  if (kept === -1) return `: ${names.join(', ')}`;
  return kept === 0 ? '' : `: ${names.slice(0, kept).join(', ')}, …`;
}

function cutLines(lines: readonly string[], limit: number): string {
  let bytes = Buffer.byteLength('…');
  const kept = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > limit);
  return kept === -1 ? lines.join('\n') : [...lines.slice(0, kept), '…'].join('\n');
}

function nameOf({ id }: Skill): string {
  return oneLine(id, NAME_CHARS);
}
