import { execFile } from 'node:child_process';
import { afterEach, beforeEach } from 'vitest';

import { startMessagesServer, type MessagesServer } from '../support/messages-server.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import type { ServerTurn } from '../support/server-script.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

/** A request that was made for a conversation. */
interface AskedBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly type: string }[] }[];
}

/** A place of one test, and runs of the built command line there against an endpoint with a script. */
export interface ScriptedEndpoint {
  readonly place: CliPlace;
  readonly server: MessagesServer;
  /** `chat` by lines of a pipe. */
  chat(turns: readonly ServerTurn[], lines: readonly string[], ...args: readonly string[]): Promise<CliRun>;
  /** Any command, with something on stdin. */
  pegboard(turns: readonly ServerTurn[], args: readonly string[], input?: string): Promise<CliRun>;
  /** A command with a shell's pipe or file on stdin, as a line of `sh`: `\"$@\"` is the command. */
  shell(turns: readonly ServerTurn[], line: string, args: readonly string[]): Promise<CliRun>;
  /** What the last run asked, without marks and without the looks at what the endpoint can do. */
  asked(): readonly AskedBody[];
}

/** Gives each test of a file such a place, and takes it away when the test has ended. Called once, at the top of the file. */
export function scriptedEndpoint(): ScriptedEndpoint {
  let place: CliPlace;
  let server: MessagesServer | undefined;
  beforeEach(async () => {
    place = await cliPlace();
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await place.temporary.remove();
  });
  /** What it is asked when it is opened is answered first. */
  const begin = async (turns: readonly ServerTurn[]) => {
    await server?.close();
    const waiting = [...turns];
    const turn: ServerTurn = (body) => {
      const next = body['max_tokens'] === 1 ? { text: 'here' } : (waiting.shift() ?? { status: 500 });
      return typeof next === 'function' ? next(body) : next;
    };
    return (server = await startMessagesServer(Array.from({ length: 40 }, () => turn)));
  };
  const begun = (): MessagesServer => {
    if (server === undefined) throw new Error('nothing was asked yet');
    return server;
  };
  const pegboard: ScriptedEndpoint['pegboard'] = async (turns, args, input) => {
    const { url } = await begin(turns);
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url, NO_COLOR: '1' };
    return runCli(args, { home: place.home, cwd: place.folder, env, input });
  };
  return {
    get place() {
      return place;
    },
    get server() {
      return begun();
    },
    pegboard,
    shell: async (turns, line, args) => {
      const { url } = await begin(turns);
      const env = { ...process.env, PEGBOARD_HOME: place.home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url, NO_COLOR: '1' };
      const words = ['-c', line, 'sh', process.execPath, `${packageFolder}dist/cli/main.js`, ...args];
      return new Promise((resolve) => {
        execFile('sh', words, { cwd: place.folder, env }, (cause, stdout, stderr) =>
          resolve({ code: Number(cause?.code ?? 0), signal: null, stdout, stderr }),
        );
      });
    },
    chat: (turns, lines, ...args) => pegboard(turns, ['chat', ...args], lines.map((line) => `${line}\n`).join('')),
    asked: () =>
      begun()
        .requests.filter(({ body }) => (body as { readonly max_tokens?: number }).max_tokens !== 1)
        .map(({ text }) => JSON.parse(text.replaceAll(',"cache_control":{"type":"ephemeral"}', '')) as AskedBody),
  };
}
