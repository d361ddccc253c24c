import { EVENTS } from './events.data.ts';
import type { Action, Hook, HookSource } from './hook.ts';

type Members = Readonly<Record<string, unknown>>;

/** The hooks of a map from events to groups, in the order in which they stand, and what of it is no hook. */
export interface ReadHooks {
  readonly hooks: readonly Hook[];
  readonly faults: readonly string[];
}

const LIMITS_S = { command: 600, http: 600, mcp_tool: 600, prompt: 30, agent: 60 } as const;
const LONGEST_S = 3_600;

/** Reads a map as it is written in settings and in packed folders. Never throws: what is no hook is a fault, and the others count. */
export function readHooks(definition: unknown, source: HookSource): ReadHooks {
  const hooks: Hook[] = [];
  const faults: string[] = [];
  for (const [event, groups] of Object.entries(membersOf(definition) ?? {})) {
    if (event === 'onFailure' || event === 'description') continue;
    if (EVENTS[event] === undefined) faults.push(`"${event}" is no event`);
    else if (!Array.isArray(groups)) faults.push(`${event} is no list of groups`);
    else groups.forEach((group: unknown, at) => readGroup(event, group, `${event}, group ${at + 1}`, source, hooks, faults));
  }
  return { hooks, faults };
}

function readGroup(event: string, given: unknown, name: string, source: HookSource, hooks: Hook[], faults: string[]): void {
  const group = membersOf(given);
  const matcher = group?.['matcher'] ?? '';
  const handlers: unknown = group?.['hooks'];
  if (typeof matcher !== 'string') return void faults.push(`the matcher of ${name} is no text`);
  if (!Array.isArray(handlers)) return void faults.push(`${name} has no list \`hooks\``);
  handlers.forEach((each: unknown, at) => {
    const handler = membersOf(each) ?? {};
    const action = actionOf(handler);
    if (action === undefined) return void faults.push(`hook ${at + 1} of ${name} has no type that is known, or not what its type needs`);
    const when = typeof handler['if'] === 'string' ? handler['if'] : undefined;
    hooks.push({ event, matcher, when, action, source, limitMs: limitOf(handler['timeout'], event, action) });
  });
}

function limitOf(given: unknown, event: string, { kind }: Action): number {
  const usual = kind === 'prompt' || kind === 'agent' ? LIMITS_S[kind] : (EVENTS[event]?.limit ?? LIMITS_S[kind]);
  const seconds = typeof given === 'number' && given > 0 ? given : usual;
  return Math.min(seconds, LONGEST_S) * 1_000;
}

function actionOf(handler: Members): Action | undefined {
  const { type: kind, command, url, server, tool, prompt, args } = handler;
  if (kind === 'command' && isText(command)) {
    const shell = handler['shell'] === 'powershell' ? 'pwsh' : handler['shell'] === 'bash' ? 'bash' : 'sh';
    const background = handler['async'] === true || handler['asyncRewake'] === true;
    return { kind, command, shell, async: background, args: Array.isArray(args) ? args.map(String) : undefined };
  }
  if (kind === 'http' && isText(url)) {
    const allowed = handler['allowedEnvVars'];
    return { kind, url, headers: textsOf(handler['headers']), allowedVariables: Array.isArray(allowed) ? allowed.filter(isText) : [] };
  }
  if (kind === 'mcp_tool' && isText(server) && isText(tool)) return { kind, server, tool, input: membersOf(handler['input']) ?? {} };
  return (kind === 'prompt' || kind === 'agent') && isText(prompt) ? { kind, prompt } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(membersOf(value) ?? {}).filter((entry): entry is [string, string] => isText(entry[1])));
}
