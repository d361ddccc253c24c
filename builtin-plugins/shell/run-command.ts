import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';

import type { GroupMember, ProcessEnd, ProcessGroups } from 'pegboard/kit';

import { Output } from './output.ts';

/** One command line to be run, and how far it may go. */
export interface Run {
  /** The program, absolute, and its arguments. */
  readonly argv: readonly string[];
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly keptBytes: number;
  readonly signal: AbortSignal;
  /** Told about once a second while it runs. */
  readonly progress: (state: RunProgress) => void;
  /** Hears what it prints, as it comes. */
  readonly hear?: ((text: string) => void) | undefined;
  /** Puts the program and its arguments into a sandbox; not given where there is none. */
  readonly wrap?: ((argv: readonly string[]) => Promise<readonly string[]>) | undefined;
}

export interface RunProgress {
  readonly seconds: number;
  readonly bytes: number;
  readonly lastLine: string;
}

/** How it went. */
export interface Ran {
  readonly end: ProcessEnd | { readonly kind: 'overtime' } | { readonly kind: 'stopped' };
  readonly output: string;
  readonly ms: number;
  /** Where the shell stood at its end, as far as it got there. */
  readonly directory: string | undefined;
  /** Something it started held its output when it ended, and is ended with it. */
  readonly leftRunning: boolean;
}

/**
 * Runs the command in this shell, so that it can say where it ended, also behind a trap of its own; both outputs go into one pipe,
 * which keeps their order, and nobody types. The last descriptor is for the folder alone, far from those that commands use.
 */
const SAY = String.raw`builtin printf "\0%s\0" "$(builtin pwd -P)" 2>/dev/null >&61`;
const DRIVER = `trap '${SAY}' EXIT; eval "$1"; set -- "$?"; ${SAY}; exit "$1"`;
const OUTER = `exec "$0" --noprofile --norc -c '${DRIVER.replaceAll("'", `'\\''`)}' bash "$1" 61>&2 2>&1 </dev/null`;

/** A run of bash with this command, byte for byte. */
export function bashArgv(bash: string, command: string): readonly string[] {
  return [bash, '--noprofile', '--norc', '-c', OUTER, bash, command];
}

/** Runs one command to its end, its time limit or the signal, whichever comes first, and ends with it all that it has started. */
export async function runCommand(run: Run, groups: ProcessGroups): Promise<Ran> {
  const [command = '', ...args] = run.wrap === undefined ? run.argv : await run.wrap(run.argv);
  const began = performance.now();
  const member = groups.start({ command, args, env: run.env, cwd: run.directory });
  member.stdin.end();
  const streams = new Streams(member, run);
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  const ticker = setInterval(
    () => run.progress({ seconds: seconds(), bytes: streams.output.bytes, lastLine: streams.output.lastLine() }),
    PROGRESS_MS,
  );
  const cut = await cutShort(member, run);
  if (cut !== undefined) await member.stop('at once');
  const ended = await member.ended;
  clearInterval(ticker);
  const end = cut === undefined ? ended : ({ kind: cut } as const);
  const leftRunning = streams.open;
  // What has left the group may hold them for ever.
  for (const stream of [member.stdout, member.stderr]) stream.destroy();
  return { end, output: streams.text(), ms: performance.now() - began, directory: streams.directory(), leftRunning };
}

const PROGRESS_MS = 1_000;

/** Waits for its end; the answer is what came before that. */
async function cutShort({ ended }: GroupMember, { signal, limitMs }: Run): Promise<'overtime' | 'stopped' | undefined> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const limit = delay(limitMs, 'overtime' as const, { signal: either, ref: true });
  const stopped = limit.catch(() => (signal.aborted ? ('stopped' as const) : undefined));
  const cut = await Promise.race([ended.then(() => undefined), stopped]);
  over.abort();
  return cut;
}

/** What comes out of a command, read no faster than it can be looked at. */
class Streams {
  readonly output: Output;
  readonly #aside = new Output(ASIDE_BYTES);
  #closed = 0;
  #burst = 0;

  constructor({ stdout, stderr }: GroupMember, { keptBytes, hear }: Pick<Run, 'keptBytes' | 'hear'>) {
    this.output = new Output(keptBytes);
    const letters = new StringDecoder('utf8');
    stdout.on('data', (chunk: Buffer) => {
      this.output.add(chunk);
      hear?.(letters.write(chunk));
      this.#burst += chunk.length;
      if (this.#burst < BURST_BYTES) return;
      this.#burst = 0;
      stdout.pause();
      // Without a pause a flood would leave no time for anything else of this process.
      setTimeout(() => stdout.resume(), BURST_PAUSE_MS);
    });
    stderr.on('data', (chunk: Buffer) => this.#aside.add(chunk));
    for (const stream of [stdout, stderr]) stream.once('close', () => this.#closed++);
  }

  get open(): boolean {
    return this.#closed < 2;
  }

  directory(): string | undefined {
    const path = this.#words().at(-2);
    return path?.startsWith('/') ? path : undefined;
  }

  /** What is said aside comes from whoever could not start the command. */
  text(): string {
    const said = this.#words()
      .filter((_, at) => at % 2 === 0)
      .join('');
    return said === '' ? this.output.text() : `${this.output.text()}${said}`;
  }

  #words(): readonly string[] {
    return this.#aside.raw().toString('utf8').split('\0');
  }
}

const ASIDE_BYTES = 64_000;
const BURST_BYTES = 4_000_000;
const BURST_PAUSE_MS = 20;
