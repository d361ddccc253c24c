import { auditFolder, readRecords, type AuditRecord } from 'pegboard/builtin-plugins';
import { oneLine } from 'pegboard';

import type { AuditFilter } from '../audit-args.ts';
import { isWanted, tellBroken } from '../audit-filter.ts';
import { exitCode } from '../exit-code.ts';
import { readProposedRules } from '../proposed-rules.ts';
import { tableLines } from '../render/table.ts';
import { Replay, type Replayed } from '../replay.ts';
import type { Command, Desk } from '../run-command.ts';
import type { Line } from '../screen.ts';
import { waitForServers } from '../wait-for-servers.ts';

type Judged = Replayed & { readonly kind: 'judged' };

/** What a replay found. */
interface Found {
  readonly judged: number;
  readonly notJudged: Readonly<Record<string, number>>;
  readonly changes: readonly { readonly record: AuditRecord; readonly replayed: Judged }[];
  readonly broken: number;
}

/** `audit replay`: which of the recorded calls other rules would have decided otherwise. It tells and never fails by what it finds. */
export async function auditReplay(filter: AuditFilter, file: string): Promise<Command> {
  const rules = await readProposedRules(file);
  return async (desk) => {
    await waitForServers(desk);
    const replay = new Replay(desk, rules);
    try {
      const found = await replayAll(replay, filter, desk);
      if (desk.screen.json) desk.screen.value(asJson(found));
      else desk.screen.print(drawn(found, desk.screen.width));
      tellBroken(found.broken, desk.screen);
    } finally {
      await replay.close();
    }
    return exitCode.done;
  };
}

async function replayAll(replay: Replay, filter: AuditFilter, { configuration: { home } }: Desk): Promise<Found> {
  const notJudged: Record<string, number> = {};
  const changes: { record: AuditRecord; replayed: Judged }[] = [];
  let judged = 0;
  let broken = 0;
  for await (const page of readRecords(auditFolder(home), 'oldest')) {
    broken += page.broken;
    for (const record of page.records.filter((each) => isWanted(each, filter))) {
      const replayed = await replay.judge(record);
      if (replayed.kind === 'not judged') {
        notJudged[replayed.why] = (notJudged[replayed.why] ?? 0) + 1;
        continue;
      }
      judged += 1;
      if (replayed.was.decision !== replayed.becomes.decision) changes.push({ record, replayed });
    }
  }
  return { judged, notJudged, changes, broken };
}

function asJson({ judged, notJudged, changes, broken }: Found) {
  return {
    judged,
    changed: changes.length,
    notJudged,
    broken,
    changes: changes.map(({ record: { at, session, call, tool, input }, replayed: { was, becomes } }) => {
      return { at, session, call, tool, input: input.preview, was, becomes };
    }),
  };
}

function drawn({ judged, notJudged, changes }: Found, width: number): readonly Line[] {
  const rows = changes.map(({ record: { at, tool, input }, replayed: { was, becomes } }) => [
    at.slice(0, 19).replace('T', ' '),
    tool,
    `${was.decision} → ${becomes.decision}`,
    oneLine(becomes.why, 120),
    oneLine(input.preview, 80),
  ]);
  const columns = [
    { title: 'time' },
    { title: 'tool', holds: 'longest' },
    { title: 'change', holds: 'always' },
    { title: 'why' },
    { title: 'input' },
  ] as const;
  return [
    ...(rows.length > 0 ? [...tableLines(columns, rows, width), ''] : []),
    `${judged} judged, ${changes.length} would change`,
    ...Object.entries(notJudged).map(([why, count]) => `${count} not judged: ${why}`),
  ];
}
