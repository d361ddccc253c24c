import { isDeepStrictEqual } from 'node:util';

import { reasonText, type CallEnd, type Mode, type Outcome, type Reason, type Resource, type Tool } from 'pegboard';

import { keepInput, textWithoutSecrets, withoutSecrets, type AuditInput } from './keep-input.ts';

/** One line of the log: a call, how it was judged, and what became of it. */
export interface AuditRecord {
  /** The form of the line. */
  readonly v: 1;
  /** When the call began, ISO 8601, UTC. */
  readonly at: string;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly mode: Mode;
  readonly agent: string;
  readonly headless?: boolean | undefined;
  readonly branch?: string | undefined;
  /** The working folder first. */
  readonly folders: readonly string[];
  readonly input: AuditInput;
  /** What was judged in the end, where a hook, a tool or a person had rewritten it. */
  readonly rewritten?: AuditInput | undefined;
  /** `none`: it did not get so far. */
  readonly decision: 'allow' | 'ask' | 'deny' | 'none';
  /** The step of the pipeline that decided; `ask` where somebody or something was asked. */
  readonly step?: string | undefined;
  /** With file and line where a rule decided. */
  readonly reason?: Reason | undefined;
  /** The reason in words. */
  readonly why?: string | undefined;
  /** Files and hosts, as far as the tool declares them, of a call that began to run. */
  readonly wrote: readonly string[];
  readonly hosts: readonly string[];
  /** Of a process, where the result says so. */
  readonly exitCode?: number | undefined;
  readonly ms: number;
  readonly outcome: Outcome['kind'];
  /** Whether the result is an error. */
  readonly isError: boolean;
}

const NAME_CHARS = 200;
const WHY_CHARS = 1_000;
const MOST_PLACES = 100;

/** A call as a line of the log, without secrets. Never throws for what a call or its tool is like. */
export async function recordOf(end: CallEnd): Promise<AuditRecord> {
  const { call, session, began, ms, mode, agent, headless, branch, folders, judged, outcome } = end;
  const kept = {
    input: keepInput(call.input),
    ...(judged && !isDeepStrictEqual(judged.input, call.input) ? { rewritten: keepInput(judged.input) } : {}),
  };
  // Last: a parser may write into what it reads.
  const { wrote, hosts } = await placesOf(end);
  return {
    v: 1,
    at: new Date(began).toISOString(),
    session: session.slice(0, NAME_CHARS),
    call: textWithoutSecrets(call.callId, NAME_CHARS),
    tool: textWithoutSecrets(call.tool, NAME_CHARS),
    mode,
    agent: agent.slice(0, NAME_CHARS),
    headless,
    branch: branch?.slice(0, NAME_CHARS),
    folders,
    ...kept,
    ...decisionOf(judged),
    wrote,
    hosts,
    exitCode: exitCodeOf(outcome),
    ms,
    outcome: outcome.kind,
    isError: outcome.result.isError === true,
  };
}

function decisionOf(judged: CallEnd['judged']): Pick<AuditRecord, 'decision' | 'step' | 'reason' | 'why'> {
  if (judged === undefined) return { decision: 'none' };
  const { kind, step, reason } = judged.decision;
  return { decision: kind, step, reason: withoutSecrets(reason) as Reason, why: textWithoutSecrets(reasonText(reason), WHY_CHARS) };
}

/** Whether a call was asked about, whoever or whatever answered; in the mode that never asks nothing is. */
export function wasAsked({ step, reason }: Pick<AuditRecord, 'step' | 'reason'>): boolean {
  return step === 'ask' && !(reason?.by === 'mode' && reason.mode === 'dontAsk');
}

/** Of a call that was refused nothing of the tool is asked. */
async function placesOf({ tool, judged }: CallEnd): Promise<Pick<AuditRecord, 'wrote' | 'hosts'>> {
  if (tool === undefined || judged?.decision.kind !== 'allow') return { wrote: [], hosts: [] };
  const { reads, writes } = await declared(tool, judged.input);
  const files = writes.flatMap((each) => (each.kind === 'file' ? [each.path] : []));
  const hosts = [...reads, ...writes].flatMap((each) => (each.kind === 'host' ? [each.host] : []));
  return { wrote: listed(files), hosts: listed(hosts) };
}

async function declared(
  tool: Tool,
  input: unknown,
): Promise<{ readonly reads: readonly Resource[]; readonly writes: readonly Resource[] }> {
  try {
    const parsed = await tool.parseInput(input);
    return parsed.kind === 'ok' ? { reads: tool.reads(parsed.value), writes: tool.writes(parsed.value) } : { reads: [], writes: [] };
  } catch {
    return { reads: [], writes: [] };
  }
}

function listed(all: readonly string[]): readonly string[] {
  return [...new Set(all)].slice(0, MOST_PLACES).map((each) => textWithoutSecrets(each, WHY_CHARS));
}

function exitCodeOf({ result: { structuredContent: said } }: Outcome): number | undefined {
  const code = typeof said === 'object' && said !== null && 'exitCode' in said ? said.exitCode : undefined;
  return Number.isInteger(code) ? Number(code) : undefined;
}
