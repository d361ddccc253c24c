import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** One thing a fake tool does when it is called, in order. Without an answer at the end it says with what it was called. */
export type FakeStep =
  | { readonly kind: 'progress'; readonly report: { readonly progress: number; readonly total?: number; readonly message?: string } }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'stderr'; readonly text: string; readonly times?: number }
  /** Written as it is: what is no message is noise. */
  | { readonly kind: 'stdout'; readonly text: string }
  /** From now on these are its tools; announced so many times, once unless given. */
  | { readonly kind: 'tools'; readonly tools: readonly unknown[]; readonly announce?: number }
  /** From now on it answers with an error when asked for its tools. */
  | { readonly kind: 'failList' }
  | { readonly kind: 'exit'; readonly code: number }
  /** Asks the client something and waits for its answer, which a record has as a message without a method. */
  | { readonly kind: 'ask'; readonly method: string; readonly params?: { readonly [name: string]: unknown } }
  /** Does nothing else for so long, not even hear. */
  | { readonly kind: 'block'; readonly ms: number }
  | { readonly kind: 'answer'; readonly result: unknown }
  | { readonly kind: 'refuse'; readonly code: number; readonly message: string }
  | { readonly kind: 'silence' };

/** How a fake server behaves. Everything left out is as a good server does it. */
export interface FakeServerPlan {
  readonly name?: string;
  readonly instructions?: string;
  /** So many generated tools, or the definitions themselves, however broken. */
  readonly tools?: number | readonly unknown[];
  readonly scripts?: Readonly<Record<string, readonly FakeStep[]>>;
  /** Its prompts; each says its name and the arguments it was given. */
  readonly prompts?: readonly unknown[];
  readonly resources?: readonly unknown[];
  readonly contents?: readonly { readonly uri: string; readonly [member: string]: unknown }[];
  /** What it does instead of serving: ends, prints something and waits, never answers at all, or never lists its tools. */
  readonly start?:
    | { readonly kind: 'exit'; readonly code: number; readonly stderr?: string }
    | { readonly kind: 'garbage'; readonly text: string }
    | { readonly kind: 'silent' }
    | { readonly kind: 'silentList' };
  /** What it does when it is asked whether it speaks the protocol's newer era; it refuses unless given. */
  readonly onDiscover?: 'exit' | 'silence';
  /** Printed before anything else. */
  readonly noise?: string;
  /** How long it takes to answer `initialize`. */
  readonly delayMs?: number;
  readonly pageSize?: number;
  /** The cursor of the second page is the empty text. */
  readonly emptyCursor?: boolean;
  /** Every page is the first one and has the same cursor. */
  readonly stuckCursor?: boolean;
  /** It answers with an error when asked for its tools. */
  readonly failList?: boolean;
  /** It never answers a ping. */
  readonly ignorePing?: boolean;
  /** Ends neither with its input nor by SIGTERM. */
  readonly stubborn?: boolean;
  /** Over HTTP: what an opened GET stream is answered with, 405 unless given. */
  readonly getStatus?: number;
  /** Over HTTP: it keeps the GET stream open and announces changes there. */
  readonly stream?: boolean;
  /** Over HTTP: every message is answered with this status. */
  readonly refuseHttp?: number;
  /** Over HTTP: after so many calls it forgets its sessions. */
  readonly forgetAfter?: number;
  /** A file that gets a line of JSON for its start and for each message it hears; see `readRecord`. */
  readonly record?: string;
}

/** What a fake server has written down. */
export type FakeRecord =
  | { readonly kind: 'start'; readonly pid: number; readonly cwd: string; readonly env: Readonly<Record<string, string>> }
  | {
      readonly kind: 'message';
      readonly message: {
        readonly method?: string;
        readonly params?: { readonly [name: string]: unknown };
        readonly id?: unknown;
        readonly result?: unknown;
        readonly error?: unknown;
      };
    }
  | { readonly kind: 'request'; readonly method: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'signal'; readonly signal: string };

/** The definition of a fake server as it stands in `.mcp.json`: a real process that speaks MCP over its input and output. */
export function fakeServer(plan: FakeServerPlan = {}): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [fakeServerFile(), JSON.stringify(plan)] };
}

/** A fake server that was started, reached over Streamable HTTP. */
export interface FakeHttpServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a fake server on a free port of this machine. */
export async function startFakeHttpServer(plan: FakeServerPlan = {}): Promise<FakeHttpServer> {
  const { command, args } = fakeServer(plan);
  const child = spawn(command, [...args, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the fake server ended with ${code}`)));
  });
  return {
    url,
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** Everything a fake server has recorded so far; empty while it has not started. */
export async function readRecord(path: string): Promise<readonly FakeRecord[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FakeRecord);
}

/** Found from the package's root, because the file is run as it is and never compiled. */
function fakeServerFile(): string {
  const root = dirname(createRequire(import.meta.url).resolve('pegboard/package.json'));
  return join(root, 'test', 'fixtures', 'servers', 'fake-server.mjs');
}
