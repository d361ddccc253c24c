import type { Judgement } from './layer.ts';

/** What is known of a server when it is decided whether it may start. */
export interface ConnectFacts {
  readonly server: string;
  /** `local` is a person's own; a file that the repository could have brought is `project`. */
  readonly scope: 'managed' | 'cli' | 'local' | 'project' | 'user' | 'plugin';
  readonly workspaceTrusted?: boolean | undefined;
  readonly approved?: boolean | undefined;
  /** Where the approval stands. One in the repository is none. */
  readonly approvalSource?: 'repo' | 'user' | undefined;
  readonly approvedConfigHash?: string | undefined;
  readonly configHash?: string | undefined;
  readonly approvedToolsHash?: string | undefined;
  readonly toolsHash?: string | undefined;
  /** Parts of tools that are not as they were approved. */
  readonly changed?: readonly string[] | undefined;
  readonly disabledByManaged?: boolean | undefined;
  readonly headless?: boolean | undefined;
}

/** May this server start? (permissions.md, statement 56) */
export function judgeConnect(facts: ConnectFacts): Judgement {
  if (facts.disabledByManaged) return { kind: 'deny', why: 'a policy forbids it' };
  const open = openQuestion(facts);
  if (open === undefined) return { kind: 'allow', why: facts.scope === 'project' ? 'this definition was approved' : "it is no project's" };
  return facts.headless ? { kind: 'deny', why: `${open}, and there is nobody to ask` } : { kind: 'ask', why: open };
}

/** What a person would have to say yes to first. */
function openQuestion(facts: ConnectFacts): string | undefined {
  if (facts.scope === 'project') {
    if (!facts.workspaceTrusted) return 'the folder is not trusted';
    if (!facts.approved || facts.approvalSource === 'repo') return 'nobody has approved this server';
    if (facts.approvedConfigHash !== facts.configHash) return 'its definition is not the one that was approved';
  }
  const sameTools = facts.approvedToolsHash === undefined || facts.toolsHash === undefined || facts.approvedToolsHash === facts.toolsHash;
  if (sameTools && (facts.changed ?? []).length === 0) return undefined;
  return `its tools are not the ones that were approved${facts.changed?.length ? ` (${facts.changed.join(', ')})` : ''}`;
}
