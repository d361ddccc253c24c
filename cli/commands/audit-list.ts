import { auditFolder, readRecords, type AuditRecord } from 'pegboard/builtin-plugins';

import type { AuditFilter } from '../audit-args.ts';
import { isWanted, tellBroken } from '../audit-filter.ts';
import { exitCode } from '../exit-code.ts';
import { auditColumns, auditRow } from '../render/audit-rows.ts';
import { tableLines } from '../render/table.ts';
import type { SettingsCommand } from '../run-command.ts';

/** `audit`: the last calls, oldest first. */
export function auditList(filter: AuditFilter, last: number): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    let records: readonly AuditRecord[] = [];
    let broken = 0;
    for await (const page of readRecords(auditFolder(home), 'newest')) {
      records = [...page.records.filter((record) => isWanted(record, filter)), ...records];
      broken += page.broken;
      if (records.length >= last) break;
    }
    const shown = records.slice(-last);
    if (screen.json) screen.value(shown);
    else screen.print(shown.length === 0 ? ['nothing is written down'] : tableLines(auditColumns, shown.map(auditRow), screen.width));
    tellBroken(broken, screen);
    return exitCode.done;
  };
}
