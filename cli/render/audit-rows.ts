import type { AuditRecord } from 'pegboard/builtin-plugins';

import type { Style } from '../screen.ts';
import { shown } from './shown.ts';
import type { Cell, Column } from './table.ts';

/** The columns of a log as a table. */
export const auditColumns: readonly Column[] = [
  { title: 'time', holds: 'longest' },
  { title: 'tool', holds: 'longest' },
  { title: 'decision' },
  { title: 'step' },
  { title: 'outcome' },
  { title: 'ms', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'why', leaves: { turn: 2, to: 'below' } },
  { title: 'input', leaves: { turn: 3, to: 'below' } },
];

const STYLES: Readonly<Record<AuditRecord['decision'], Style>> = { allow: 'green', ask: 'yellow', deny: 'red', none: 'dim' };

/** A line of the log as a row. */
export function auditRow({ at, tool, decision, step = '', outcome, isError, ms, why = '', input }: AuditRecord): readonly Cell[] {
  const ended = outcome === 'done' && isError ? 'error' : outcome;
  return [
    at.slice(0, 19).replace('T', ' '),
    tool,
    { text: decision, style: STYLES[decision] ?? 'dim' },
    step,
    ended,
    String(ms),
    shown(why, 120),
    shown(input.preview, 80),
  ];
}
