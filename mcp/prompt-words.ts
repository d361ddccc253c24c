import type { PromptArgument } from './prompts.ts';

/** Words as the arguments of a prompt: what goes to the server, or what is wrong with them. */
export type GivenArguments =
  { readonly kind: 'arguments'; readonly given: Readonly<Record<string, string>> } | { readonly kind: 'wrong'; readonly why: string };

const WORD = /"((?:\\["\\]|[^"])*)"(?=\s|$)|'([^']*)'(?=\s|$)|\S+/g;

/** The words of a text. Several are one within quotes; within double ones `\"` and `\\` stand for what they escape. */
export function splitWords(text: string): readonly string[] {
  return [...text.matchAll(WORD)].map(([whole, double, single]) => double?.replace(/\\(["\\])/g, '$1') ?? single ?? whole);
}

/** Gives each word to the argument at its place. An empty one, in quotes, leaves its argument out: nothing is sent as the empty text. */
export function givenArguments(words: readonly string[], wanted: readonly PromptArgument[]): GivenArguments {
  if (words.length > wanted.length)
    return {
      kind: 'wrong',
      why: `it takes ${countOf(wanted.length)}, and ${words.length === 1 ? '1 word was' : `${words.length} words were`} given; put several words in quotes to make them one`,
    };
  const given = wanted.flatMap(({ name }, at) => (words[at] === undefined || words[at] === '' ? [] : [[name, words[at]] as const]));
  const missing = wanted.filter(({ name, required }) => required && !given.some(([each]) => each === name));
  if (missing.length > 0) return { kind: 'wrong', why: `it needs ${missing.map(({ name }) => `<${name}>`).join(' and ')}` };
  return { kind: 'arguments', given: Object.fromEntries(given) };
}

/** How a command is written: `/name <needed> [more]`. */
export function usageOf(command: string, wanted: readonly PromptArgument[]): string {
  return [`/${command}`, ...wanted.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))].join(' ');
}

function countOf(arguments_: number): string {
  return arguments_ === 0 ? 'no arguments' : arguments_ === 1 ? 'one argument' : `${arguments_} arguments`;
}
