import {
  nearest,
  PegboardError,
  textOf,
  type CommandOffer,
  type ImageBlock,
  type MentionOffer,
  type Outcome,
  type Session,
  type TextBlock,
} from 'pegboard';

import { mentionsIn } from './mentions-in.ts';

/** In which conversation a prompt was typed. */
export interface PromptPlace {
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** A call that read what a prompt names. */
interface Reading {
  readonly word: string;
  readonly tool: string;
  readonly input: unknown;
  readonly outcome: Outcome;
}

/** What was made of a prompt. Only the first kind is something to send. */
export type ReadPrompt =
  | { readonly kind: 'prompt'; readonly text: string; readonly attached: Attached; readonly readings: readonly Reading[] }
  /** It names a command or a thing that there is not, or not so. */
  | { readonly kind: 'wrong'; readonly error: PegboardError }
  /** The last of the calls did not give what was named. */
  | { readonly kind: 'unread'; readonly readings: readonly Reading[] };

type Attached = readonly (TextBlock | ImageBlock)[];

interface Offers {
  readonly commands: readonly CommandOffer[];
  readonly mentions: readonly MentionOffer[];
}

const MOST_MENTIONS = 20;
const MOST_NAME = 200;
/** Of what a command says, in UTF-16 code units; what is longer becomes a preview and a reference. */
const COMMAND_CHARS = 100_000;

/**
 * A prompt as it goes to a model: a command is replaced by what it says, and what is named with `@` is read and attached, each by a call
 * through the whole pipeline. What a command says came from elsewhere and is not searched for more.
 */
export async function readPrompt(typed: string, place: PromptPlace & Offers): Promise<ReadPrompt> {
  const [, name] = /^\/(\S+)(?:\s+[^]*)?$/.exec(typed.trim()) ?? [];
  if (name === undefined) return attach(typed, place);
  const meant = commandMeant(typed.trim().slice(1), place.commands);
  if (meant) return expand(meant.command, meant.words, place);
  return isMeantAsCommand(name) ? { kind: 'wrong', error: unknownCommand(name, place.commands) } : attach(typed, place);
}

/** The command a line begins with: the longest name that fits, then an alias that only one has. A name may have blanks in it. */
function commandMeant(line: string, commands: readonly CommandOffer[]) {
  const fits = (name: string) => line === name || (line.startsWith(name) && /\s/.test(line.charAt(name.length)));
  const found = (name: string, command: CommandOffer) => ({ command, words: line.slice(name.length).trim(), length: name.length });
  const named = commands.flatMap((each) => (fits(each.name) ? [found(each.name, each)] : [])).sort((a, b) => b.length - a.length)[0];
  if (named) return named;
  const aliased = commands.flatMap((each) => (each.aliases ?? []).filter(fits).map((alias) => found(alias, each)));
  return new Set(aliased.map(({ command }) => command)).size === 1 ? aliased[0] : undefined;
}

/** Names with a namespace are nobody's folders; a plain one may be a path, and is left to the model. */
function isMeantAsCommand(name: string): boolean {
  return name.length <= MOST_NAME && /^\w[\w:-]*$/.test(name) && /\w(?:__|:)\w/.test(name);
}

function unknownCommand(name: string, commands: readonly CommandOffer[]): PegboardError {
  const names = commands.map((each) => each.name);
  const near = nearest(name, names);
  const known = names.map((each) => `/${each}`).join(', ') || 'none';
  return new PegboardError('COMMAND_UNKNOWN', { name, near: near === undefined ? '' : `; the nearest one is /${near}`, known });
}

async function expand(command: CommandOffer, words: string, { session, signal }: PromptPlace): Promise<ReadPrompt> {
  const call = async (tool: string, input: unknown) => (await session.call(tool, input, { signal })).result;
  const said = await command.expand(words, { pool: session.pool(), signal, session: session.id, call });
  if (said.kind === 'wrong') return said;
  const { content } = await session.results.keep(session.newCallId(), { content: said.content }, COMMAND_CHARS);
  return { kind: 'prompt', text: textOf(content), attached: content.filter(({ type }) => type === 'image') as Attached, readings: [] };
}

async function attach(typed: string, { session, signal, mentions }: PromptPlace & Offers): Promise<ReadPrompt> {
  const found = mentionsIn(typed).flatMap((word) =>
    mentions
      .flatMap((each) => each.find(word) ?? [])
      .slice(0, 1)
      .map((mention) => ({ word, mention })),
  );
  const wrong = found.flatMap(({ mention }) => (mention.kind === 'wrong' ? [mention] : []))[0];
  if (wrong) return wrong;
  const calls = found.flatMap(({ word, mention }) => (mention.kind === 'call' ? [{ word, ...mention }] : []));
  if (calls.length > MOST_MENTIONS)
    return { kind: 'wrong', error: new PegboardError('MENTIONS_MANY', { count: calls.length, most: MOST_MENTIONS }) };
  const readings: Reading[] = [];
  const attached: Attached[number][] = [];
  for (const { word, tool, input } of calls) {
    const outcome = await session.call(tool, input, { signal });
    readings.push({ word, tool, input, outcome });
    if (outcome.kind !== 'done' || outcome.result.isError) return { kind: 'unread', readings };
    attached.push({ type: 'text', text: `@${word}:` }, ...outcome.kept.content.filter((block) => block.type !== 'tool_reference'));
  }
  return { kind: 'prompt', text: typed, attached, readings };
}
