import { lstat, readFile } from 'node:fs/promises';

import { listLogFiles } from './log-files.ts';
import type { AuditRecord } from './record.ts';

/** What stands in a piece of the log, and how many lines of it cannot be read. */
export interface RecordPage {
  readonly records: readonly AuditRecord[];
  readonly broken: number;
}

/** The log a file at a time, from the oldest or from the newest; within a file oldest first. */
export async function* readRecords(folder: string, from: 'oldest' | 'newest'): AsyncGenerator<RecordPage, void, undefined> {
  const files = await listLogFiles(folder);
  for (const { path } of from === 'oldest' ? files : [...files].reverse()) {
    const text = await textOf(path).catch((cause: NodeJS.ErrnoException) => {
      // Another process has tidied up meanwhile.
      if (cause.code === 'ENOENT') return '';
      throw cause;
    });
    yield pageOf(text);
  }
}

/** What is no ordinary file, a link among them, is no part of the log: somebody else has put it there. */
async function textOf(path: string): Promise<string> {
  return (await lstat(path)).isFile() ? readFile(path, 'utf8') : '';
}

/** Reads lines. */
export function pageOf(text: string): RecordPage {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const records = lines.flatMap((line) => readLine(line) ?? []);
  return { records, broken: lines.length - records.length };
}

function readLine(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const SHAPE: Readonly<Partial<Record<keyof AuditRecord, (value: unknown) => boolean>>> = {
  v: (value) => value === 1,
  at: (value) => isText(value) && !Number.isNaN(Date.parse(value)),
  session: isText,
  call: isText,
  tool: isText,
  mode: isText,
  agent: isText,
  folders: (value) => isTexts(value) && (value as readonly unknown[]).length > 0,
  input: isInput,
  rewritten: (value) => value === undefined || isInput(value),
  decision: isText,
  step: (value) => value === undefined || isText(value),
  why: (value) => value === undefined || isText(value),
  reason: (value) => value === undefined || (typeof value === 'object' && value !== null),
  wrote: isTexts,
  hosts: isTexts,
  ms: (value) => typeof value === 'number',
  outcome: isText,
};

function isInput(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('kind' in value && 'preview' in value)) return false;
  return (
    isText(value.preview) && (value.kind === 'whole' ? 'value' in value : value.kind === 'part' && 'why' in value && isText(value.why))
  );
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(SHAPE).every(([name, fits]) => fits(members[name]));
}
