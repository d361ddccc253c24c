import { parseRule } from 'pegboard';

import { EVENTS } from './events.data.ts';

/** What came of a hook: what it printed, or why it did not run as it should. `notes` are for people. */
export type Ran =
  | { readonly kind: 'output'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly why: string };

/** What a hook said, in the words of the host. */
export interface Said {
  readonly kind: 'none' | 'allow' | 'ask' | 'deny';
  readonly reason: string;
  /** For the model. */
  readonly context?: string | undefined;
  readonly input?: unknown;
  readonly rules?: readonly string[] | undefined;
  readonly stop?: true | undefined;
  /** Instead of a tool's result. */
  readonly output?: unknown;
  /** For people: what was odd about it, or what it has to say to them. */
  readonly notes: readonly string[];
}

/** A hook that failed, and why, or what it said. */
export type Answer = { readonly kind: 'failed'; readonly why: string } | { readonly kind: 'said'; readonly said: Said };

type Members = Readonly<Record<string, unknown>>;
const NOTHING: Said = { kind: 'none', reason: '', notes: [] };

/** Codes by which a shell says that it could not start a command. */
const UNSTARTED: ReadonlySet<number> = new Set([126, 127]);

/** Reads what a hook printed (design, ruling 3). A refusal is never lost: what cannot be understood has failed, and what can do nothing at its event is told. */
export function readAnswer(ran: Ran, event: string): Answer {
  if (ran.kind === 'failed') return ran;
  const answer = readOutput(ran, event);
  return answer.kind === 'failed' ? answer : { kind: 'said', said: withinMay(answer.said, event) };
}

function withinMay(given: Said, event: string): Said {
  const may = EVENTS[event]?.may ?? [];
  const { kind, reason, stop, context, input, output, notes } = given;
  const parts = [
    ...(kind === 'deny' && !may.includes('decision') ? [`its refusal (${reason})`] : []),
    ...(stop && !may.includes('end') ? ['that it ends the run'] : []),
    ...(context !== undefined && !may.includes('context') ? ['its context'] : []),
    ...(input !== undefined && !may.includes('input') ? ['its input'] : []),
    ...(output !== undefined && !may.includes('output') ? ['its output'] : []),
  ];
  if (parts.length === 0) return given;
  const left = `${parts.join(', ')} counts for nothing: ${event} is not stopped or changed by that`;
  return {
    ...given,
    kind: may.includes('decision') ? kind : 'none',
    context: may.includes('context') ? context : undefined,
    input: may.includes('input') ? input : undefined,
    output: may.includes('output') ? output : undefined,
    notes: [...notes, left],
  };
}

function readOutput(ran: Extract<Ran, { readonly kind: 'output' }>, event: string): Answer {
  const { code, stdout, stderr } = ran;
  if (UNSTARTED.has(code)) return failed(`it could not be started (exit code ${code}): ${firstLines(stderr)}`);
  const found = jsonIn(stdout);
  if (code === 2)
    return said({ kind: 'deny', reason: blockReason(found) ?? (firstLines(stderr) || firstLines(stdout) || 'no reason given') });
  if (found.kind === 'broken') return failed(found.why);
  if (found.kind === 'json') return readFields(found.value, event, found.noise ? ['it printed other text beside its JSON'] : []);
  if (code !== 0) return said({ notes: [`it ended with the code ${code} and decides nothing: ${firstLines(stderr)}`] });
  return said(EVENTS[event]?.plain === true && stdout.trim() !== '' ? { context: stdout.trim() } : {});
}

type FoundJson =
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly why: string }
  | { readonly kind: 'json'; readonly value: Members; readonly noise: boolean };

/** One object, wherever it begins a line; more than one, or one that cannot be read, is nothing anybody can go by. */
function jsonIn(text: string): FoundJson {
  const whole = objectOf(text.trim());
  if (whole) return { kind: 'json', value: whole, noise: false };
  const objects: Members[] = [];
  const lines = text.split('\n');
  let looksLike = false;
  for (let at = 0; at < lines.length; at++) {
    if (!/^\s*\{/.test(lines[at] ?? '')) continue;
    looksLike = true;
    const end = endOfObject(lines, at);
    if (end === undefined) continue;
    objects.push(objectOf(lines.slice(at, end + 1).join('\n')) as Members);
    at = end;
  }
  const [only] = objects;
  if (only && objects.length === 1) return { kind: 'json', value: only, noise: true };
  if (objects.length > 1) return { kind: 'broken', why: `it printed ${objects.length} JSON objects, and which one counts cannot be told` };
  return looksLike ? { kind: 'broken', why: 'it printed something like JSON that cannot be read' } : { kind: 'none' };
}

const MOST_LINES = 2_000;

/** The line in which an object that begins at a line ends. */
function endOfObject(lines: readonly string[], from: number): number | undefined {
  for (let at = from; at < Math.min(lines.length, from + MOST_LINES); at++)
    if (/\}\s*$/.test(lines[at] ?? '') && objectOf(lines.slice(from, at + 1).join('\n'))) return at;
  return undefined;
}

function objectOf(text: string): Members | undefined {
  if (!text.startsWith('{') && !/^\s*\{/.test(text)) return undefined;
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function blockReason(found: FoundJson): string | undefined {
  if (found.kind !== 'json') return undefined;
  const own = membersOf(found.value['hookSpecificOutput']) ?? {};
  const denies = found.value['decision'] === 'block' || own['permissionDecision'] === 'deny';
  const reason = denies ? (textOf(own['permissionDecisionReason']) ?? textOf(found.value['reason'])) : undefined;
  return reason === '' ? undefined : reason;
}

/** What the members of an answer say; a member that means nothing in its place is a failure, not a silence. */
function readFields(value: Members, event: string, notes: readonly string[]): Answer {
  const own = membersOf(value['hookSpecificOutput']);
  const message = textOf(value['systemMessage']);
  const base: Partial<Said> = { notes: [...notes, ...(message === undefined ? [] : [message])] };
  if (value['continue'] === false)
    return said({ ...base, kind: 'deny', stop: true, reason: textOf(value['stopReason']) ?? 'a hook ended the run' });
  if (own && own['hookEventName'] !== event)
    return failed(`its hookSpecificOutput is for the event ${JSON.stringify(own['hookEventName'] ?? null)}, not for ${event}`);
  const flat = ['permissionDecision', 'updatedInput', 'additionalContext'].find((name) => name in value);
  if (flat !== undefined) return failed(`its ${flat} stands outside of hookSpecificOutput`);
  const plain = plainDecision(value);
  if ('why' in plain) return failed(plain.why);
  const specific = own ? readSpecific(own, event) : {};
  if ('why' in specific) return failed(specific.why);
  return said({ ...base, ...plain, ...specific, notes: [...(base.notes ?? []), ...(specific.notes ?? [])] });
}

function plainDecision({ decision, reason }: Members): Partial<Said> | { readonly why: string } {
  if (decision === undefined || decision === null) return {};
  if (decision === 'block') return { kind: 'deny', reason: textOf(reason) ?? 'no reason given' };
  if (decision === 'approve') return { kind: 'allow', reason: textOf(reason) ?? 'approved' };
  return { why: `its decision ${JSON.stringify(decision)} is neither "block" nor "approve"` };
}

const DECISIONS: Readonly<Record<string, Said['kind']>> = { allow: 'allow', deny: 'deny', ask: 'ask', defer: 'ask' };

function readSpecific(own: Members, event: string): Partial<Said> | { readonly why: string } {
  const context = textOf(own['additionalContext']);
  if (event === 'PermissionRequest') return { context, ...permissionDecision(own['decision']) };
  const output = own['updatedToolOutput'] ?? own['updatedMCPToolOutput'];
  const decision = own['permissionDecision'];
  if (decision !== undefined && event !== 'PreToolUse') return { why: `its permissionDecision means nothing at ${event}` };
  if (decision === undefined) return { context, output, input: own['updatedInput'] };
  const kind = typeof decision === 'string' && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision] : undefined;
  if (kind === undefined) return { why: `its permissionDecision ${JSON.stringify(decision)} is none of allow, deny, ask, defer` };
  return { kind, context, input: own['updatedInput'], reason: textOf(own['permissionDecisionReason']) ?? 'no reason given' };
}

function permissionDecision(given: unknown): Partial<Said> | { readonly why: string } {
  const decision = membersOf(given) ?? {};
  const reason = textOf(decision['message']) ?? 'no reason given';
  switch (decision['behavior']) {
    case 'allow':
      return { kind: 'allow', reason, input: decision['updatedInput'], ...readUpdates(decision['updatedPermissions']) };
    case 'deny':
      return { kind: 'deny', reason, ...(decision['interrupt'] === true ? { stop: true as const } : {}) };
    default:
      return { why: `its decision.behavior ${JSON.stringify(decision['behavior'] ?? null)} is neither "allow" nor "deny"` };
  }
}

/** Only what grants for this conversation: what is written to settings is for people to say. The rest is told. */
function readUpdates(updates: unknown): Pick<Said, 'rules' | 'notes'> {
  const rules: string[] = [];
  const notes: string[] = [];
  for (const given of Array.isArray(updates) ? updates : []) {
    const { type, behavior, destination, rules: named } = membersOf(given) ?? {};
    if (type !== 'addRules' || behavior !== 'allow' || destination !== 'session')
      notes.push(
        `a change of permissions counts for nothing, ${JSON.stringify([type, behavior, destination])}: only addRules, allow, session is kept`,
      );
    else
      for (const each of Array.isArray(named) ? named : []) {
        const text = ruleText(each);
        if (text === undefined)
          notes.push(`a rule of its change of permissions cannot be read and grants nothing: ${JSON.stringify(each)}`);
        else rules.push(text);
      }
  }
  return { rules, notes };
}

function ruleText(given: unknown): string | undefined {
  const { toolName, ruleContent } = membersOf(given) ?? {};
  if (typeof toolName !== 'string') return undefined;
  const text = typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName;
  try {
    return /[\n\r\0]/.test(text) ? undefined : parseRule(text, 'allow', 'session').text;
  } catch {
    return undefined;
  }
}

function said(part: Partial<Said>): Answer {
  return { kind: 'said', said: { ...NOTHING, ...part } };
}

function failed(why: string): Answer {
  return { kind: 'failed', why };
}

const LINE_CHARS = 500;

function firstLines(output: string): string {
  const line = output.trim();
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : undefined;
}
