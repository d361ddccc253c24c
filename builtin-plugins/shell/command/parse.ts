import { createRequire } from 'node:module';

import type * as Unbash from 'unbash';

import { screenText } from './screen-text.ts';

export type * from 'unbash';

/** What a parser makes of a text, and why nothing may be concluded from it. */
export interface Parsed {
  /** Nothing where not even a part could be read. */
  readonly script: Unbash.ParsedScript | undefined;
  readonly problems: readonly string[];
}

const LONGEST_READ = 200_000;
const DEEPEST = 40;

const requireHere = createRequire(import.meta.url);

/** The parser's package, loaded by whoever judges the first command. */
function unbash(): typeof Unbash {
  return requireHere('unbash') as typeof Unbash;
}

/** The children of a node, for those who look for something at any depth. */
export function eachChild(node: Unbash.SyntaxNode, visit: (child: Unbash.SyntaxNode) => void): void {
  unbash().forEachChild(node, visit);
}

/** Reads shell text. Never throws: what cannot be read whole has problems, and what could be recovered of it is still there for rules that deny. */
export function parseShell(source: string): Parsed {
  const problems = [...screenText(source)];
  if (source.length > LONGEST_READ) return { script: undefined, problems };
  try {
    const script = unbash().parse(source);
    return { script, problems: [...problems, ...faultsOf(script, source)] };
  } catch {
    return { script: undefined, problems: [...problems, 'the parser gave up on it'] };
  }
}

/** What is wrong anywhere in a script: an error in a part of it, a here-document without an end, commands in commands too deep. */
function faultsOf(script: Unbash.ParsedScript, source: string): readonly string[] {
  const faults = new Set<string>();
  const look = (node: Unbash.SyntaxNode, depth: number, text: string): void => {
    if (depth > DEEPEST) faults.add(`it is nested deeper than ${DEEPEST}`);
    if (node.type === 'Script') for (const { message } of node.errors ?? []) faults.add(`it cannot be parsed: ${message}`);
    if (node.type === 'HereDoc' && (node.closing === undefined || node.delimiter === undefined))
      faults.add('a here-document in it has no end');
    // Nothing may stand between the words of a command, nor a parenthesis behind it, that the parser passed over.
    if ((node.type === 'Command' && hasGap(node, text)) || (node.type === 'TestCommand' && hasSign(node)))
      faults.add('something stands in it between words');
    const inner = node.type === 'Script' ? (node.source ?? text) : text;
    eachChild(node, (child) => look(child, depth + (NESTING.has(child.type) ? 1 : 0), inner));
  };
  look(script, 0, source);
  return [...faults];
}

function hasGap({ name, prefix, suffix, end }: Unbash.Command, text: string): boolean {
  const pieces = [...prefix, ...(name === undefined ? [] : [name]), ...suffix];
  return (
    /^[ \t]*\(/.test(text.slice(end)) ||
    pieces.some((piece, at) => at > 0 && !/^(\s|\\\n)*$/.test(text.slice(pieces[at - 1]?.end, piece.pos)))
  );
}

/** Whether a sign that ends words stands in a word of a compound test, where only a regular expression may have it. */
function hasSign(test: Unbash.TestCommand): boolean {
  let found = false;
  const look = (node: Unbash.SyntaxNode): void => {
    if (node.type === 'Word') found ||= /[;&|<>()]/.test(node.text) && !/["'\\$`]/.test(node.text);
    else if (!(node.type === 'TestBinary' && node.operator === '=~')) eachChild(node, look);
  };
  look(test);
  return found;
}

const NESTING: ReadonlySet<string> = new Set([
  'Script',
  'CompoundList',
  'ParameterExpansion',
  'ArithmeticGroup',
  'ArithmeticTernary',
  'TestGroup',
  'TestNot',
  'Function',
]);
