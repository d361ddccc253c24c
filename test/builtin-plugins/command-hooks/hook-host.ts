import { createServer } from 'node:http';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { defineTool, definePlugin, textResult, type HookConfig, type HostEvent, type HostOptions, type Tool } from 'pegboard';
import { commandHooks, type CommandHooks, type HookPorts } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { startHost, temporaryFolder, type StartedHost } from 'pegboard/testing';
import { onTestFinished } from 'vitest';

import { listenHere } from '../../support/listen-here.ts';

/** A host with the plugin "command-hooks", and a tool `Probe` that notes what it was given. */
export interface HookHost extends StartedHost {
  readonly folder: string;
  readonly hooks: CommandHooks;
  /** What the tool was given, in order. */
  readonly given: readonly unknown[];
  /** What people were told. */
  told(): string;
  /** The lines of a file in the folder; none where it is not there. */
  lines(file: string): Promise<readonly string[]>;
}

export interface HookHostOptions extends HostOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly ports?: HookPorts;
  readonly packed?: ((folder: string) => readonly HookConfig[]) | undefined;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly tools?: readonly Tool[];
}

/** Starts one whose settings have these hooks; calls of the tool are allowed unless the options say otherwise. */
export async function hookHost(hooks: unknown, options: HookHostOptions = {}): Promise<HookHost> {
  const { files = {}, ports = {}, packed, allow = ['Probe'], deny = [], tools = [], settings = {}, ...rest } = options;
  const place = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(place.path, name)), { recursive: true });
    await writeFile(join(place.path, name), text, { mode: 0o755 });
  }
  const given: unknown[] = [];
  const events: HostEvent[] = [];
  const plugin = commandHooks();
  plugin.reach(ports);
  const contributes = { 'hook.config': packed?.(place.path) ?? [] };
  const started = await startHost({
    cwd: place.path,
    home: join(place.path, 'home'),
    settings: { hooks, ...settings },
    ...rest,
    listen: (event) => void events.push(event),
    tools: [probe(given), ...tools],
    builtins: [plugin.plugin],
    plugins: [definePlugin({ name: 'packer', contributes }), ...(options.plugins ?? [])],
    rules: { allow, deny },
  });
  onTestFinished(async () => {
    await started.stop();
    await place.remove();
  });
  return {
    ...started,
    folder: place.path,
    hooks: plugin,
    given,
    told: () => events.flatMap((event) => (event.kind === 'report' ? [event.message] : [])).join('\n'),
    lines: async (file) => {
      const text = await readFile(join(place.path, file), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
  };
}

function probe(given: unknown[]): Tool<{ readonly text: string }> {
  return defineTool<{ readonly text: string }>({
    name: 'Probe',
    description: 'Says what it is given.',
    input: jsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false }),
    preparePermissionMatcher:
      ({ text }) =>
      (content) =>
        text.startsWith(content.replace(/:\*$/, '')),
    call: async ({ text }) => {
      given.push(text);
      return text === 'fail' ? { ...textResult('it failed'), isError: true } : textResult(`said ${text}`);
    },
  });
}

/** One group with commands, as settings have it. */
export function commands(matcher: string | undefined, ...all: readonly (string | Readonly<Record<string, unknown>>)[]): unknown {
  const hooks = all.map((each) => (typeof each === 'string' ? { type: 'command', command: each } : { type: 'command', ...each }));
  return { ...(matcher === undefined ? {} : { matcher }), hooks };
}

/** A command that prints a value as JSON. */
export function prints(value: unknown): string {
  return `cat <<'END'\n${typeof value === 'string' ? value : JSON.stringify(value)}\nEND`;
}

/** What a hook before a tool says in the words of the format. */
export function before(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...members } };
}

/** A server that answers every request with the same, or never; it notes what it was sent. */
export async function answering(
  status: number | 'never',
  body: string,
): Promise<{ readonly url: string; readonly received: readonly string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
    request.on('end', () => {
      received.push(text);
      if (status !== 'never') response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  const { url, close } = await listenHere(server);
  onTestFinished(close);
  return { url: `${url}/hook`, received };
}
