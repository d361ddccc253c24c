import { nearest, oneLine } from 'pegboard';

import type { Skill } from './skill.ts';

const MOST = 8;
const DESCRIPTION_CHARS = 250;

/** The skills that have most of some words in their names and descriptions, or whose name is nearly the same; best first. */
export function similarSkills(text: string, skills: readonly Skill[]): readonly Pick<Skill, 'id' | 'description'>[] {
  const wanted = new Set(wordsOf(text));
  const scored = skills
    .map((skill) => ({ skill, score: scoreOf(wanted, skill) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.id < b.skill.id ? -1 : 1));
  const near = nearest(
    text,
    skills.map(({ id }) => id),
  );
  const spelt = skills.filter(({ id }) => id === near);
  const best = [...new Set([...spelt, ...scored.map(({ skill }) => skill)])].slice(0, MOST);
  return best.map(({ id, description }) => ({ id: oneLine(id, 100), description: oneLine(description, DESCRIPTION_CHARS) }));
}

function scoreOf(wanted: ReadonlySet<string>, { id, description }: Skill): number {
  const inName = new Set(wordsOf(id));
  const inText = new Set(wordsOf(description));
  return [...wanted].reduce((sum, word) => sum + (inName.has(word) ? 3 : 0) + (inText.has(word) ? 1 : 0), 0);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}
