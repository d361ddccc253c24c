import { PegboardError, type Asker, type Model } from 'pegboard';

import type { ChatRequest } from '../args.ts';
import { Chat } from '../chat/chat.ts';
import { chatCommands } from '../chat/commands.ts';
import type { Face, FaceOptions } from '../chat/face.ts';
import { talk } from '../chat/talk.ts';
import { exitCode } from '../exit-code.ts';
import { modelChoice, openModel, type ModelChoice } from '../open-model.ts';
import { patiently } from '../patience.ts';
import { shortPath } from '../render/short-path.ts';
import type { Command, Desk } from '../run-command.ts';
import { savedOf } from '../saved-session.ts';

/** `chat`: a conversation at a terminal, or by the lines of a pipe. Questions go to the terminal as usual until the chat has its face, which then puts them. */
export function chat({ model: name, resumed, plain }: ChatRequest): { readonly command: Command; readonly asker: (usual: Asker) => Asker } {
  let face: Face | undefined;
  let before: Asker | undefined;
  const asker = (usual: Asker): Asker => {
    before = usual;
    const now = () => face?.asker ?? usual;
    return {
      permission: (question, signal) => now().permission(question, signal),
      question: (question, signal) => now().question(question, signal),
      elicit: (elicitation, signal) => now().elicit(elicitation, signal),
    };
  };
  const command: Command = async (desk) => {
    const { screen, host, stop } = desk;
    if (screen.json)
      throw new PegboardError('CLI_USAGE', {
        cause: 'A chat has no JSON. `pegboard run --output stream-json` gives events as JSON lines.',
      });
    const model = await modelOrOffline(modelChoice(desk, name), before, desk);
    if (model === undefined) return exitCode.usage;
    const saved = resumed && (await savedOf(resumed, desk));
    face = await openFace(plain === true, desk, { cwd: host.cwd, commands: chatCommands, signal: stop.signal });
    const opened = new Chat(desk, face, model, saved);
    // What could be typed is there by the time somebody has begun to.
    void desk.skills.look();
    try {
      screen.tell([
        { text: 'pegboard', style: 'bold' },
        { text: ` · ${model.name} · ${opened.session.mode} · ${shortPath(host.cwd, '')} · /help`, style: 'dim' },
      ]);
      return await talk(opened);
    } finally {
      const { id, messages } = opened.session;
      await opened.close();
      await face.close();
      face = undefined;
      if (messages.length > 0) screen.tell([{ text: `go on with: pegboard chat --resume ${id}`, style: 'dim' }]);
    }
  };
  return { command, asker };
}

/** Where nothing is there to sign a request with, a person is offered the offline driver; it is never taken by itself. */
export async function modelOrOffline(choice: ModelChoice, asker: Asker | undefined, { screen }: Desk): Promise<Model | undefined> {
  try {
    return await patiently(screen, 'asking the model whether it is there', openModel(choice));
  } catch (cause) {
    if (!(cause instanceof PegboardError) || cause.code !== 'CLI_MODEL' || asker === undefined) throw cause;
    const options = [{ label: 'yes' }, { label: 'no' }];
    const asked = `${cause.message}\nBegin with the offline driver now?`;
    const answer = await asker.question({ text: asked, options }, choice.signal);
    if (answer.kind === 'nobody') throw cause;
    if (answer.kind === 'answer' && /^y(es)?$/i.test(answer.text)) return openModel({ ...choice, name: 'offline' });
    screen.tell('Nothing was begun.');
    return undefined;
  }
}

/** The face that the terminal allows. */
async function openFace(plain: boolean, { screen, stop }: Desk, options: FaceOptions): Promise<Face> {
  const { stdin, stdout, stderr } = process;
  const moves = stdin.isTTY && stdout.isTTY && process.env['TERM'] !== 'dumb';
  if (!moves) {
    const { openLineFace } = await import('../chat/line-face.ts');
    return openLineFace({ input: stdin, output: stdout, person: stdin.isTTY && stderr.isTTY, screen, stop }, options);
  }
  const now = () => performance.now();
  if (plain) {
    const { openReadlineFace } = await import('../chat/readline-face.ts');
    return openReadlineFace({ input: stdin, output: stdout, screen, now }, options);
  }
  const [{ openTuiFace }, { ProcessTerminal }] = await Promise.all([import('../chat/tui-face.ts'), import('../chat/tui-parts.ts')]);
  return openTuiFace({ terminal: new ProcessTerminal(), screen, now }, options);
}
