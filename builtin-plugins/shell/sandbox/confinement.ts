import { matchWildcard } from 'pegboard';

import { textOf, type Command, type Member } from '../command/member.ts';

/** Where one command runs: decided when it is judged, and the same again when it is started. */
export type Confinement =
  /** In the sandbox, every part of it. `autoAllow`: then nobody has to be asked for that alone. */
  | { readonly kind: 'sandboxed'; readonly autoAllow: boolean }
  | { readonly kind: 'outside'; readonly why: string }
  /** Nowhere: the sandbox is required and this cannot run in it. */
  | { readonly kind: 'refused'; readonly why: string };

/** What a call asks for. */
export interface ConfinementWish {
  readonly command: Command;
  readonly dangerouslyDisableSandbox?: boolean | undefined;
}

/** What the settings and this machine give. */
export interface SandboxRules {
  readonly mode: 'off' | 'on' | 'required';
  readonly autoAllow: boolean;
  readonly mayLeave: boolean;
  readonly excluded: readonly string[];
  /** Why it cannot run here; nothing where it can. */
  readonly missing: string | undefined;
}

/**
 * Where a command would run. It is in the sandbox whole or not at all: one part that is excluded takes all of it outside, and then
 * nothing is allowed for the sandbox's sake (permissions.md, statements 50 and 51).
 */
export function confine({ command, dangerouslyDisableSandbox }: ConfinementWish, rules: SandboxRules): Confinement {
  if (rules.mode === 'off') return { kind: 'outside', why: 'the sandbox is off' };
  if (rules.missing !== undefined)
    return rules.mode === 'required' ? { kind: 'refused', why: rules.missing } : { kind: 'outside', why: rules.missing };
  const excluded = command.members.map(spelled).find((part) => rules.excluded.some((pattern) => coversCommand(pattern, part)));
  const leaves = excluded === undefined ? dangerouslyDisableSandbox === true : true;
  if (!leaves) return { kind: 'sandboxed', autoAllow: rules.autoAllow };
  if (rules.mayLeave)
    return { kind: 'outside', why: excluded === undefined ? 'the call asks for that' : `${excluded} is excluded from the sandbox` };
  if (excluded === undefined) return { kind: 'sandboxed', autoAllow: false };
  return { kind: 'refused', why: `${excluded} is excluded from the sandbox, and nothing may run outside of it` };
}

/** As rules on commands read it: words behind quotes, with single blanks. */
function spelled({ name, args }: Member): string {
  return [...(name === undefined ? [] : [name]), ...args].map((word) => textOf(word) ?? word.source).join(' ');
}

/** As rules on commands match: `*` is any text, and at the end ` *` or `:*` also nothing. */
function coversCommand(pattern: string, part: string): boolean {
  const wanted = pattern.replace(/:\*$/, ' *');
  const ends = wanted.endsWith(' *') ? wanted.slice(0, -2) : undefined;
  return matchWildcard(wanted, part) || (ends !== undefined && matchWildcard(ends, part));
}
