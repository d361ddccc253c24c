import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { killAndResume, type KilledRun } from '../../test/support/kill-and-resume.ts';
import { temporaryFolder } from '../../test/support/temp-folder.ts';

const TURNS = 40;
/** Each turn has four calls, and each call two lines. */
const LINES = TURNS * 8;
const KILLS = Number(process.argv[2] ?? 50);

/** Kills a conversation of 40 turns at so many points, evenly spread and shifted by some ms, and says what became of each. */
const folder = await temporaryFolder();
const runs: KilledRun[] = [];
for (let nth = 0; nth < KILLS; nth++) {
  const place = join(folder.path, String(nth));
  await mkdir(place);
  // Before the first call there is nothing to go on with.
  runs.push(await killAndResume(place, TURNS, 1 + Math.floor((nth / KILLS) * (LINES - 1)), nth % 7));
  process.stderr.write(`\r${nth + 1} of ${KILLS}`);
}
await folder.remove();
const sum = (count: (run: KilledRun) => number) => runs.reduce((total, run) => total + count(run), 0);
process.stdout.write(
  `\n# ${KILLS} kills of a conversation of ${TURNS} turns

| what | number |
| --- | ---: |
| resumed to the end | ${runs.filter(({ over }) => over.startsWith('over completed')).length} |
| histories a strict endpoint refuses | ${runs.filter(({ problems }) => problems.length > 0).length} |
| calls started twice | ${sum(({ twice }) => twice.length)} |
| calls that had ended and were lost | ${sum(({ lost }) => lost.length)} |
| calls reported as of unknown outcome | ${sum(({ unknown }) => unknown.length)} |
`,
);
