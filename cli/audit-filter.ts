import { matchWildcard } from 'pegboard';
import { wasAsked, type AuditRecord } from 'pegboard/builtin-plugins';

import type { AuditFilter } from './audit-args.ts';
import type { Screen } from './screen.ts';
import { counted } from './render/counted.ts';

/** Whether a line of the log is wanted. */
export function isWanted(record: AuditRecord, { tool, decision, session, since }: AuditFilter): boolean {
  return (
    (tool === undefined || matchWildcard(tool, record.tool)) &&
    (decision === undefined || record.decision === decision || (decision === 'ask' && wasAsked(record))) &&
    (session === undefined || record.session === session) &&
    (since === undefined || Date.parse(record.at) >= since)
  );
}

/** Lines that cannot be read are left out, and said. */
export function tellBroken(broken: number, screen: Screen): void {
  if (broken > 0) screen.warn(`pegboard: ${counted(broken, 'line')} of the log cannot be read and ${broken === 1 ? 'is' : 'are'} left out`);
}
