import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { PegboardError, textOf, type Pool, type ToolResult } from 'pegboard';

import { fillIn, type Values } from './arguments.ts';
import type { Skill } from './skill.ts';

/** Where a skill is carried out. */
export interface ExpandPlace {
  readonly pool: Pool;
  readonly cwd: string;
  readonly session: string;
  /** Whether commands in skills are run at all. */
  readonly runsCommands: boolean;
  /** A tool, through the whole pipeline. */
  call(name: string, input: unknown): Promise<ToolResult>;
}

/** A skill's text with everything in it that has to be looked up, or why it cannot be had. */
export type Expanded = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'wrong'; readonly error: PegboardError };

/** A command in a text: alone on lines between fences, or in a line, after a blank. */
const COMMAND = /^```!\s*\n([^]*?)^```[ \t]*$|(?<=^|\s)!`([^`\n]+)`/gm;
const FILE = /(?<=^|\s)@((?:[\w.~-]*\/)*[\w-][\w.-]*)/g;
const MOST_FILES = 20;
const NO_COMMANDS = '[commands in skills are switched off (disableSkillShellExecution)]';

/** Fills a skill in and runs its commands. They stand in the file: nothing that is filled in becomes one. Never rejects. */
export async function expandSkill(skill: Skill, words: string, place: ExpandPlace): Promise<Expanded> {
  const values: Values = { words, names: skill.fields.arguments, variables: variablesOf(skill, place) };
  const parts: string[] = [];
  let whole = false;
  let some = false;
  let from = 0;
  const fill = (text: string) => {
    const filled = fillIn(text, values);
    whole ||= filled.whole;
    some ||= filled.some;
    return filled.text;
  };
  for (const match of skill.body.matchAll(COMMAND)) {
    parts.push(fill(skill.body.slice(from, match.index)));
    from = match.index + match[0].length;
    const command = fill(match[1] ?? match[2] ?? '').trim();
    const ran = await run(command, skill, place);
    if (ran.kind === 'wrong') return ran;
    parts.push(ran.text);
  }
  parts.push(fill(skill.body.slice(from)));
  if (words.trim() !== '' && !whole && !some) parts.push(`\n\nARGUMENTS: ${words}`);
  const files = await filesNamed(skill.body, place);
  const base = skill.kind === 'skill' && skill.folder !== undefined ? `Base directory for this skill: ${skill.folder}\n\n` : '';
  return { kind: 'text', text: base + parts.join('') + files };
}

function variablesOf({ from, folder }: Skill, { session, cwd }: ExpandPlace): Values['variables'] {
  return {
    ...from.variables,
    CLAUDE_SESSION_ID: session,
    CLAUDE_PROJECT_DIR: cwd,
    ...(folder === undefined ? {} : { CLAUDE_SKILL_DIR: folder }),
  };
}

async function run(command: string, { id, fields, file }: Skill, { pool, call, runsCommands }: ExpandPlace): Promise<Expanded> {
  if (!runsCommands) return { kind: 'text', text: NO_COMMANDS };
  const shell = fields.shell;
  if (pool.get(shell) === undefined) return { kind: 'wrong', error: new PegboardError('SKILL_SHELL', { skill: id, file, tool: shell }) };
  const result = await call(shell, { command });
  const text = textOf(result.content);
  if (result.isError) return { kind: 'wrong', error: new PegboardError('SKILL_COMMAND', { skill: id, command, why: text }) };
  return { kind: 'text', text };
}

/** The files a text names with `@`, read by calls: those that are there. What may not be read says so. */
async function filesNamed(body: string, { cwd, pool, call }: ExpandPlace): Promise<string> {
  if (pool.get('Read') === undefined) return '';
  const names = [...new Set([...body.matchAll(FILE)].map(([, name = '']) => name.replace(/\.$/, '')))];
  const read: string[] = [];
  for (const name of names) {
    if (read.length >= MOST_FILES) break;
    const path = resolve(cwd, name);
    if (!(await stat(path).catch(() => undefined))?.isFile()) continue;
    const result = await call('Read', { file_path: path });
    read.push(`\n\n@${name}${result.isError ? ' was not read' : ''}:\n${textOf(result.content)}`);
  }
  return read.join('');
}
