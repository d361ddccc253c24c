import type { Assigned, Member, Unknown, Word } from './member.ts';
import { eachChild, type Assignment, type SyntaxNode } from './parse.ts';
import { assigned, lostTrack, movedTo, type Scope } from './scope.ts';
import { asPattern, decodeValue, decodeWord } from './word.ts';

/** Names that a variable may be given without changing what any program does: upper case is for what programs obey, the others are what they do so with all the same. */
export const FRESH_NAME = /^(?!(?:_|histchars|auto_resume|\w+_proxy|npm_config_\w+)$)[a-z_][a-z0-9_]*$/;

/** What a shell is like behind a command, as far as the command worked. */
export function changedBy(member: Member, scope: Scope): Scope {
  const { name, args, wrappers, assignments } = member;
  if (name === undefined)
    return assignments.reduce((all, { name: variable, value, plain }) => assigned(all, variable, plain ? value : undefined), scope);
  if (name.kind !== 'text') return lostTrack(scope);
  // What runs in a process of its own changes nothing here.
  if (wrappers.some((wrapper) => !/^(command|builtin|noglob|time)$/.test(wrapper))) return scope;
  switch (name.text) {
    case 'cd':
    case 'pushd':
      return movedTo(scope, assignments.length > 0 ? undefined : goesTo(args, scope, name.text));
    case 'popd':
      return movedTo(scope, undefined);
    case 'eval':
    case 'source':
    case '.':
    case 'exec':
    case 'trap':
    case 'alias':
    case 'enable':
      return lostTrack(scope);
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
    case 'let':
    case 'unset':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
    case 'export':
      return args.reduce(named, scope);
    case 'printf': {
      const [first] = args;
      // Only its first words are options.
      return first === undefined || (first.kind === 'text' && !first.text.startsWith('-')) ? scope : args.reduce(named, scope);
    }
    default:
      return scope;
  }
}

/** The folder that `cd` goes to, if it can be told. */
function goesTo(args: readonly Word[], scope: Scope, command: string): string | undefined {
  // With `-P` it stands where links lead to, and what `..` is from there only the disk knows.
  if (args.some((arg) => arg.kind === 'text' && /^-\w*P/.test(arg.text))) return undefined;
  const rest = args.filter((arg) => !(arg.kind === 'text' && /^(-[Le@]+|--)$/.test(arg.text)));
  const [to, more] = rest;
  // Where a variable of its own decides where `cd` looks first, only a path that is written out is certain.
  const looksElsewhere = scope.variables.has('CDPATH');
  if (to === undefined) return command === 'cd' && !scope.variables.has('HOME') ? scope.home : undefined;
  if (more !== undefined || to.kind !== 'text' || /^[-+]/.test(to.text) || to.text === '') return undefined;
  return looksElsewhere && !/^\.{0,2}\//.test(to.text) ? undefined : to.text;
}

/** Whatever could be the name of a variable may hold anything now. */
function named(scope: Scope, arg: Word): Scope {
  const name = arg.kind === 'text' ? /^([A-Za-z_]\w*)/.exec(arg.text)?.[1] : undefined;
  if (name !== undefined) return assigned(scope, name, undefined);
  return arg.kind === 'text' && arg.text.startsWith('-') ? scope : { ...lostTrack(scope), directory: scope.directory };
}

/** Whether something may change the folder it runs in; a shell of its own inside it does not, but what is called from there may. */
export function mayMove(node: SyntaxNode, reach: 'itself' | 'wherever it is called'): boolean {
  let moves = false;
  const look = (each: SyntaxNode): void => {
    if (each.type === 'Subshell' && reach === 'itself') return;
    if (each.type === 'Command' && each.name !== undefined) {
      const [first = '', ...rest] = [each.name, ...each.args].map((word) => (typeof word.value === 'string' ? word.value : word.text));
      const seen = /^(command|builtin|noglob)$/.test(first) ? rest : [first];
      moves ||= seen.some((word) => /^(cd|pushd|popd|eval|source|\.|exec|trap|alias|enable)$|[$`]/.test(word));
    }
    if (!moves) eachChild(each, look);
  };
  look(node);
  return moves;
}

/** The variables that something may set, at any depth. */
export function namesSetIn(node: SyntaxNode): readonly string[] {
  const names = new Set<string>();
  const look = (each: SyntaxNode): void => {
    if (each.type === 'Assignment') names.add(each.name);
    if (each.type === 'For' || each.type === 'Select') names.add(each.name.text);
    if (each.type === 'Command' && each.name !== undefined)
      for (const arg of each.args) if (/^[A-Za-z_]\w*$/.test(arg.text)) names.add(arg.text);
    if (each.type === 'ArithmeticWord') for (const [name] of each.value.matchAll(/[A-Za-z_]\w*/g)) names.add(name);
    eachChild(each, look);
  };
  look(node);
  return [...names];
}

/** What a variable of a loop holds: one of the words it goes over. */
export function familyOf(words: readonly Word[], overArguments: boolean): Word | undefined {
  if (overArguments || words.some(({ kind }) => kind === 'unknown')) return undefined;
  const patterns = words.flatMap((word) => (word.kind === 'text' ? [asPattern(word.text)] : word.kind === 'names' ? word.patterns : []));
  return { kind: 'names', source: words.map(({ source }) => source).join(' '), quoted: false, patterns };
}

/** `NAME=value` as data. */
export function assignedBy({ name, value, append, index, text }: Assignment, scope: Scope): Assigned {
  if (value.type !== 'Word') return { name, value: ARRAY, plain: false, source: text };
  return { name, value: decodeValue(value, scope), plain: append !== true && index === undefined, source: text };
}

const ARRAY: Unknown = { kind: 'unknown', source: '(…)', quoted: false, prefix: '', count: 'any', why: 'an array' };

/** `NAME=value` as a word of `export` and its like. */
export function assignmentWord({ name, value, text }: Assignment, scope: Scope): readonly Word[] {
  if (value.type !== 'Word') return [{ ...ARRAY, source: text, prefix: `${name}=` }];
  const [word] = decodeWord(value, scope);
  if (word === undefined) return [{ kind: 'text', text: `${name}=`, source: text, quoted: false, expanded: false }];
  if (word.kind === 'text') return [{ ...word, text: `${name}=${word.text}`, source: text }];
  const prefix = `${name}=${word.kind === 'unknown' ? word.prefix : ''}`;
  return [
    { kind: 'unknown', source: text, quoted: word.quoted, prefix, count: 'one', why: word.kind === 'unknown' ? word.why : 'a pattern' },
  ];
}
