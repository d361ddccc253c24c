import { open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';

import { causeText, PegboardError } from 'pegboard';
import { auditFolder, readRecords, type AuditRecord } from 'pegboard/builtin-plugins';

import type { AuditFilter } from '../audit-args.ts';
import { isWanted, tellBroken } from '../audit-filter.ts';
import { exitCode } from '../exit-code.ts';
import type { SettingsCommand } from '../run-command.ts';
import { counted } from '../render/counted.ts';

/** `audit export`: every line that is wanted, oldest first, as JSONL; a file is there whole or not at all. */
export function auditExport(filter: AuditFilter, file: string | undefined): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    const told = { records: 0, broken: 0 };
    const pages = wanted(auditFolder(home), filter, told);
    if (file !== undefined) {
      await writeLines(resolve(file), pages);
      if (screen.json) screen.value({ file: resolve(file), ...told });
      else screen.tell(`${counted(told.records, 'line')} written to ${resolve(file)}`);
    } else if (screen.json) {
      const all: AuditRecord[] = [];
      for await (const page of pages) all.push(...page);
      screen.value(all);
    } else {
      for await (const page of pages) screen.text(linesOf(page));
    }
    tellBroken(told.broken, screen);
    return exitCode.done;
  };
}

async function* wanted(folder: string, filter: AuditFilter, told: { records: number; broken: number }) {
  for await (const page of readRecords(folder, 'oldest')) {
    const records = page.records.filter((record) => isWanted(record, filter));
    told.records += records.length;
    told.broken += page.broken;
    yield records;
  }
}

function linesOf(records: readonly AuditRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

async function writeLines(file: string, pages: AsyncIterable<readonly AuditRecord[]>): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    const handle = await open(part, 'wx', 0o600);
    try {
      for await (const page of pages) await handle.appendFile(linesOf(page));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true });
    throw new PegboardError('CLI_USAGE', { cause: `${file} cannot be written: ${causeText(cause)}` }, { cause });
  }
}
