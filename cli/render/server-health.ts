import type { KnownServer } from 'pegboard/mcp';
import type { SourceStatus } from 'pegboard';

import type { ServerKnowledge } from '../server-knowledge.ts';
import type { Line, Style } from '../screen.ts';
import { shown } from './shown.ts';
import { wrapped } from './wrapped.ts';
import { counted } from './counted.ts';

/** How far a server is: only its definition is there, its tools are known, it runs. */
type Stage = 'configured' | 'known' | 'started';

/** How a server is, as JSON has it. `status` is what a host says that has just tried it. */
export function healthJson(known: ServerKnowledge, status: SourceStatus | undefined) {
  const { met, failure, tokens, emptyFolder } = known;
  return {
    stage: stageOf(known, status),
    health: healthOf(known, status),
    ...(met === undefined ? {} : { era: met.era, tools: met.tools.length, tokens, listedAt: met.at, firstUseMs: met.startMs }),
    ...(failure === undefined ? {} : { lastError: failure }),
    emptyFolder,
  };
}

/** The same as lines, the stage first. */
export function healthLines(known: ServerKnowledge, status: SourceStatus | undefined, now: number, width: number): readonly Line[] {
  const { met, failure, emptyFolder } = known;
  const stage = stageOf(known, status);
  const isIll = healthOf(known, status) === 'failed';
  const facts = met === undefined ? ['nothing is known of its tools'] : metWords(known, now);
  const style = isIll ? 'red' : stage === 'configured' ? 'yellow' : 'green';
  return [
    ...factLine(stage, style, facts.join(', '), width),
    ...(failure === undefined ? [] : factLine(`failed ${ago(now - failure.at)}`, 'red', shown(failure.message), width)),
    ...(emptyFolder
      ? wrapped(`${INDENT}works in an empty folder until this one is trusted (\`pegboard trust\`)`, width, `${INDENT}  `)
      : []),
  ];
}

const INDENT = '    ';

function factLine(word: string, style: Style, text: string, width: number): readonly Line[] {
  const [first = '', ...others] = wrapped(`${INDENT}${word}: ${text}`, width, `${INDENT}  `);
  return [[INDENT, { text: word, style }, first.slice(INDENT.length + word.length)], ...others];
}

function metWords({ met, tokens }: ServerKnowledge, now: number): readonly string[] {
  if (met === undefined) return [];
  const { tools, at, age, era, startMs, notes } = met;
  const out = notes.filter(({ kind }) => kind === 'quarantined').length;
  return [
    `${counted(tools.length, 'tool')}${out > 0 ? ` and ${out} left out` : ''}`,
    `about ${tokens} tokens`,
    ...(era === undefined ? [] : [ERAS[era]]),
    ...(startMs === undefined ? [] : [`starts in ${(startMs / 1_000).toFixed(1)} s`]),
    `listed ${ago(now - at)}${age === 'old' ? ', asked again at the next start' : ''}`,
  ];
}

const ERAS: Readonly<Record<NonNullable<NonNullable<KnownServer['met']>['era']>, string>> = {
  modern: 'speaks 2026-07-28',
  legacy: 'speaks by initialize',
  'legacy-sse': 'speaks by initialize over HTTP+SSE',
};

function stageOf({ met }: KnownServer, status: SourceStatus | undefined): Stage {
  return status?.kind === 'ready' ? 'started' : met === undefined ? 'configured' : 'known';
}

function healthOf({ met, failure }: KnownServer, status: SourceStatus | undefined): 'well' | 'failed' | 'unknown' {
  if (status?.kind === 'ready') return 'well';
  if (status?.kind === 'failed' || failure !== undefined) return 'failed';
  return met === undefined ? 'unknown' : 'well';
}

const UNITS = [
  { ms: 86_400_000, word: 'd' },
  { ms: 3_600_000, word: 'h' },
  { ms: 60_000, word: 'min' },
  { ms: 1_000, word: 's' },
] as const;

/** How long ago something was; by a clock that was set back meanwhile it was just now. */
export function ago(ms: number): string {
  const unit = UNITS.find((each) => ms >= each.ms);
  return unit === undefined ? 'just now' : `${Math.floor(ms / unit.ms)} ${unit.word} ago`;
}
