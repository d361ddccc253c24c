import { wildcardsMeet } from 'pegboard';

import type { Member, Word } from './member.ts';
import { eachChild, type SyntaxNode } from './parse.ts';
import { screenText } from './screen-text.ts';
import { valueOf } from './word.ts';
import type { Scope } from './scope.ts';

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** They change the shell itself, or run what they are given as text: nothing after them is what it looks like. */
const SHELL_CHANGING = set(
  'eval source . exec trap coproc alias unalias export declare typeset readonly local set shopt enable hash bind complete compgen compopt ' +
    'history fc mapfile readarray let unset getopts function builtin',
);
/** They run another command behind options that nobody should guess. */
const RUNNING = set('watch setsid ionice flock');
/** Variables that change nothing but words, colours and sizes. */
const LISTED = set('LANG LANGUAGE TZ NO_COLOR FORCE_COLOR CLICOLOR NODE_ENV CI COLUMNS LINES RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED');
const FIND_ACTIONS = '-delete -exec -execdir -ok -okdir -fls -fprint -fprint0 -fprintf'.split(' ');

/** Why only an exact rule may speak for a command: what a pattern would let through with it nobody could foresee. */
export function doubtsOf({ name, args, assignments }: Pick<Member, 'name' | 'args' | 'assignments'>): readonly string[] {
  const words = [...(name === undefined ? [] : [name]), ...args, ...assignments.map(({ value }) => value)];
  return [...(name === undefined ? [] : nameDoubts(name, args)), ...assignments.flatMap(assignmentDoubts), ...words.flatMap(letterDoubts)];
}

/** Letters that are written as numbers are judged like those that stand there. */
function letterDoubts(word: Word): readonly string[] {
  return word.kind === 'text' && word.source.includes("$'") ? screenText(word.text) : [];
}

function nameDoubts(name: Word, args: readonly Word[]): readonly string[] {
  if (name.kind !== 'text' || name.expanded) return ['which command it is only shows when it runs'];
  const { text } = name;
  if (text === '' || text.startsWith('=') || /\s/.test(text)) return ['its command word is no name'];
  if (SHELL_CHANGING.has(text)) return [`${text} changes the shell, or runs what it is given`];
  if (RUNNING.has(text)) return [`${text} runs another command`];
  if (text === 'printf' && args[0] !== undefined && mayBegin(args[0], '-v')) return ['printf -v sets a variable'];
  if (text === 'find' && args.some(mayAct)) return ['find runs, deletes or writes here, or may'];
  if ((text === 'test' || text === '[') && args.some((arg) => arg.kind === 'text' && /^-[vR]$/.test(arg.text)))
    return [`${text} -v evaluates a subscript`];
  if (text === '[[') return comparisonDoubts(args);
  return [];
}

/** Whether a word is an action of `find`, or could turn into one. */
function mayAct(word: Word): boolean {
  switch (word.kind) {
    case 'text':
      return FIND_ACTIONS.includes(word.text);
    case 'names':
      return word.patterns.some((pattern) => {
        const open = pattern.replace(/\\(.)|\[.*\]|\?/gs, (_, plain?: string) => plain ?? '*');
        return FIND_ACTIONS.some((action) => wildcardsMeet(open, action));
      });
    case 'unknown':
      return word.count === 'any' || FIND_ACTIONS.some((action) => action.startsWith(word.prefix));
  }
}

const ARITHMETIC = /^-(eq|ne|lt|le|gt|ge)$/;

/** `[[` works out both sides of a comparison of numbers, and the subscript behind `-v`. */
function comparisonDoubts(args: readonly Word[]): readonly string[] {
  const isNumberWord = (word: Word | undefined) =>
    (word?.kind === 'text' && isNumber(word.text)) || (word?.kind === 'names' && word.patterns.every(isNumber)) || isCount(word);
  const doubtful = args.some(
    (arg, at) =>
      arg.kind === 'text' &&
      ((/^-[vR]$/.test(arg.text) && !arg.quoted) ||
        (ARITHMETIC.test(arg.text) && !(isNumberWord(args[at - 1]) && isNumberWord(args[at + 1])))),
  );
  return doubtful ? ['[[ evaluates what is compared'] : [];
}

/** `$?` and `$#` are numbers whatever happens. */
function isCount(word: Word | undefined): boolean {
  return word?.kind === 'unknown' && /^"?\$(\?|#|\{\?\}|\{#\}|\{#\w+\})"?$/.test(word.source);
}

function mayBegin(word: Word, option: string): boolean {
  return word.kind === 'text' ? word.text.startsWith(option) : word.kind === 'unknown' && option.startsWith(word.prefix);
}

function assignmentDoubts({ name, value, plain }: Member['assignments'][number]): readonly string[] {
  const isListed = LISTED.has(name) || /^LC_[A-Z]+$/.test(name);
  if (!isListed) return [`it sets ${name}, which can change what a command does`];
  if (!plain) return [`it sets ${name} in an unusual way`];
  // Messages and zones are files, which such a value picks from anywhere.
  if (value.kind === 'text' && /^(LANG|LC_|TZ)/.test(name) && /^[:/]|\.\./.test(value.text))
    return [`it sets ${name} to a place of its own`];
  const certain = value.kind === 'text' || (value.kind === 'unknown' && value.why === 'what a command prints');
  return certain ? [] : [`it sets ${name} to something unknown`];
}

/** What stands in a word that a shell works out in ways nobody can foresee; what commands in it do is for those to say. */
export function expansionDoubts(node: SyntaxNode, scope: Scope): readonly string[] {
  const doubts = new Set<string>();
  const look = (each: SyntaxNode): void => {
    if (each.type === 'Script') return;
    const doubt = expansionDoubt(each, scope);
    if (doubt !== undefined) doubts.add(doubt);
    eachChild(each, look);
  };
  look(node);
  return [...doubts];
}

function expansionDoubt(node: SyntaxNode, scope: Scope): string | undefined {
  switch (node.type) {
    case 'ParameterExpansion': {
      const { operation, prefix, index } = node;
      if (prefix === '!') return 'a variable in it names another one';
      if (index !== undefined) return 'a subscript in it is evaluated';
      if (operation?.type === 'Transform' || operation?.type === 'Unknown' || operation?.type === 'Names')
        return 'a variable in it is transformed';
      if (operation?.type === 'Default' && operation.operator.endsWith('=')) return 'an expansion in it sets a variable';
      if (operation?.type === 'Slice' && !isNumber(operation.offset.text)) return 'an offset in it is evaluated';
      if (operation?.type === 'Slice' && operation.length !== undefined && !isNumber(operation.length.text))
        return 'a length in it is evaluated';
      return undefined;
    }
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression === undefined && !/^[\s\d+*/%()$-]*$/.test(textIn(node)) ? 'arithmetic in it is evaluated' : undefined;
    case 'ArithmeticWord':
      return isNumeric(node.value, scope) ? undefined : 'arithmetic in it is evaluated';
    case 'ArithmeticCommandExpansion':
      return 'arithmetic in it is evaluated';
    case 'ArithmeticBinary':
      return node.operator.endsWith('=') && !/^[=!<>]=$/.test(node.operator) ? 'arithmetic in it sets a variable' : undefined;
    case 'Assignment':
      return node.index === undefined ? undefined : 'a subscript in it is evaluated';
    default:
      return undefined;
  }
}

function textIn(node: { readonly type: string; readonly text?: string; readonly body?: string }): string {
  return node.text ?? node.body ?? '?';
}

function isNumber(text: string): boolean {
  return /^\s*-?\d{1,18}\s*$/.test(text);
}

/** A number, or a variable that holds one for certain; a name would be looked up, and what it holds evaluated in turn. */
function isNumeric(text: string, scope: Scope): boolean {
  if (isNumber(text)) return true;
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text.trim())?.[1];
  const value = name === undefined ? undefined : valueOf(name, scope);
  return value?.kind === 'text' ? isNumber(value.text) : value?.kind === 'names' && value.patterns.every(isNumber);
}
