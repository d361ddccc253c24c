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
    return { script, problems: [...problems, ...faultsOf(script)] };
  } catch {
    return { script: undefined, problems: [...problems, 'the parser gave up on it'] };
  }
}

/** What is wrong anywhere in a script: an error in a part of it, a here-document without an end, commands in commands too deep. */
function faultsOf(script: Unbash.ParsedScript): readonly string[] {
  const faults = new Set<string>();
  const look = (node: Unbash.SyntaxNode, depth: number): void => {
    if (depth > DEEPEST) faults.add(`it is nested deeper than ${DEEPEST}`);
    if (node.type === 'Script')
      for (const { message } of (node as Unbash.ParsedScript).errors ?? []) faults.add(`it cannot be parsed: ${message}`);
    if (node.type === 'HereDoc' && (node.closing === undefined || node.delimiter === undefined))
      faults.add('a here-document in it has no end');
    eachChild(node, (child) => look(child, depth + (NESTING.has(child.type) ? 1 : 0)));
  };
  look(script, 0);
  return [...faults];
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
