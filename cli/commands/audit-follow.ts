import { auditFolder, followRecords, type AuditRecord } from 'pegboard/builtin-plugins';

import type { AuditFilter } from '../audit-args.ts';
import { isWanted, tellBroken } from '../audit-filter.ts';
import { exitCode } from '../exit-code.ts';
import { auditRow } from '../render/audit-rows.ts';
import type { SettingsCommand } from '../run-command.ts';
import type { Screen } from '../screen.ts';

/** `audit follow`: calls of all sessions as they end, until it is stopped or nobody reads it. */
export function auditFollow(filter: AuditFilter): SettingsCommand {
  return async ({ configuration: { home }, screen, stop }) => {
    const folder = auditFolder(home);
    let begun = false;
    for await (const { records, broken } of followRecords(folder, AbortSignal.any([stop.signal, screen.unread]))) {
      if (!begun) screen.tell(`following ${folder}; Ctrl-C ends it`);
      begun = true;
      for (const record of records.filter((each) => isWanted(each, filter))) show(record, screen);
      tellBroken(broken, screen);
    }
    return exitCode.done;
  };
}

function show(record: AuditRecord, screen: Screen): void {
  if (screen.json) screen.text(JSON.stringify(record));
  else screen.print([auditRow(record).flatMap((cell, at) => (at === 0 ? [cell] : ['  ', cell]))]);
}
