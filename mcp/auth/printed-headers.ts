import { oneLine } from 'pegboard';
import type { ProcessGroups } from 'pegboard/kit';

import { isObject } from '../json.ts';
import type { ServerLog } from '../log.ts';
import type { Prover } from './prover.ts';

/** A program that prints the headers a server wants, as a JSON object. */
export interface HeadersHelper {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What a helper runs in. */
export interface HelperPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly groups: ProcessGroups;
  readonly log: Pick<ServerLog, 'write'>;
}

const LIMIT_MS = 10_000;
const MAX_CHARS = 65_536;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What the connection itself decides. */
const NOT_ITS_OWN = /^(host|content-length|content-type|transfer-encoding|connection|accept|mcp-.*)$/i;

/** Proves by what a program prints: it runs at the first request, and again only after what it printed was refused. */
export function helperProver(helper: HeadersHelper, place: HelperPlace): Prover {
  let running: Promise<Readonly<Record<string, string>>> | undefined;
  const headers = () => {
    running ??= runHelper(helper, place).catch((cause: unknown) => {
      running = undefined;
      throw cause;
    });
    return running;
  };
  return {
    headers,
    renew: async (refused) => {
      const now = await headers();
      // Another request was faster.
      if (now !== refused) return now;
      running = undefined;
      const next = await headers();
      return JSON.stringify(next) === JSON.stringify(refused) ? undefined : next;
    },
  };
}

/** A helper as a definition gives it: a command line for the system's shell, or a program with its arguments. */
export function helperOf(given: string | readonly string[], cwd: string, windows: boolean): HeadersHelper {
  if (typeof given === 'string')
    return windows ? { command: 'cmd.exe', args: ['/d', '/s', '/c', given], cwd } : { command: '/bin/sh', args: ['-c', given], cwd };
  const [command = '', ...args] = given;
  return { command, args, cwd };
}

/** Runs it once, in a group of its own and within its limits. Rejects with what is wrong, never with what it printed. */
async function runHelper(helper: HeadersHelper, { env, groups, log }: HelperPlace): Promise<Readonly<Record<string, string>>> {
  const member = groups.start({ ...helper, env });
  let printed = '';
  let tooMuch = false;
  let late = false;
  member.stdin.end();
  member.stderr.setEncoding('utf8').on('data', (text: string) => log.write(text));
  member.stdout.setEncoding('utf8').on('data', (text: string) => {
    tooMuch ||= printed.length + text.length > MAX_CHARS;
    if (tooMuch) void member.stop();
    else printed += text;
  });
  const timer = setTimeout(() => {
    late = true;
    void member.stop();
  }, LIMIT_MS);
  const end = await member.ended;
  clearTimeout(timer);
  if (late) throw new Error(`its headersHelper was not done after ${LIMIT_MS} ms`);
  if (tooMuch) throw new Error(`its headersHelper printed more than ${MAX_CHARS} characters`);
  if (end.kind === 'notStarted') throw new Error(`its headersHelper could not be started: ${end.message}`);
  if (end.kind === 'signal') throw new Error(`its headersHelper was ended by ${end.signal}`);
  if (end.code !== 0) throw new Error(`its headersHelper ended with exit code ${end.code}`);
  return headersOf(printed);
}

function headersOf(printed: string): Readonly<Record<string, string>> {
  let headers: unknown;
  try {
    headers = JSON.parse(printed);
  } catch {
    // What it printed may be a key: nothing of it may stand anywhere.
    headers = undefined;
  }
  if (headers === undefined)
    throw new Error('its headersHelper printed no JSON; it should print one object like {"Authorization": "Bearer …"}');
  if (!isObject(headers)) throw new Error('its headersHelper printed JSON that is no object of headers');
  for (const [name, value] of Object.entries(headers)) {
    const shown = oneLine(name, 40);
    if (!HEADER_NAME.test(name) || NOT_ITS_OWN.test(name))
      throw new Error(`its headersHelper gives the header "${shown}", which it may not`);
    if (typeof value !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new Error(`the value its headersHelper gives for "${shown}" is no text that can be sent`);
  }
  return headers as Readonly<Record<string, string>>;
}
