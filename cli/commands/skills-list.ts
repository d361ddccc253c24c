import { PegboardError } from 'pegboard';
import { isOffered, type Skill } from 'pegboard/skills';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { textLines } from '../render/terminal.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Command, Desk } from '../run-command.ts';
import type { Line } from '../screen.ts';

const COLUMNS: readonly Column[] = [
  { title: 'name', holds: 'longest' },
  { title: 'kind', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'of', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'for', leaves: { turn: 3, to: 'nowhere' } },
  { title: 'description' },
];

/** `skills list`: skills and slash commands, whose they are and who may use them; what was mended or left out is said. */
export async function skillsList(desk: Desk): Promise<ExitCode> {
  const { screen } = desk;
  const { skills, left } = await desk.skills.look();
  if (screen.json) {
    screen.value({ skills: skills.map(skillJson), left });
    return exitCode.done;
  }
  if (skills.length === 0) screen.print(['There are no skills and no commands here.']);
  else screen.print(tableLines(COLUMNS, skills.map(rowOf), screen.width));
  for (const { id, file, note } of skills) if (note !== undefined) screen.warn(`pegboard: ${id} (${file}): ${note}`);
  for (const { file, cause } of left) screen.warn(`pegboard: ${file} was left out: ${cause}`);
  return exitCode.done;
}

/** `skills show`: everything that is known of one. */
export function skillsShow(name: string): Command {
  return async (desk) => {
    const skill = await desk.skills.find(name);
    if (skill === undefined) throw new PegboardError('SKILL_UNKNOWN', { skill: name, near: '' });
    if (desk.screen.json) desk.screen.value({ ...skillJson(skill), body: skill.body });
    else desk.screen.print([...facts(skill), '', ...textLines(skill.body)]);
    return exitCode.done;
  };
}

function rowOf(skill: Skill): readonly string[] {
  return [skill.id, skill.kind, skill.from.plugin, usersOf(skill), skill.description];
}

function usersOf(skill: Skill): string {
  if (!skill.from.trusted) return 'nobody: not trusted';
  const users = [...(isOffered(skill) ? ['models'] : []), ...(skill.fields.forPerson ? ['people'] : [])];
  return users.join(', ') || 'nobody';
}

function skillJson(skill: Skill) {
  const { id, aliases, kind, from, file, description, described, fields, note } = skill;
  return {
    name: id,
    aliases,
    kind,
    source: from.plugin,
    file,
    description,
    described,
    forModel: isOffered(skill),
    forPerson: fields.forPerson,
    allowedTools: fields.allowed,
    disallowedTools: fields.disallowed,
    ...(fields.hint === undefined ? {} : { argumentHint: fields.hint }),
    ...(fields.fork === undefined ? {} : { agent: fields.fork }),
    ...(note === undefined ? {} : { note }),
  };
}

function facts(skill: Skill): readonly Line[] {
  const { id, kind, aliases, from, file, description, fields, note } = skill;
  const fact = (label: string, text: string): readonly Line[] => (text === '' ? [] : [[{ text: label.padEnd(13), style: 'dim' }, text]]);
  return [
    [{ text: id, style: 'bold' }],
    ...fact('kind', kind),
    ...fact('of', from.plugin),
    ...fact('file', file),
    ...fact('for', usersOf(skill)),
    ...fact('aliases', aliases.join(', ')),
    ...fact('words', fields.hint ?? ''),
    ...fact('allows', fields.allowed.join(', ')),
    ...fact('forbids', fields.disallowed.join(', ')),
    ...fact('agent', fields.fork ?? ''),
    ...fact('servers', Object.keys(fields.servers).join(', ')),
    ...fact('note', note ?? ''),
    ...fact('description', description),
  ];
}
