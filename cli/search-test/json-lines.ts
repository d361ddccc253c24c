import { readFile } from 'node:fs/promises';

import { PegboardError, causeText } from 'pegboard';

/** One line of a file, and where it stands. */
export interface Line {
  readonly row: Readonly<Record<string, unknown>>;
  readonly number: number;
}

/** What is wrong with a line. */
export interface Complaint {
  readonly line: number;
  readonly cause: string;
}

const MOST_SAID = 10;

/** The objects of a JSONL file; empty lines are no rows. Throws SEARCH_TEST_FILE, or SEARCH_TEST_ROWS with each line that is none. */
export async function readJsonLines(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new PegboardError('SEARCH_TEST_FILE', { file, cause: causeText(cause) });
  });
  const lines: Line[] = [];
  const complaints: Complaint[] = [];
  for (const [at, raw] of text
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (raw.trim() === '') continue;
    const number = at + 1;
    try {
      const row: unknown = JSON.parse(raw);
      if (typeof row === 'object' && row !== null && !Array.isArray(row)) lines.push({ row: row as Line['row'], number });
      else complaints.push({ line: number, cause: 'it is no JSON object' });
    } catch (cause) {
      complaints.push({ line: number, cause: `it is not JSON (${causeText(cause)})` });
    }
  }
  refuse(file, complaints);
  if (lines.length === 0) throw new PegboardError('SEARCH_TEST_FILE', { file, cause: 'it has no rows' });
  return lines;
}

/** Throws SEARCH_TEST_ROWS when there is a complaint. */
export function refuse(file: string, complaints: readonly Complaint[]): void {
  if (complaints.length === 0) return;
  const said = complaints.slice(0, MOST_SAID).map(({ line, cause }) => `${file}:${line}: ${cause}`);
  const rest = complaints.length - said.length;
  throw new PegboardError('SEARCH_TEST_ROWS', { rows: [...said, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n') });
}

/** Why a member is not a text with something in it. */
export function textComplaint(row: Line['row'], member: string): string | undefined {
  const value = row[member];
  return typeof value === 'string' && value.trim() !== '' ? undefined : `"${member}" should be a text that is not empty`;
}
