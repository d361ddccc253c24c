import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Words that name this process on this machine, for a file that says who is at work. */
export function processMark(): string {
  return `${process.pid}\n${machine()}`;
}

/** Has the process ended that a text begins to name? Not known, and so `false`, of one on another machine. */
export function isMarkGone(text: string): boolean {
  const [pid, where] = text.split('\n');
  return where === machine() && isGone(Number(pid));
}

/** Where a process id means what it means here. */
function machine(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function isGone(pid: number): boolean {
  try {
    return pid > 0 && !process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
