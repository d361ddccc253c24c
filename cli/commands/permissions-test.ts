import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { causeText, PegboardError, reasonText, type Judged } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { readCases, type PermissionCase } from '../permission-case.ts';
import { judgeHostCase } from '../permission-cases/host-decisions.ts';
import { isHeadless, openScene } from '../permission-scene.ts';
import { tableLines } from '../render/table.ts';
import type { Command, Desk } from '../run-command.ts';
import type { Line } from '../screen.ts';

/** What became of one case. */
interface Result {
  readonly row: PermissionCase;
  readonly got: Judged['kind'];
  readonly step: string;
  readonly reason: string;
  readonly passed: boolean;
  /** Nobody here has this tool. */
  readonly missing: boolean;
}

/** `permissions test`: judges each case of a file in a host of its own, and fails when one that must hold does not. */
export function permissionsTest(file: string): Command {
  return async (desk) => {
    const { cases, complaints } = readCases(readText(file));
    for (const complaint of complaints) desk.screen.warn(`pegboard: ${file}, ${complaint}`);
    const results: Result[] = [];
    for (const row of cases) results.push(await judge(row, desk));
    const missed = results.filter(({ passed }) => !passed);
    if (desk.screen.json) desk.screen.value(asJson(results));
    else desk.screen.print(drawn(results, desk.screen.width));
    const fails = complaints.length > 0 || missed.some(({ row }) => row.level !== 'should');
    return fails ? exitCode.failed : exitCode.done;
  };
}

function readText(file: string): string {
  try {
    return readFileSync(resolve(file), 'utf8');
  } catch (cause) {
    throw new PegboardError('CLI_USAGE', { cause: `${file} cannot be read: ${causeText(cause)}` });
  }
}

/** A case without rules of its own is about the settings and the folder as they are. */
async function judge(row: PermissionCase, desk: Desk): Promise<Result> {
  const own = judgeHostCase(row);
  if (own)
    return resultOf(row, { decision: { kind: own.kind, step: 'host', reason: { by: 'tool', detail: own.why }, message: own.why } }, true);
  if (row.rules === undefined && row.ctx === undefined)
    return resultOf(row, await desk.host.explain(row.tool, row.input), known(desk.host, row.tool));
  const { host, tool, agent, mode } = await openScene(row);
  try {
    const session = host.session({ agent, mode });
    const judged = [await session.explain(tool, row.input)];
    // A redirect to another host is a call of its own.
    const redirect = row.ctx?.redirectTo;
    if (redirect !== undefined) judged.push(await session.explain(tool, { ...(row.input as object), url: redirect }));
    return resultOf(row, strictest(judged), known(host, tool));
  } finally {
    await host.close();
  }
}

function known(host: Desk['host'], tool: string): boolean {
  return host.pool().place(tool) !== undefined;
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

function strictest<Each extends { readonly decision: Judged }>(all: readonly Each[]): Each {
  return all.reduce((a, b) => (STRICTNESS[b.decision.kind] > STRICTNESS[a.decision.kind] ? b : a));
}

function resultOf(row: PermissionCase, { decision }: { readonly decision: Judged }, isKnown: boolean): Result {
  const nobody = decision.kind === 'ask' && isHeadless(row.ctx ?? {});
  const got = nobody ? 'deny' : decision.kind;
  const reason = `${decision.kind === 'allow' ? reasonText(decision.reason) : decision.message}${nobody ? ', and there is nobody to ask' : ''}`;
  const passed = row.expect === 'not-allow' ? got !== 'allow' : got === row.expect;
  return { row, got, step: decision.step, reason, passed, missing: !isKnown };
}

function asJson(results: readonly Result[]) {
  const passed = results.filter((each) => each.passed).length;
  return {
    passed,
    failed: results.length - passed,
    missing: missingTools(results),
    cases: results.map(({ row: { id, expect }, got, step, reason }) => ({ id, expect, got, step, reason })),
  };
}

/** Tools that cases name and nobody here has, with the number of cases. */
function missingTools(results: readonly Result[]): Readonly<Record<string, number>> {
  const names = results.filter(({ missing }) => missing).map(({ row }) => row.tool);
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((each) => each === name).length]));
}

function drawn(results: readonly Result[], width: number): readonly Line[] {
  const passed = results.filter((each) => each.passed).length;
  const missing = Object.entries(missingTools(results)).map(([name, count]) => `${name} (${count})`);
  return [
    ...tableLines(
      [
        { title: 'class' },
        { title: 'cases', align: 'right' },
        { title: 'passed', align: 'right' },
        { title: 'missed must', align: 'right' },
        { title: 'missed should', align: 'right' },
      ],
      classRows(results),
      width,
    ),
    '',
    ...results
      .filter((each) => !each.passed)
      .map(
        ({ row: { id, expect, level = 'must' }, got, step, reason }) =>
          `${id} (${level}): expected ${expect}, got ${got} (step ${step}): ${reason}`,
      ),
    ...(missing.length > 0 ? [`tools nobody has here: ${missing.join(', ')}`] : []),
    `${passed} passed, ${results.length - passed} failed`,
  ];
}

function classRows(results: readonly Result[]): readonly (readonly string[])[] {
  const classOf = ({ row }: Result) => row.class ?? '';
  const names = [...new Set(results.map(classOf))].sort();
  return names.map((name) => {
    const those = results.filter((each) => classOf(each) === name);
    const missed = (should: boolean) => those.filter(({ row, passed }) => !passed && (row.level === 'should') === should).length;
    return [name, those.length, those.filter(({ passed }) => passed).length, missed(false), missed(true)].map(String);
  });
}
