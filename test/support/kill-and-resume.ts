import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

import type { Message } from 'pegboard';

import { requestProblems } from './request-problems.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/programs/long-run.mjs', import.meta.url));
const POLL_MS = 2;

/** What is known of a run that was killed and gone on with. */
export interface KilledRun {
  /** What a strict endpoint would refuse in the first request after the kill. */
  readonly problems: readonly string[];
  /** Calls that were started more than once. */
  readonly twice: readonly string[];
  /** Calls that had ended before the kill and of which the resumed history has no result and no word that it was cut off. */
  readonly lost: readonly string[];
  /** Calls the resumed history says of that their outcome is unknown. */
  readonly unknown: readonly string[];
  /** Lines of the log when it was killed. */
  readonly killedAt: number;
  /** How the resumed run ended. */
  readonly over: string;
}

interface SentRequest {
  readonly system: string;
  readonly messages: readonly Message[];
}

/** What a run is given. */
export interface Plan {
  readonly home: string;
  readonly cwd: string;
  readonly log: string;
  readonly dump: string;
  readonly turns: number;
  readonly resume?: string;
}

/**
 * Runs a conversation of so many turns in a process of its own, kills it with SIGKILL once its calls have left `afterLines` lines and
 * `afterMs` more have passed, and goes on with it in another one. `folder` is empty and stays.
 */
export async function killAndResume(folder: string, turns: number, afterLines: number, afterMs: number): Promise<KilledRun> {
  const plan: Plan = { home: join(folder, 'home'), cwd: folder, log: join(folder, 'log'), dump: join(folder, 'first.json'), turns };
  const killed = beginLongRun(plan);
  const id = await killed.id;
  while ((await linesOf(plan.log)).length < afterLines && !killed.ended()) await delay(POLL_MS);
  await delay(afterMs);
  killed.kill();
  await killed.exit;
  const before = await linesOf(plan.log);
  await beginLongRun({ ...plan, resume: id, dump: join(folder, 'second.json') }).exit;
  const after = await linesOf(plan.log);
  const request = JSON.parse(await readFile(join(folder, 'second.json'), 'utf8')) as SentRequest;
  return judge(before, after, request);
}

function judge(before: readonly string[], after: readonly string[], { system: _empty, ...request }: SentRequest): KilledRun {
  const { messages } = request;
  const started = callsOf(after, 'start');
  const results = new Map(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [[block['tool_use_id'], JSON.stringify(block)] as const] : [])),
    ),
  );
  return {
    problems: requestProblems({ ...request, model: 'scripted', max_tokens: 1 }),
    twice: started.filter((id, at) => started.indexOf(id) !== at),
    lost: callsOf(before, 'end').filter((id) => !results.has(id)),
    unknown: [...results].filter(([, text]) => text.includes('outcome unknown')).map(([id]) => id),
    killedAt: before.length,
    over: after.at(-1) ?? '',
  };
}

/** Begins such a run in a process of its own; `id` is its session's. */
export function beginLongRun(plan: Plan) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  return {
    exit,
    id: once(child.stdout, 'data').then(([chunk]) => String(chunk).trim()),
    ended: () => child.exitCode !== null,
    kill: () => child.kill('SIGKILL'),
  };
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').slice(0, -1);
}

function callsOf(lines: readonly string[], what: string): readonly string[] {
  return lines.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));
}
