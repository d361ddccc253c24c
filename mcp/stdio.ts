import { setTimeout as delay } from 'node:timers/promises';

import type { GroupMember, Launch, ProcessEnd, ProcessGroups } from 'pegboard/kit';

import { isObject } from './json.ts';
import type { ServerLog } from './log.ts';

const MESSAGES_A_TURN = 200;
const LOGGED_CHARS = 2_000;
const LAST_WORDS_MS = 1_000;
/** How long a process may take to end after it has closed its output. */
const MUTE_MS = 200;
const ASK_FOR_LESS = ' (ask it for less at once, or raise `messageLimit` in its definition)';
/** Begins the log's lines that came on stdout and were no messages. */
export const NOT_PROTOCOL = 'stdout: ';

/**
 * MCP over the pipes of a process: one JSON message a line. Other lines are logged and skipped, its stderr is always read, and
 * its end takes everything with it that it has started.
 */
export class StdioTransport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: ((message: unknown) => void) | undefined;
  /** How the process ended, once it has. */
  end: ProcessEnd | undefined;
  /** Why this side gave it up before that. */
  #fault: string | undefined;
  readonly #launch: Launch;
  readonly #groups: ProcessGroups;
  readonly #log: ServerLog;
  readonly #mostBytes: number;
  #member: GroupMember | undefined;
  #line: Buffer[] = [];
  #lineBytes = 0;
  #inbox: unknown[] = [];
  #delivering = false;

  /** A line of more than `mostBytes` ends it. */
  constructor(launch: Launch, groups: ProcessGroups, log: ServerLog, mostBytes: number) {
    this.#launch = launch;
    this.#groups = groups;
    this.#log = log;
    this.#mostBytes = mostBytes;
  }

  async start(): Promise<void> {
    const member = this.#groups.start(this.#launch);
    this.#member = member;
    member.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    member.stdout.once('end', () => void this.#mute(member));
    member.stderr.setEncoding('utf8').on('data', (text: string) => this.#log.write(text));
    void member.ended.then((end) => {
      this.end = end;
      if (this.#fault === undefined) this.onclose?.();
    });
  }

  /** How it ended, in words, once it has. */
  endWords(): string | undefined {
    return this.#fault ?? (this.end && endWords(this.end));
  }

  async send(message: unknown): Promise<void> {
    const cause = await this.#write(`${JSON.stringify(message)}\n`);
    if (cause === undefined) return;
    // A pipe breaks a little before the system says that the process has ended, and how it ended says more.
    await Promise.race([this.#member?.ended, delay(LAST_WORDS_MS, undefined, { ref: false })]);
    throw cause;
  }

  #write(line: string): Promise<Error | undefined> {
    return new Promise((resolve) => {
      const stdin = this.#member?.stdin;
      if (!stdin?.writable) return resolve(new Error('the server reads no more'));
      stdin.write(line, (cause) => resolve(cause ?? undefined));
    });
  }

  async close(): Promise<void> {
    await this.#member?.stop();
  }

  #read(chunk: Buffer): void {
    if (this.#fault !== undefined) return;
    const noise: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const rest = chunk.subarray(from, at);
      this.#lineBytes += rest.length;
      if (this.#lineBytes > this.#mostBytes) break;
      const line = this.#line.length === 0 ? rest : Buffer.concat([...this.#line, rest]);
      this.#take(line.toString('utf8').trim(), noise);
      this.#line = [];
      this.#lineBytes = 0;
      from = at + 1;
    }
    if (from < chunk.length) this.#line.push(chunk.subarray(from));
    this.#lineBytes += chunk.length - from;
    if (noise.length > 0) this.#log.line(noise.join('\n'));
    if (this.#lineBytes > this.#mostBytes) this.#giveUp(`it sent a line of more than ${this.#mostBytes} bytes`, ASK_FOR_LESS);
  }

  #take(line: string, noise: string[]): void {
    if (line === '') return;
    const messages = parseMessages(line);
    if (messages.length === 0) noise.push(`${NOT_PROTOCOL}${line.slice(0, LOGGED_CHARS)}`);
    for (const message of messages) this.#inbox.push(message);
    if (!this.#delivering) this.#deliver();
  }

  /** So many in one turn: nobody else would get one in a flood. */
  #deliver(): void {
    const messages = this.#inbox.splice(0, MESSAGES_A_TURN);
    for (const message of messages) this.onmessage?.(message);
    this.#delivering = this.#inbox.length > 0;
    if (this.#delivering) setImmediate(() => this.#deliver());
  }

  /** A process that ends closes its output a little before; one that only closes it will never answer again. */
  async #mute(member: GroupMember): Promise<void> {
    await Promise.race([member.ended, delay(MUTE_MS, undefined, { ref: false })]);
    if (this.end === undefined && this.#fault === undefined) this.#giveUp('it closed its output');
  }

  /** Whoever waits for an answer should not wait in vain, nor until the process has ended. */
  #giveUp(why: string, mend = ''): void {
    this.#fault = `${why} and was stopped${mend}`;
    this.#line = [];
    this.#lineBytes = 0;
    this.#log.line(`${NOT_PROTOCOL}${this.#fault}`);
    this.onclose?.();
    void this.close();
  }
}

/** The protocol's messages in a line: one, several in a list (MCP 2025-03-26), or none. */
function parseMessages(line: string): readonly unknown[] {
  // Noise comes in floods, and an exception for each of its lines would be the dearest part of it.
  if (!/^[[{]/.test(line)) return [];
  try {
    const value: unknown = JSON.parse(line);
    return (Array.isArray(value) ? value : [value]).filter((each) => isObject(each) && each['jsonrpc'] === '2.0');
  } catch {
    return [];
  }
}

/** How a process ended, in words. */
export function endWords(end: ProcessEnd): string {
  switch (end.kind) {
    case 'exit':
      return `exit code ${end.code}`;
    case 'signal':
      return `signal ${end.signal}`;
    case 'notStarted':
      return end.message;
  }
}
