import { textOf, type Command, type Member } from './command/member.ts';

/** What exit codes mean where a command's own convention makes them an answer and no failure (M6.5); by name, or name and first word. */
const ANSWERS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: 'nothing matched' },
  egrep: { 1: 'nothing matched' },
  fgrep: { 1: 'nothing matched' },
  zgrep: { 1: 'nothing matched' },
  rg: { 1: 'nothing matched' },
  ag: { 1: 'nothing matched' },
  'git grep': { 1: 'nothing matched' },
  pgrep: { 1: 'no process matched' },
  diff: { 1: 'they differ' },
  cmp: { 1: 'they differ' },
  'git diff': { 1: 'there are differences' },
  test: { 1: 'it is not so' },
  '[': { 1: 'it is not so' },
  '[[': { 1: 'it is not so' },
  expr: { 1: 'the value is empty or 0' },
  which: { 1: 'there is no such command' },
  type: { 1: 'there is no such command' },
};

/** Before the command that answers they seldom fail, and say so themselves when they do. */
const PRELUDE: ReadonlySet<string> = new Set([
  'cd',
  'pushd',
  'popd',
  'echo',
  'printf',
  'pwd',
  'true',
  ':',
  'export',
  'set',
  'shopt',
  'sleep',
  'date',
]);
/** What runs in them leaves its exit code to something else. */
const ASIDE: ReadonlySet<string> = new Set(['substitution', 'function', 'background', 'script']);

/** What an exit code of this command says if it is a plain answer. Nothing for a failure, and for what may be one. */
export function plainAnswer({ members, problems }: Command, code: number): string | undefined {
  if (problems.length > 0) return undefined;
  const counted = members.filter(({ standing, within }) => standing === 'open' && !within.some((place) => ASIDE.has(place)));
  const last = counted.at(-1);
  const answer = last && answerOf(last, code);
  if (last === undefined || answer === undefined) return undefined;
  const before = counted.slice(0, -1).filter(({ within }) => !within.includes('pipe'));
  return before.every((each) => PRELUDE.has(textOf(each.name) ?? '') || answerOf(each, code) !== undefined) ? answer : undefined;
}

function answerOf({ name, args }: Member, code: number): string | undefined {
  const command = textOf(name) ?? '';
  const base = command.slice(command.lastIndexOf('/') + 1);
  const word = args.map(textOf).find((text) => text !== undefined && !text.startsWith('-')) ?? '';
  for (const key of [`${base} ${word}`, base]) if (Object.hasOwn(ANSWERS, key)) return ANSWERS[key]?.[code];
  return undefined;
}
