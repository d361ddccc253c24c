import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import type { SessionRecord } from 'pegboard';

import { parseLine, type TranscriptHead } from './transcript-line.ts';

/** A transcript as it was read. */
export interface ReadTranscript {
  /** Nothing where the first line is not readable. */
  readonly head: TranscriptHead | undefined;
  readonly records: readonly SessionRecord[];
  /** Lines that could not be used. */
  readonly broken: number;
}

/** Reads a transcript line by line; with `most` no more lines than that. Throws where there is no such file. */
export async function readTranscript(path: string, most = Infinity): Promise<ReadTranscript> {
  const stream = createReadStream(path, { encoding: 'utf8' });
  const records: SessionRecord[] = [];
  let head: TranscriptHead | undefined;
  let broken = 0;
  let read = 0;
  try {
    // Only what ends a line in JSON Lines: texts may hold every other line break there is.
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      if (line === '') continue;
      const said = parseLine(line);
      if (said === undefined) broken++;
      else if (said.kind === 'head') head ??= said.head;
      else records.push(said.record);
      if (++read >= most) break;
    }
  } finally {
    stream.destroy();
  }
  return { head, records, broken };
}
