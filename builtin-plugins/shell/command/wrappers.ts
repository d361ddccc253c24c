import type { Word } from './member.ts';

/** The options of a wrapper, exactly; whatever is not among them ends the seeing through. */
interface Wrapper {
  /** Options that stand for themselves. */
  readonly bare?: RegExp;
  /** Options with their value in the same word. */
  readonly joined?: RegExp;
  /** Options whose value is the next word. */
  readonly apart?: RegExp;
  /** How many words stand between its options and the command. */
  readonly operands?: number;
  /** Words that come from its input are added to those of the command. */
  readonly adds?: boolean;
}

/** They run another command and change nothing about what it does (permissions.md, statement 30). */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: {
    bare: /^(-v|-p|-f|--verbose|--preserve-status|--foreground)$/,
    joined: /^(--kill-after=[\d.]+[smhd]?|--signal=\w+|-k[\d.]+[smhd]?|-s[A-Z0-9]+)$/,
    apart: /^(-k|-s|--kill-after|--signal)$/,
    operands: 1,
  },
  time: { bare: /^-p$/ },
  nice: { joined: /^(-n-?\d+|-\d+|--\d+|--adjustment=-?\d+)$/, apart: /^(-n|--adjustment)$/ },
  nohup: {},
  stdbuf: { joined: /^(-[ioe][L0-9][0-9A-Z]*|--(input|output|error)=[L0-9][0-9A-Z]*)$/, apart: /^(-[ioe]|--(input|output|error))$/ },
  command: { bare: /^-p$/ },
  builtin: {},
  noglob: {},
  xargs: { adds: true },
};

/** A command behind its wrappers. */
export interface Unwrapped {
  readonly name: Word | undefined;
  readonly args: readonly Word[];
  readonly wrappers: readonly string[];
}

/** Looks through wrappers until none is left. One that is used in a way nobody listed stays and is judged as the command it is. */
export function unwrap(words: readonly Word[]): Unwrapped {
  const [name, ...args] = words;
  const inner = insideOf(name, args);
  if (inner === undefined || name?.kind !== 'text') return { name, args, wrappers: [] };
  const { name: found, args: rest, wrappers } = unwrap(inner);
  return { name: found, args: rest, wrappers: [name.text, ...wrappers] };
}

function insideOf(name: Word | undefined, args: readonly Word[]): readonly Word[] | undefined {
  if (name?.kind !== 'text' || name.expanded || !Object.hasOwn(WRAPPERS, name.text)) return undefined;
  const wrapper = WRAPPERS[name.text] ?? {};
  let at = 0;
  for (let word = args[at]; word?.kind === 'text' && word.text.startsWith('-'); word = args[at]) {
    const { text } = word;
    if (text === '--') {
      at += 1;
      break;
    }
    if (wrapper.bare?.test(text) || wrapper.joined?.test(text)) at += 1;
    else if (wrapper.apart?.test(text) && args[at + 1]?.kind === 'text') at += 2;
    else return undefined;
  }
  const operands = wrapper.operands ?? 0;
  const skipped = args.slice(at, at + operands);
  if (skipped.length < operands || skipped.some((word) => word.kind !== 'text' || !/^[\d.]+[smhd]?$/.test(word.text))) return undefined;
  const rest = args.slice(at + operands);
  if (rest.length === 0) return undefined;
  return wrapper.adds === true ? [...rest, FROM_INPUT] : rest;
}

/** What `xargs` puts behind the words of its command. */
export const FROM_INPUT: Word = { kind: 'unknown', source: '…', quoted: false, prefix: '', count: 'any', why: 'what comes from the input' };
