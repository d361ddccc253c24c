// Keystroke to echo while an answer streams: a chat of the full screen on a terminal that is none, a piece of the answer every 20 ms, a key
// every 50 ms. How long until the frame that holds the key is written, and how much of a core that takes.
// `npx tsx --conditions=source bench/chat/main.ts [KEYS]`
import { setTimeout as delay } from 'node:timers/promises';

import { openTuiFace } from '../../cli/chat/tui-face.ts';
import type { Terminal } from '../../cli/chat/tui-parts.ts';
import { Screen } from '../../cli/screen.ts';
import { fakeTuiTerminal } from '../../test/cli/chat-terminal.ts';

const KEYS = Number(process.argv[2] ?? 200);
const PIECE = '| a | 名前 |\n|---|---|\n| one | 二 |\n\nSome **bold** text with `code`, and a list:\n\n- first\n- second\n\n'.repeat(3);
/** The letters of a line that is typed; none of them stands in what the answer draws. */
const LETTERS = 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞß';

let hear: (keys: string) => void = () => undefined;
let waits: { readonly letter: string; readonly since: number } | undefined;
const echoes: number[] = [];
const terminal: Terminal = {
  ...fakeTuiTerminal(100).terminal,
  start: (heard) => void (hear = heard),
  write: (text) => {
    if (waits === undefined || !text.includes(waits.letter)) return;
    echoes.push(performance.now() - waits.since);
    waits = undefined;
  },
};

const { signal } = new AbortController();
const place = { terminal, screen: new Screen(process.stdout, process.stderr), now: () => performance.now() };
const face = openTuiFace(place, { cwd: process.cwd(), commands: [], signal });
face.busy('Answering');
let answer = '';
const streaming = setInterval(() => {
  answer += PIECE.slice(answer.length % PIECE.length, (answer.length % PIECE.length) + 12);
  face.answer(answer);
}, 20);
const cpu = process.cpuUsage();
const begun = performance.now();
for (let at = 0; at < KEYS; at++) {
  await delay(50);
  const letter = LETTERS[at % LETTERS.length] ?? '';
  waits = { letter, since: performance.now() };
  hear(letter);
  while (waits !== undefined) await delay(1);
  // The line begins anew, so that each letter stands in it once.
  hear('\x7f');
}
const { user, system } = process.cpuUsage(cpu);
clearInterval(streaming);
const share = (user + system) / 1000 / (performance.now() - begun);
await face.close();
echoes.sort((a, b) => a - b);
const at = (part: number) => (echoes[Math.min(echoes.length - 1, Math.floor(part * echoes.length))] ?? Number.NaN).toFixed(1);
console.log(
  `${echoes.length} keys, ${answer.length} characters of answer: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, ${Math.round(share * 100)} % of a core`,
);
