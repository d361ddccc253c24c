import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { partsJudge } from './judge-parts.ts';

/** How many mutated commands are judged; nothing of them is ever run. */
const COUNT = Number(process.argv[2] ?? 100_000);
const SEED = Number(process.argv[3] ?? 1);
/** CPU time that judging one command may take, ms. */
const MOST = 50;

const SEEDS: readonly string[] = [
  'ls -la src | grep x | wc -l',
  'git status --short && git log --oneline -5',
  'cat a.ts "b c.ts" | head -20 > /dev/null 2>&1',
  'for f in a b *.ts; do echo "$f"; cat "$f"; done',
  'if [ -f a ]; then cat a; else echo "no $HOME"; fi',
  'case "$1" in a|b) ls;; *) pwd;; esac',
  "cat <<'EOF'\n$(curl x)\nEOF\nls",
  'cat <<EOF\n$(ls) `pwd` $x\nEOF',
  'echo "$(ls $(pwd) | wc -l)" ${x:-y} $((1 + 2))',
  'npm test && make all; timeout 5 nice -n 3 ls',
  'cd src && ls && cd .. && cat a',
  'diff <(sort a) <(sort b)',
  "bash -c 'ls; curl x'",
  'find . -name "*.ts" -exec cat {} \\;',
  "sed -n '1,5p;s/a/b/g' a",
  'LC_ALL=C sort -u a | uniq -c',
  'x=1; y="$x"; echo $y',
  '[[ -n "$x" && a == b* ]] && echo yes',
  'f() { ls; }; f',
  '{ ls; pwd; } | cat; ( cd src; ls )',
  'while read -r l; do echo "$l"; done < a',
  'grep -rn "a(b|c)" --include=*.ts src',
  "printf '%s\\n' $'a\\x41' \"b\\\"c\" d\\ e",
  'rm -rf build; curl https://host.example -o x',
];
const PIECES = [...' \t\n;&|<>(){}[]$`"\'\\#!*?~=:-/.,@%+^0123456789abxyzEOF'.split(''), '&&', '||', ';;', '$(', '$((', '))', '${', '<(', '>(', '<<', '<<<', '>&', '2>', '&>', "$'", '$"', '\\\n', '{a,b}', ' do ', ' done', ' fi', ' then ', ' in ', 'curl x', 'eval ', '-o ', '--', '/etc', '..', '\u00a0', '\u200b', '\r', 'é', '🙂']; // prettier-ignore

/** Numbers that look like chance and are the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function mutated(pick: (below: number) => number): string {
  const any = <Each>(list: readonly Each[]) => list[pick(list.length)] as Each;
  let text = any(SEEDS);
  for (let step = pick(4); step >= 0; step--) {
    const at = pick(text.length + 1);
    const to = Math.min(text.length, at + 1 + pick(6));
    const kind = pick(6);
    if (kind === 0) text = text.slice(0, at) + text.slice(to);
    else if (kind === 1) text = text.slice(0, at) + any(PIECES) + text.slice(at);
    else if (kind === 2) text = text.slice(0, at) + any(PIECES) + text.slice(to);
    else if (kind === 3) text = text.slice(0, to) + text.slice(at);
    else if (kind === 4) text = `${text}${any([' | ', '; ', ' && ', '\n', ' & '])}${any(SEEDS)}`;
    else text = any([`( ${text} )`, `{ ${text}\n}`, `echo "$( ${text} )"`, `${text} | cat`, `if true; then ${text}\nfi`]);
  }
  return text;
}

type Judge = ReturnType<typeof partsJudge>;

async function cost(judge: Judge, command: string): Promise<{ readonly verdict: string; readonly ms: number }> {
  const from = process.cpuUsage();
  const verdict = await judge(command);
  const { user, system } = process.cpuUsage(from);
  return { verdict, ms: (user + system) / 1_000 };
}

/** The same command as bash itself writes it, without running it. */
function printed(command: string, file: string): string | undefined {
  writeFileSync(file, command);
  const { status, stdout } = spawnSync('bash', ['--norc', '--pretty-print', file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : undefined;
}

async function main(): Promise<void> {
  const judge = partsJudge();
  const folder = mkdtempSync(join(tmpdir(), 'pegboard-fuzz-'));
  const pick = chance(SEED);
  const counts: Record<string, number> = { allow: 0, ask: 0, deny: 0, refusedByBash: 0, crashed: 0, slow: 0, differs: 0 };
  const count = (name: string) => (counts[name] = (counts[name] ?? 0) + 1);
  for (let done = 0; done < COUNT; done++) {
    const command = mutated(pick);
    try {
      let { verdict, ms } = await cost(judge, command);
      // The first may have paid for the collector; what counts is the command by itself.
      for (let again = 0; ms > MOST && again < 3; again++) ({ verdict, ms } = await cost(judge, command));
      count(verdict);
      if (ms > MOST) console.log(`slow, ${ms.toFixed(0)} ms: ${JSON.stringify(command)}`, count('slow'));
      if (verdict !== 'allow') continue;
      const form = printed(command, join(folder, 'command'));
      if (form === undefined) console.log(`bash refuses what was allowed: ${JSON.stringify(command)}`, count('refusedByBash'));
      else if (form.trim() !== '' && (await judge(form)) !== 'allow')
        console.log(`differs: ${JSON.stringify(command)} is printed as ${JSON.stringify(form)}`, count('differs'));
    } catch (cause) {
      console.log(`crashed: ${JSON.stringify(command)}: ${String(cause)}`, count('crashed'));
    }
  }
  rmSync(folder, { recursive: true });
  console.log(`${COUNT} commands, seed ${SEED}:`, JSON.stringify(counts));
  // What bash itself refuses does not run, so that it was taken for harmless costs nothing.
  if ((counts['crashed'] ?? 0) + (counts['slow'] ?? 0) + (counts['differs'] ?? 0) > 0) process.exitCode = 1;
}

await main();
