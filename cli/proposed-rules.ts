import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { causeText, parseRule, PegboardError } from 'pegboard';
import { parseJsonc } from 'pegboard/kit';
import { readWrittenRule } from 'pegboard/settings';

import type { CaseRule, PermissionCase } from './permission-case.ts';

/** Reads a rule set that is only proposed. Throws CLI_USAGE for a file that is none, RULE_SYNTAX for a rule that could not be used. */
export async function readProposedRules(file: string): Promise<NonNullable<PermissionCase['rules']>> {
  const value = await readValue(file);
  const lists = isObject(value) && 'permissions' in value ? value['permissions'] : value;
  if (!isObject(lists)) throw usage(file, 'it is not an object with allow, ask, deny');
  const known = LISTS.filter((list) => list in lists);
  if (known.length === 0) throw usage(file, 'it has none of the lists allow, ask, deny');
  return Object.fromEntries(known.map((list) => [list, readList(lists[list], list, file)]));
}

const LISTS = ['allow', 'ask', 'deny'] as const;

async function readValue(file: string): Promise<unknown> {
  let text: string;
  try {
    text = readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw usage(file, `it cannot be read: ${causeText(cause)}`);
  }
  const parsed = await parseJsonc(text);
  if (parsed.kind === 'invalid') throw usage(file, `line ${parsed.line}, column ${parsed.column}: ${parsed.cause}`);
  return parsed.value;
}

function readList(value: unknown, list: (typeof LISTS)[number], file: string): readonly CaseRule[] {
  if (!Array.isArray(value)) throw usage(file, `\`${list}\` is not a list`);
  return value.map((each: unknown, at) => {
    const written = readWrittenRule(each);
    if (written === undefined) throw usage(file, `\`${list}[${at}]\` is no rule`);
    if (written.complaint !== undefined) throw usage(file, `\`${list}[${at}]\`: ${written.complaint}`);
    parseRule(written.rule, list, 'user');
    return each as CaseRule;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function usage(file: string, cause: string): PegboardError<'CLI_USAGE'> {
  return new PegboardError('CLI_USAGE', { cause: `The rules of ${file} cannot be tried: ${cause}.` });
}
