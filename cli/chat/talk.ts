import { nearest } from 'pegboard';

import { errorText } from '../error-advice.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Chat } from './chat.ts';
import { chatCommands } from './commands.ts';

/** Hears a person out: what they say goes to the model, what begins with / to a command, until they leave. */
export async function talk(chat: Chat): Promise<ExitCode> {
  const { face, desk } = chat;
  let leaving = false;
  for await (const typed of face.typed()) {
    const asked = leaving;
    leaving = false;
    switch (typed.kind) {
      case 'end':
        if (!face.live) await chat.ended();
        return desk.stop.code ?? exitCode.done;
      case 'interrupt':
        if (chat.runs) chat.interrupt();
        else if (typed.leaves && asked) return exitCode.done;
        else if (typed.leaves) {
          leaving = true;
          desk.screen.tell([{ text: 'Once more, or /exit, to leave.', style: 'dim' }]);
        }
        break;
      case 'line':
        if ((await hear(chat, typed.text.trim())) === 'leaves') return exitCode.done;
        if (!face.live) await chat.ended();
    }
  }
  return exitCode.done;
}

async function hear(chat: Chat, text: string): Promise<'leaves' | 'stays'> {
  if (text === '') return 'stays';
  const [, name, words = ''] = /^\/([\w:.-]*)(?:\s+([^]*))?$/.exec(text) ?? [];
  // Of one name the chat's own counts: no file in a repository decides what /exit or /permissions does.
  const isOwn = chatCommands.some((each) => each.name === name);
  if (name === undefined || (!isOwn && (await isOffered(chat, name)))) {
    chat.say(text);
    return 'stays';
  }
  return order(chat, name, words.trim());
}

/** Files of commands are looked for anew, as with every prompt. */
async function isOffered({ desk: { skills, commands } }: Chat, name: string): Promise<boolean> {
  await skills.look();
  return commands.list().some((each) => each.name === name || each.aliases?.includes(name));
}

/** A command that fails costs its sentence, not the chat. */
async function order(chat: Chat, name: string, words: string): Promise<'leaves' | 'stays'> {
  const { screen } = chat.desk;
  const command = chatCommands.find((each) => each.name === name);
  if (command === undefined) {
    const near = nearest(
      name,
      chatCommands.map((each) => each.name),
    );
    screen.warn(`There is no command /${name}${near === undefined ? '' : ` (did you mean /${near}?)`}. /help shows what there is.`);
    return 'stays';
  }
  if (command.alone === true && chat.runs) {
    screen.warn(`/${name} cannot be given while something runs: interrupt that with ESC or Ctrl-C first.`);
    return 'stays';
  }
  try {
    return (await command.run(chat, words)) ?? 'stays';
  } catch (cause) {
    screen.warn([{ text: errorText(cause), style: 'red' }]);
    return 'stays';
  }
}
