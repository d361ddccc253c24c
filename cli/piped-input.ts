import { fstatSync } from 'node:fs';

import { PegboardError } from 'pegboard';

/** More is not read: no request would take it. */
const MOST_BYTES = 2_000_000;

/**
 * The text on stdin, whole. Throws CLI_USAGE where that is no text or too much of it.
 */
export async function readInput(stream: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    const buffer = Buffer.from(part as Uint8Array);
    bytes += buffer.length;
    if (bytes > MOST_BYTES)
      throw wrong(`holds more than ${MOST_BYTES / 1_000_000} MB, which no request takes. Put it into a file, and say which.`);
    parts.push(buffer);
  }
  const text = Buffer.concat(parts).toString('utf8');
  if (text.includes('\0')) throw wrong('is no text. Put it into a file, and say which.');
  return text;
}

/**
 * Whether somebody has put something on stdin for this command: a pipe of a shell or a file. A program that starts this one often
 * leaves a socket open there and never writes to it, so that is not waited for.
 */
export function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile();
  } catch {
    return false;
  }
}

function wrong(what: string): PegboardError<'CLI_USAGE'> {
  return new PegboardError('CLI_USAGE', { cause: `What stands on stdin ${what}` });
}
