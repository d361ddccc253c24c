import type { Redirection, Unknown, Word } from './member.ts';
import type * as Shell from './parse.ts';
import type { Scope } from './scope.ts';
import { decodeBody, decodeValue, decodeWord } from './word.ts';

/** What redirections do, and what nobody may conclude anything from. */
export interface Redirected {
  readonly redirections: readonly Redirection[];
  readonly problems: readonly string[];
}

/** Reads redirections: copies of descriptors and `/dev/null` are free, everything else reads or writes (permissions.md, statements 27 and 28). */
export function readRedirections(all: readonly Shell.Redirection[], scope: Scope, source: string): Redirected {
  const problems: string[] = [];
  const redirections = all.flatMap((each): readonly Redirection[] => {
    const written = source.slice(each.pos, each.end);
    // `{PATH}>…` puts the number of the descriptor into a variable, of the shell itself.
    if (written.startsWith('{')) problems.push('a redirection in it sets a variable');
    if (each.type === 'HereDoc') {
      // What closes it may be written in a way that shells read differently.
      return [{ kind: 'text', body: decodeBody(each.body, each.delimiter?.quoted ?? false, scope), source: written }];
    }
    const target = each.target === undefined ? NOTHING : targetOf(each.target, scope);
    if (each.target === undefined) problems.push('a redirection in it has no target');
    if (each.type === 'HereString') return [{ kind: 'text', body: target, source: written }];
    const copies = each.operator === '>&' || each.operator === '<&';
    if (copies && /^(\d+|\d+-|-)$/.test(each.target?.text ?? '')) return [];
    // Bash ends the word behind `>&-` and `>&1` where others read on.
    if (copies && (each.operator === '<&' || /^[-\d]/.test(each.target?.text ?? '')))
      problems.push(`what stands behind ${each.operator} is read differently by different shells`);
    if (target.kind === 'text' && target.text === '/dev/null') return [];
    const reads = each.operator === '<' || each.operator === '<&';
    return [{ kind: reads ? 'reads' : 'writes', target, source: written }];
  });
  return { redirections, problems };
}

const NOTHING: Unknown = { kind: 'unknown', source: '', quoted: false, prefix: '', count: 'one', why: 'nothing' };

/** One file: a pattern may become any, or none and an error; what braces become shells do not agree on. */
function targetOf(word: Shell.Word, scope: Scope): Word {
  const words = decodeWord(word, scope);
  const [only, more] = words;
  if (more !== undefined) return { ...NOTHING, source: word.text, why: 'what stands in braces' };
  return only?.kind === 'text' ? only : decodeValue(word, scope);
}

/** Bash opens a connection for these. */
export function networkDoubt(redirection: Redirection): readonly string[] {
  if (redirection.kind === 'text' || redirection.target.kind !== 'text') return [];
  return /^\/+dev\/+(tcp|udp)(\/|$)/.test(redirection.target.text) ? ['it opens a connection to a host'] : [];
}
