import { analyseCommand, type Start } from './analyse.ts';
import type { Command } from './member.ts';

/** Reads commands, the same text from the same start once. */
export type Reader = (source: string, start: Start) => Command;

/** A call asks about its command several times over, and calls that run together each about theirs. */
const KEPT = 32;

/** Opens one that remembers the latest it has read. */
export function openReader(): Reader {
  const known = new Map<string, Command>();
  return (source, start) => {
    const key = JSON.stringify([start.directory, start.home, source]);
    const command = known.get(key) ?? analyseCommand(source, start);
    known.delete(key);
    known.set(key, command);
    const [oldest] = known.size > KEPT ? known.keys() : [];
    if (oldest !== undefined) known.delete(oldest);
    return command;
  };
}
