import { setImmediate as nextTick } from 'node:timers/promises';

import { definePlugin, PegboardError, causeText, type CallEnd, type Plugin, type Verdict } from 'pegboard';

import { auditFolder } from './log-files.ts';
import { AuditLog } from './audit-log.ts';
import { auditOptions, type AuditOptions } from './options.ts';
import { recordOf } from './record.ts';

export { followRecords } from './follow-records.ts';
export type { AuditInput } from './keep-input.ts';
export { auditFolder } from './log-files.ts';
export { readRecords } from './read-records.ts';
export type { RecordPage } from './read-records.ts';
export { wasAsked } from './record.ts';
export type { AuditRecord } from './record.ts';

/** More than this waits only where the disk has stopped answering; what comes then is left out. */
const MOST_WAITING = 10_000;
const MOST_AT_ONCE = 100;

/**
 * The plugin "audit": every decision and execution, one line each, in the home's `audit/` (M4.12). No call waits for it or fails by it,
 * unless the settings say that nothing may run unseen.
 */
export function audit(): Plugin {
  return definePlugin({
    name: 'audit',
    options: auditOptions,
    setup: (scope) => {
      const { enabled, required, ...limits } = scope.options as AuditOptions;
      if (!enabled) return;
      const folder = auditFolder(scope.home);
      const log = new AuditLog(folder, limits, scope.now);
      let told = false;
      let lost = false;
      const tell = (cause: unknown) => {
        lost = true;
        if (!told) scope.report(new PegboardError('AUDIT_WRITE', { folder, cause: causeText(cause) }, { cause }));
        told = true;
      };
      const waiting: CallEnd[] = [];
      const writeAll = async () => {
        // First the call has its answer, and what ends in the same tick is written along: more than that no end of the process takes.
        await nextTick();
        while (waiting.length > 0) {
          const records = await Promise.all(waiting.splice(0, MOST_AT_ONCE).map(recordOf));
          await log.append(records.map((record) => `${JSON.stringify(record)}\n`).join('')).then(() => void (lost = false), tell);
        }
      };
      let work: Promise<void> | undefined;
      const keep = (end: CallEnd): void => {
        if (waiting.length >= MOST_WAITING) return tell(`more than ${MOST_WAITING} lines wait to be written`);
        waiting.push(end);
        work ??= writeAll()
          .catch(tell)
          .finally(() => void (work = undefined));
      };
      // Taken down in reverse: nothing new comes first, then what has come is written.
      scope.onClose(async () => {
        await work;
        await log.close();
      });
      scope.on({ 'call.end': keep });
      const gate = async () => {
        if (lost) await work;
        if (lost) throw new Error('the line before this one was lost');
        await log.check();
      };
      if (required) scope.on({ 'tool.before': () => gate().catch(refusal) });
    },
  });
}

function refusal(cause: unknown): Verdict {
  return { kind: 'deny', reason: `nothing may run that cannot be written down: ${causeText(cause)}` };
}
