import { readJsonLines, refuse, textComplaint, type Complaint, type Line } from './json-lines.ts';

/** One query and the tools it should find. */
export interface QueryRow {
  readonly id: string;
  readonly query: string;
  /** Ids of a catalogue, or names of tools. */
  readonly gold: readonly string[];
  /** `all`: the share of the gold that was found counts; `any`: one of it is enough. */
  readonly mode: 'all' | 'any';
  readonly kind: string;
  readonly line: number;
}

/** Reads `{query, gold, id?, kind?, mode?}` rows. Throws as `readJsonLines` does, also for rows of another shape. */
export async function readQueryRows(file: string): Promise<readonly QueryRow[]> {
  const lines = await readJsonLines(file);
  refuse(file, lines.flatMap(complaintsOf));
  return lines.map(({ row, number }) => ({
    id: typeof row['id'] === 'string' ? row['id'] : String(row['id'] ?? `line ${number}`),
    query: row['query'] as string,
    gold: [...new Set(row['gold'] as readonly string[])],
    mode: row['mode'] === 'any' ? 'any' : 'all',
    kind: (row['kind'] as string | undefined) ?? '',
    line: number,
  }));
}

function complaintsOf({ row, number }: Line): readonly Complaint[] {
  const { gold, mode, kind, id } = row;
  const causes = [
    textComplaint(row, 'query'),
    Array.isArray(gold) && gold.length > 0 && gold.every((each) => typeof each === 'string')
      ? undefined
      : '"gold" should be a list of at least one id',
    mode === undefined || mode === 'all' || mode === 'any' ? undefined : '"mode" should be "all" or "any"',
    kind === undefined || typeof kind === 'string' ? undefined : '"kind" should be a text',
    id === undefined || typeof id === 'string' || typeof id === 'number' ? undefined : '"id" should be a text',
  ];
  return causes.flatMap((cause) => (cause === undefined ? [] : [{ line: number, cause }]));
}
