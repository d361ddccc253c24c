import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

import { causeText } from 'pegboard';

import { CONTROL_FOLDERS, isIgnoredFolder } from './ignore-rules.ts';
import { ANSWER_BYTES, LINE_BYTES, patternSentence, type Found, type Row, type SearchPlan } from './search-plan.ts';
import { readLines } from './text-lines.ts';

/** A ripgrep that can be run: the one from npm, else the one on PATH. */
export async function findRipgrep(): Promise<string | undefined> {
  const packed = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  for (const program of [...(packed ? [packed] : []), ...onPath.map((folder) => join(folder, name))])
    if (await isRunnable(program)) return program;
  return undefined;
}

/** Searches with ripgrep. `unusable` means that it could not be started, so another engine should answer. */
export async function searchWithRipgrep(
  program: string,
  plan: SearchPlan,
  signal: AbortSignal,
  limitMs: number,
): Promise<Found | { readonly kind: 'unusable'; readonly cause: string }> {
  const limit = AbortSignal.timeout(limitMs);
  const child = spawn(program, argumentsOf(plan, await isIgnoredFolder(plan.folder)), {
    cwd: plan.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const stop = () => void child.kill('SIGKILL');
  const either = AbortSignal.any([signal, limit]);
  either.addEventListener('abort', stop);
  if (either.aborted) stop();
  try {
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    // Awaited below; without this a start that fails would be an unhandled rejection while the output is read.
    ended.catch(() => undefined);
    const complaints = firstText(child.stderr, 8_000);
    const { lines, ended: whole } = await readLines(child.stdout, {
      from: 1,
      count: plan.mostRows + 1,
      lineBytes: LINE_BYTES,
      allBytes: ANSWER_BYTES,
      countBytes: 0,
    });
    if (!whole) stop();
    const code = await ended;
    signal.throwIfAborted();
    const rows = lines.flatMap(({ bytes }) => rowOf(bytes.toString('utf8'), plan) ?? []);
    return answer(plan, rows, { code, whole, overtime: limit.aborted, limitMs, complaints: await complaints });
  } catch (cause) {
    signal.throwIfAborted();
    return { kind: 'unusable', cause: causeText(cause) };
  } finally {
    either.removeEventListener('abort', stop);
    stop();
  }
}

interface Ending {
  readonly code: number | null;
  readonly whole: boolean;
  readonly overtime: boolean;
  readonly limitMs: number;
  readonly complaints: string;
}

/** ripgrep's exit code: 0 found, 1 nothing, 2 an error, which may be about single files only. */
function answer(plan: SearchPlan, rows: readonly Row[], { code, whole, overtime, limitMs, complaints }: Ending): Found {
  if (overtime) return { kind: 'found', rows, more: false, stopped: `after ${limitMs / 1_000} s`, notes: [] };
  const said = complaints.split('\n').filter(Boolean);
  const aboutFiles = said.filter((line) => /\(os error \d+\)/.test(line));
  if (whole && code !== 0 && code !== 1 && aboutFiles.length < Math.max(1, said.length) && rows.length === 0)
    return { kind: 'failed', message: failure(plan, complaints, code) };
  const notes = aboutFiles.length > 0 ? [`${aboutFiles.length} could not be searched: ${(aboutFiles[0] ?? '').replace(/^rg: /, '')}`] : [];
  return { kind: 'found', rows: rows.slice(0, plan.mostRows), more: !whole || rows.length > plan.mostRows, notes };
}

function failure(plan: SearchPlan, complaints: string, code: number | null): string {
  const cause = /^error: (.+)$/m.exec(complaints)?.[1] ?? /^PCRE2: error compiling pattern[^:]*: (.+)$/m.exec(complaints)?.[1];
  if (cause !== undefined) return patternSentence(plan.pattern, cause);
  const text = complaints.trim().replace(/^rg: /, '');
  return text === '' ? `The search program failed with exit code ${code}.` : `The search failed: ${text}`;
}

function argumentsOf(plan: SearchPlan, ignored: boolean): readonly string[] {
  const byMode = {
    content: ['--line-number', '--null', '--sort=path', `--before-context=${plan.before}`, `--after-context=${plan.after}`],
    files_with_matches: ['--files-with-matches'],
    count: ['--count', '--null', '--sort=path'],
  }[plan.mode];
  return [
    ...['--no-config', '--color=never', '--no-heading', '--with-filename', '--crlf', '--engine=auto'],
    // The same ignore rules as without ripgrep: .gitignore files only, whether or not this is a repository.
    ...['--hidden', '--no-require-git', '--no-ignore-dot', '--no-ignore-exclude', '--no-ignore-global'],
    ...(ignored ? ['--no-ignore-parent'] : []),
    ...byMode,
    ...(plan.ignoreCase ? ['--ignore-case'] : []),
    ...(plan.across === 'no' ? [] : ['--multiline']),
    ...(plan.across === 'dots' ? ['--multiline-dotall'] : []),
    ...(plan.type === undefined ? [] : [`--type=${plan.type}`]),
    ...plan.globs.map((glob) => `--glob=${glob}`),
    ...CONTROL_FOLDERS.map((name) => `--glob=!${name}/`),
    `--regexp=${plan.pattern}`,
    '--',
    plan.file === undefined ? './' : `./${plan.file}`,
  ];
}

function rowOf(line: string, { mode, folder }: SearchPlan): Row | undefined {
  const text = line.replace(/\r$/, '');
  if (mode === 'files_with_matches') return { kind: 'file', path: join(folder, text) };
  if (text === '--') return { kind: 'gap' };
  const [, path, rest] = /^([^\0]+)\0([^]*)$/.exec(text) ?? [];
  if (path === undefined || rest === undefined) return undefined;
  if (mode === 'count') return { kind: 'count', path: join(folder, path), count: Number(rest) };
  const [, number, mark, content] = /^(\d+)([:-])([^]*)$/.exec(rest) ?? [];
  if (number === undefined || content === undefined) return undefined;
  return { kind: mark === ':' ? 'match' : 'context', path: join(folder, path), line: Number(number), text: content };
}

async function firstText(stream: NodeJS.ReadableStream, length: number): Promise<string> {
  let text = '';
  for await (const chunk of stream) if (text.length < length) text += String(chunk);
  return text.slice(0, length);
}

async function isRunnable(program: string): Promise<boolean> {
  return access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
}
