import { createReadStream } from 'node:fs';

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

/** Reads a transcript line by line, for as long as `goesOn` wants, which is told of each record. Throws where there is no such file. */
export async function readTranscript(
  path: string,
  goesOn: (record: SessionRecord, nth: number) => boolean = () => true,
): Promise<ReadTranscript> {
  const records: SessionRecord[] = [];
  let head: TranscriptHead | undefined;
  let broken = 0;
  for await (const line of linesOf(path)) {
    if (line === '') continue;
    const said = parseLine(line);
    if (said === undefined) broken++;
    else if (said.kind === 'head') head ??= said.head;
    else if (!goesOn(said.record, records.push(said.record))) break;
  }
  return { head, records, broken };
}

/** Only a line feed ends a line of JSON Lines: texts may hold every other line break there is. */
async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  const parts: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
    const [first = '', ...others] = String(chunk).split('\n');
    parts.push(first);
    for (const next of others) yield parts.splice(0, parts.length, next).join('');
  }
  yield parts.join('');
}
