import { readJsonLines, refuse, textComplaint, type Complaint, type Line } from './json-lines.ts';

/** One tool of a catalogue. */
export interface CatalogueRow {
  readonly id: string;
  /** Empty for a tool that no server brings. */
  readonly server: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly serverDescription?: string | undefined;
  /** Tools of one class stand for each other. */
  readonly cls: string;
  readonly line: number;
}

/** Reads `{id, server, name, description, inputSchema?, serverDescription?, cls?}` rows. Throws as `readJsonLines` does, also for rows of another shape. */
export async function readCatalogueRows(file: string): Promise<readonly CatalogueRow[]> {
  const lines = await readJsonLines(file);
  const first = new Map<unknown, number>();
  for (const { row, number } of lines) if (!first.has(row['id'])) first.set(row['id'], number);
  refuse(
    file,
    lines.flatMap((line) => complaintsOf(line, first)),
  );
  return lines.map(({ row, number }) => ({
    id: row['id'] as string,
    server: text(row['server']) ?? '',
    name: row['name'] as string,
    description: text(row['description']),
    inputSchema: row['inputSchema'] ?? undefined,
    serverDescription: text(row['serverDescription']),
    cls: text(row['cls']) ?? `id:${row['id'] as string}`,
    line: number,
  }));
}

function complaintsOf({ row, number }: Line, first: ReadonlyMap<unknown, number>): readonly Complaint[] {
  const earlier = first.get(row['id']);
  const texts = ['server', 'description', 'serverDescription', 'cls'].filter((member) => !isTextOrNone(row[member]));
  const schema = row['inputSchema'] ?? {};
  const causes = [
    textComplaint(row, 'id'),
    textComplaint(row, 'name'),
    ...texts.map((member) => `"${member}" should be a text`),
    typeof schema === 'object' && !Array.isArray(schema) ? undefined : '"inputSchema" should be an object',
    earlier !== undefined && earlier < number ? `the id "${String(row['id'])}" stands in line ${earlier} already` : undefined,
  ];
  return causes.flatMap((cause) => (cause === undefined ? [] : [{ line: number, cause }]));
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
