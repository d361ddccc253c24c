import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';

import { expandPlaceholders, type ProcessGroups } from 'pegboard/kit';

import type { Ran } from './answer.ts';
import type { Action } from './hook.ts';
import { shellText } from './shell-text.ts';

/** What a command is run with. */
export interface CommandPlace {
  readonly groups: ProcessGroups;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

type CommandAction = Action & { readonly kind: 'command' };

const MOST_BYTES = 1_000_000;

/** Runs a command with the event as its input, in a group of its own, for as long as it may take. Never rejects. */
export async function runCommand(action: CommandAction, place: CommandPlace): Promise<Ran> {
  const launched = launchOf(action, place.environment);
  if ('why' in launched) return { kind: 'failed', why: launched.why };
  const { command, args } = launched;
  try {
    const member = place.groups.start({ command, args, env: place.environment, cwd: place.cwd });
    const out = readAll(member.stdout);
    const err = readAll(member.stderr);
    member.stdin.end(place.input);
    const end = await Promise.race([member.ended, stopped(place)]);
    if (typeof end === 'string') {
      void member.stop();
      return { kind: 'failed', why: end };
    }
    if (end.kind === 'notStarted') return { kind: 'failed', why: `it could not be started: ${end.message}` };
    if (end.kind === 'signal') return { kind: 'failed', why: `it was ended by ${end.signal}` };
    const missing = end.code === 0 ? undefined : missingScript(action, launched, place);
    if (missing !== undefined)
      return { kind: 'failed', why: `it could not be started (exit code ${end.code}): there is no file ${missing}` };
    return { kind: 'output', code: end.code, stdout: out(), stderr: err() };
  } catch (cause) {
    return { kind: 'failed', why: `it could not be started: ${(cause as Error).message}` };
  }
}

interface Launched {
  readonly command: string;
  readonly args: readonly string[];
}

function launchOf({ command, args, shell }: CommandAction, environment: CommandPlace['environment']): Launched | { readonly why: string } {
  if (args !== undefined) {
    const { value, missing } = expandPlaceholders([command, ...args], (name) => environment[name]);
    const [first = '', ...rest] = value;
    return missing.length > 0
      ? { why: `it names ${missing.map((name) => `\${${name}}`).join(', ')}, which has no value` }
      : { command: first, args: rest };
  }
  const text = shellText(command, environment);
  if (text.kind === 'wrong') return { why: text.why };
  return shell === 'pwsh' ? { command: 'pwsh', args: ['-NoProfile', '-Command', text.text] } : { command: shell, args: ['-c', text.text] };
}

const INTERPRETER = /^(?:\S*\/)?(?:python[\d.]*|node|bun|deno|ruby|perl|php|bash|sh|zsh|pwsh)$/;

/** An interpreter without its script ends like a script that refuses: some with the very code of a refusal. */
function missingScript({ args, command }: CommandAction, launched: Launched, { cwd, environment }: CommandPlace): string | undefined {
  const line = args === undefined ? launched.args.at(-1) : undefined;
  const words = line === undefined ? [command, ...launched.args] : (line.match(/"[^"]*"|'[^']*'|[^\s;&|]+/g) ?? []);
  const [first = '', ...rest] = words.map((word) => word.replaceAll(/["']/g, ''));
  const script = rest.find((word) => !word.startsWith('-'));
  if (!INTERPRETER.test(first) || script === undefined || !/[/.]/.test(script) || rest[0] === '-c' || rest[0] === '-e' || rest[0] === '-m')
    return undefined;
  const path = script.replace(/^\$\{?(\w+)\}?/, (all, name: string) => environment[name] ?? all);
  return existsSync(resolve(cwd, path)) ? undefined : path;
}

/** Why it is not waited for any longer. */
function stopped({ limitMs, signal }: CommandPlace): Promise<string> {
  return new Promise((settle) => {
    const timer = setTimeout(() => settle(`it took longer than ${limitMs / 1_000} s`), limitMs);
    timer.unref();
    signal.addEventListener('abort', () => settle('it was stopped'), { once: true });
  });
}

/** Reads to the end; what is said after the first megabyte is let go. */
function readAll(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < MOST_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  });
  stream.on('error', () => undefined);
  return () => Buffer.concat(chunks).toString('utf8');
}
