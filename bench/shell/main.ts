import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createHost, parseRule, type Session } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';

import { analyseCommand } from '../../builtin-plugins/shell/command/analyse.ts';

/** What all reasons for the decision on ten members may cost, µs at the median. */
const MOST = 1_000;
const ROUNDS = 400;
const REPEATS = 5;

/** Every round has words of its own, so that nothing is remembered from the one before. */
const COMMANDS: Readonly<Record<string, (round: number) => string>> = {
  one: (round) => `git log --oneline -${round + 1}`,
  ten: (round) =>
    `cd src && ls -la | grep x${round} | wc -l; git log --oneline -${round + 1} | head -5; cat a${round}.ts b.ts | sort -u | uniq -c && npm test`,
};

const RULES = [
  { list: 'allow', texts: ['Bash(npm test)'] },
  { list: 'ask', texts: ['Bash(git push *)'] },
  { list: 'deny', texts: ['Bash(curl *)', 'Read(./secret/**)'] },
] as const;

interface Times {
  readonly p50: number;
  readonly p99: number;
  /** Of the process, all threads, for each round. */
  readonly cpu: number;
}

/** Wall and CPU time of many rounds, µs. */
async function timed(work: (round: number) => unknown): Promise<Times> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await work(round);
    times.push((performance.now() - from) * 1_000);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  return { p50: times[ROUNDS / 2] ?? 0, p99: times[Math.floor(ROUNDS * 0.99)] ?? 0, cpu: (user + system) / ROUNDS };
}

/** On a real disk, in a folder of its own. */
async function withSession(use: (session: Session, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-shell-'));
  await mkdir(join(folder, 'src'));
  const rules = RULES.flatMap(({ list, texts }) => texts.map((text) => parseRule(text, list, 'project', { folder })));
  const host = await createHost({
    builtins: builtinPlugins(),
    cwd: folder,
    home: join(folder, '.pegboard'),
    userHome: folder,
    turn: () => ({ rules, mode: 'default' }),
  });
  try {
    await use(host.session({ mode: 'default' }), folder);
  } finally {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}

await withSession(async (session, folder) => {
  const start = { directory: folder, home: folder };
  const cases = Object.entries(COMMANDS).flatMap(([members, command]) => [
    { members, step: 'read', work: (round: number) => analyseCommand(command(round), start) },
    { members, step: 'decided, with all reasons', work: (round: number) => session.explain('Bash', { command: command(round) }) },
  ]);
  const best = cases.map((): Times => ({ p50: Infinity, p99: Infinity, cpu: Infinity }));
  for (const { work } of cases) await timed(work);
  for (let repeat = 0; repeat < REPEATS; repeat++)
    for (const [at, { work }] of cases.entries()) {
      const { p50, p99, cpu } = await timed(work);
      const known = best[at] ?? { p50, p99, cpu };
      best[at] = { p50: Math.min(p50, known.p50), p99: Math.min(p99, known.p99), cpu: Math.min(cpu, known.cpu) };
    }
  const shown = cases.map(({ members, step }, at) => {
    const { p50 = 0, p99 = 0, cpu = 0 } = best[at] ?? {};
    return { members, step, 'p50 µs': Math.round(p50), 'p99 µs': Math.round(p99), 'CPU µs': Math.round(cpu) };
  });
  console.table(shown);
  const worst = best.at(-1)?.p50 ?? 0;
  if (worst > MOST) throw new Error(`deciding on ten members costs ${worst.toFixed(0)} µs at the median, ${MOST} are allowed`);
});
