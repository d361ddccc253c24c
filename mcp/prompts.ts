import type { SourceNote } from 'pegboard';

import { isObject, type JsonObject } from './json.ts';
import { nameTools } from './names.ts';

/** One prompt of a server, checked. */
export interface ServerPrompt {
  /** As the server names it. */
  readonly name: string;
  /** The command it becomes, without the slash. */
  readonly command: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export interface AdaptedPrompts {
  readonly prompts: readonly ServerPrompt[];
  readonly notes: readonly SourceNote[];
}

/** What a server listed as prompts, as commands. One that cannot be used is left out by itself, with the reason as a note. */
export function adaptPrompts(listed: readonly unknown[], part: string): AdaptedPrompts {
  const sound = new Map<string, JsonObject>();
  const notes: SourceNote[] = [];
  for (const [at, given] of listed.entries()) {
    const name = isObject(given) ? given['name'] : undefined;
    if (!isObject(given) || typeof name !== 'string' || name.trim() === '') notes.push(leftOut(`#${at + 1}`, 'it has no name'));
    else if (sound.has(name)) notes.push(leftOut(`"${name}"`, 'the server lists one of this name before it'));
    else sound.set(name, given);
  }
  const commands = nameTools(part, sound.keys());
  return { prompts: [...sound].map(([name, given]) => promptOf(name, commands.get(name) ?? name, given)), notes };
}

function promptOf(name: string, command: string, { description, title, arguments: listed }: JsonObject): ServerPrompt {
  return {
    name,
    command,
    description: ([description, title].find((each) => typeof each === 'string' && each !== '') as string | undefined) ?? '',
    arguments: (Array.isArray(listed) ? listed : []).flatMap((given: unknown) =>
      isObject(given) && typeof given['name'] === 'string'
        ? [{ name: given['name'], description: String(given['description'] ?? ''), required: given['required'] === true }]
        : [],
    ),
  };
}

function leftOut(prompt: string, why: string): SourceNote {
  return { kind: 'warning', why: `prompt ${prompt} was left out: ${why}` };
}
