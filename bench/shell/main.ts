import { openWorkspace } from 'pegboard/kit';

import { analyseCommand } from '../../builtin-plugins/shell/command/analyse.ts';
import { partsOfCommand } from '../../builtin-plugins/shell/judge/call-parts.ts';
import { openJudge } from '../../test/builtin-plugins/shell/open-judge.ts';

/** What judging a command of ten members may cost, µs at the median. */
const MOST = 1_000;
const ROUNDS = 2_000;

const COMMANDS = {
  one: 'git status --short',
  ten: 'cd src && ls -la | grep x | wc -l; git log --oneline | head -5; cat a.ts b.ts | sort -u | uniq -c && npm test',
};

const disk = { windows: false, ignoresCase: false, readLink: async () => undefined, isPlain: async () => true };
const workspace = openWorkspace(['/repo/app'], '/home/someone', disk);
const start = { directory: '/repo/app', home: '/home/someone' };

/** The median and the 99th percentile of many rounds, µs. */
async function timed(work: () => unknown): Promise<readonly [number, number]> {
  for (let round = 0; round < ROUNDS / 4; round++) await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await work();
    times.push((performance.now() - from) * 1_000);
  }
  times.sort((a, b) => a - b);
  return [times[ROUNDS / 2] ?? 0, times[Math.floor(ROUNDS * 0.99)] ?? 0];
}

async function main(): Promise<void> {
  const judge = await openJudge({ allow: ['Bash(npm test)'], ask: ['Bash(git push *)'], deny: ['Bash(curl *)', 'Read(./secret/**)'] });
  let worst = 0;
  for (const [name, command] of Object.entries(COMMANDS)) {
    const show = ([median, most]: readonly [number, number]) => `p50 ${median.toFixed(0)} µs, p99 ${most.toFixed(0)} µs`;
    const parts = await timed(() => partsOfCommand(analyseCommand(command, start), { start: start.directory, workspace }));
    console.log(`${name}: reading ${show(await timed(() => analyseCommand(command, start)))}`);
    console.log(`${name}: reading and judging what each member does ${show(parts)}`);
    console.log(`${name}: the whole decision with all its reasons ${show(await timed(() => judge.explain(command)))}`);
    worst = Math.max(worst, parts[0]);
  }
  await judge.close();
  if (worst > MOST) throw new Error(`judging a command costs ${worst.toFixed(0)} µs at the median, ${MOST} are allowed`);
}

await main();
