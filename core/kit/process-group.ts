import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

import type { ProcessLedger } from './process-ledger.ts';
import { windowsLaunch } from './windows-launch.ts';

/** What to start. The environment is exactly `env`: nothing of this process's own comes along. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How a process ended; `notStarted` is the system's word for why it never ran. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'notStarted'; readonly code: string; readonly message: string };

/** A process and all it starts. */
export interface GroupMember {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles when the process has ended and what it wrote has been read. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes its input, waits (not `at once`), asks it to end, waits, ends it by force; the last two reach all it has started. Never rejects. */
  stop(manner?: 'at once'): Promise<void>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const PATIENCE_MS = 2_000;
const LOOK_AGAIN_MS = 25;
/** How long output may still come after the end: a child of the process can hold the pipes open for ever. */
const DRAIN_MS = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Starts processes in groups of their own and sees to it that none outlives this process: they are ended by force when it exits,
 * also by a signal nobody else listens to. `windows` chooses that system's ways, which know no groups.
 */
export class ProcessGroups {
  /** The listeners of all instances, so that each can tell whether somebody else takes care of a signal. */
  static readonly #own = new WeakSet<(...values: never[]) => void>();
  readonly #windows: boolean;
  readonly #ledger: ProcessLedger | undefined;
  readonly #running = new Set<Child>();
  readonly #onExit = () => this.#running.forEach((child) => this.#signal(child, 'SIGKILL'));
  readonly #onSignal = (signal: NodeJS.Signals) => {
    if (process.listeners(signal).some((each) => !ProcessGroups.#own.has(each))) return;
    this.#onExit();
    process.off(signal, this.#onSignal);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };

  /** With a ledger, what a killed host leaves behind can be found by the next one. */
  constructor(options: { readonly windows: boolean; readonly ledger?: ProcessLedger | undefined }) {
    this.#windows = options.windows;
    this.#ledger = options.ledger;
    ProcessGroups.#own.add(this.#onSignal);
  }

  /** Starts one. Whether that worked shows in `ended`; throws only for arguments no process can be given. */
  start(launch: Launch): GroupMember {
    const { env, cwd } = launch;
    const { command, args, verbatim } = this.#windows ? windowsLaunch(launch, isFile) : { ...launch, verbatim: false };
    const child: Child = spawn(command, args, {
      cwd,
      env,
      windowsVerbatimArguments: verbatim,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: !this.#windows,
      windowsHide: true,
    });
    this.#add(child);
    const ended = endOf(child);
    let stopping: Promise<void> | undefined;
    const stop = (manner?: 'at once') => (stopping ??= this.#stop(child, ended, manner));
    // A wrapper that ends may leave behind what it started: that goes the same way.
    void ended.then(() => stop());
    return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, ended, stop };
  }

  async #stop(child: Child, ended: Promise<ProcessEnd>, manner: 'at once' | undefined): Promise<void> {
    child.stdin.end();
    if (manner === 'at once' || !(await this.#gone(child))) this.#signal(child, 'SIGTERM');
    if (!(await this.#gone(child))) this.#signal(child, 'SIGKILL');
    await ended;
    if (child.pid !== undefined) await this.#ledger?.forget(child.pid);
    this.#remove(child);
  }

  /** Whether nothing of the group is left within the patience. */
  async #gone(child: Child): Promise<boolean> {
    for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_AGAIN_MS) {
      if (!this.#signal(child, 0)) return true;
      await delay(LOOK_AGAIN_MS);
    }
    return !this.#signal(child, 0);
  }

  /** Reaches the whole group; false when nothing of it is left. */
  #signal(child: Child, signal: NodeJS.Signals | 0): boolean {
    if (child.pid === undefined) return false;
    const leads = child.exitCode === null && child.signalCode === null;
    if (this.#windows && signal !== 0 && leads) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
    if (this.#windows) return leads;
    try {
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  }

  #add(child: Child): void {
    if (this.#running.size === 0) {
      process.on('exit', this.#onExit);
      for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    }
    this.#running.add(child);
    if (child.pid !== undefined && !this.#windows) this.#ledger?.note(child.pid);
  }

  #remove(child: Child): void {
    this.#running.delete(child);
    if (this.#running.size > 0) return;
    process.off('exit', this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function endOf(child: Child): Promise<ProcessEnd> {
  child.stdin.on('error', () => undefined);
  return new Promise((resolve) => {
    child.once('error', (cause: NodeJS.ErrnoException) =>
      resolve({ kind: 'notStarted', code: cause.code ?? 'unknown', message: cause.message }),
    );
    child.once('exit', (code, signal) => {
      const end: ProcessEnd = signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal };
      const late = setTimeout(() => resolve(end), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(late);
        resolve(end);
      });
    });
  });
}
