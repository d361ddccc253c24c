import { textOf, type Member, type Word } from '../command/member.ts';
import { READING_COMMANDS } from './commands.data.ts';
import { readFind } from './find-expression.ts';
import { readGit } from './git.ts';
import { readWords, type Place, type WordReading } from './read-words.ts';
import { readTest } from './test-expression.ts';

/** What a member is to the read-only set: it reads these places and does nothing else, or nobody can say so. */
export type Reading = { readonly kind: 'reads'; readonly places: readonly Place[] } | { readonly kind: 'unknown'; readonly reason: string };

/**
 * Whether the name and words of a member are in the read-only set (permissions.md, statements 34 to 37). It says nothing about
 * redirections, assignments and doubts of the member, nor about where the places lie: whoever asks judges those.
 */
export function judgeReading(member: Member): Reading {
  const name = textOf(member.name);
  if (name === undefined || (member.name?.kind === 'text' && member.name.expanded)) return unknown('which command runs is not written out');
  const reading = readCommand(name, member);
  if (reading === undefined) return unknown(`${name} is not a command that is known to only read`);
  if (reading.complaint !== undefined) return unknown(`${name}: ${reading.complaint}`);
  return { kind: 'reads', places: reading.places };
}

function readCommand(name: string, member: Member): WordReading | undefined {
  switch (name) {
    case 'git':
      return readGit(member.args);
    case 'find':
      return readFind(member.args);
    case 'test':
    case '[':
    case '[[':
      return readTest(name, member.args);
    case 'cd':
    case 'read': {
      const reading = readListed(name, member.args);
      const [operand] = reading?.operands ?? [];
      // Without one, `cd` goes home, and back with a dash; `read` sets a variable of its own.
      return reading && (operand === undefined || textOf(operand) === '-') ? { ...reading, complaint: 'it names nothing' } : reading;
    }
    default:
      return readListed(name, member.args);
  }
}

function readListed(name: string, words: readonly Word[]): WordReading | undefined {
  const spelling = Object.hasOwn(READING_COMMANDS, name) ? READING_COMMANDS[name] : undefined;
  return spelling && readWords(words, spelling);
}

function unknown(reason: string): Reading {
  return { kind: 'unknown', reason };
}
