import type { RuleList, RuleWhen } from 'pegboard';

/** A rule as settings have it. */
export type CaseRule = string | { readonly rule: string; readonly when?: RuleWhen; readonly reason?: string };

/** One line of a policy's unit tests (docs/permissions.md). */
export interface PermissionCase {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: 'allow' | 'ask' | 'deny' | 'not-allow';
  readonly class?: string | undefined;
  readonly kind?: string | undefined;
  readonly level?: 'must' | 'should' | undefined;
  readonly cwd?: string | undefined;
  readonly mode?: string | undefined;
  /** Those of the settings unless given. */
  readonly rules?: Readonly<Partial<Record<RuleList, readonly CaseRule[]>>> | undefined;
  readonly ctx?: CaseContext | undefined;
}

/** What is around the call, where it is not the usual. */
export interface CaseContext {
  readonly fs?: { readonly symlinks?: Readonly<Record<string, string>>; readonly caseInsensitive?: boolean } | undefined;
  readonly platform?: string | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly ruleSource?: string | undefined;
  readonly headless?: boolean | undefined;
  readonly hook?: CaseHook | undefined;
  readonly agent?:
    { readonly type?: string; readonly headless?: boolean; readonly background?: boolean; readonly definitionMode?: string } | undefined;
  readonly mcp?: CaseServer | undefined;
  readonly policy?: { readonly disableBypassPermissionsMode?: unknown } | undefined;
  readonly sandbox?: CaseSandbox | undefined;
  readonly redirectTo?: string | undefined;
  readonly branch?: string | undefined;
}

export interface CaseHook {
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly updatedInput?: unknown;
  readonly exitCode?: number;
  readonly crashed?: boolean;
  readonly timedOut?: boolean;
  readonly policy?: { readonly disableBypassPermissionsMode?: unknown };
}

/** The sandbox of a case; one that is available unless it says otherwise. */
interface CaseSandbox {
  readonly enabled?: boolean;
  readonly autoAllow?: boolean;
  readonly available?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly allowUnsandboxedCommands?: boolean;
  readonly excludedCommands?: readonly string[];
}

export interface CaseServer {
  readonly server: string;
  readonly tool: string;
  readonly annotations?: object;
  readonly trusted?: boolean;
  readonly requiresUserInteraction?: boolean;
  readonly collidesWith?: { readonly server: string; readonly tool: string };
}

/** Reads the lines of a file; what is no case is said with its line. */
export function readCases(text: string): { readonly cases: readonly PermissionCase[]; readonly complaints: readonly string[] } {
  const cases: PermissionCase[] = [];
  const complaints: string[] = [];
  text.split('\n').forEach((line, at) => {
    if (line.trim() === '') return;
    const read = readCase(line, at + 1);
    if (typeof read === 'string') complaints.push(`line ${at + 1}: ${read}`);
    else cases.push(read);
  });
  return { cases, complaints };
}

const EXPECTED: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', 'not-allow']);

function readCase(line: string, number: number): PermissionCase | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object';
  const { tool, expect, id = `line ${number}`, input = {} } = value as Partial<PermissionCase>;
  if (typeof tool !== 'string' || tool === '') return '`tool` is not a name';
  if (!EXPECTED.has(expect)) return '`expect` is not "allow", "ask", "deny" or "not-allow"';
  return { ...(value as PermissionCase), id, input };
}
