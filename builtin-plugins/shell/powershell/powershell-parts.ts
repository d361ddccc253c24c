import type { Ask, CallPart, CallParts, PartFile, Rule } from 'pegboard';
import type { Workspace } from 'pegboard/kit';

import type { Command, Member, Names, Text, Word } from '../command/member.ts';
import { placesOf } from '../judge/places.ts';
import { guardRemoval } from '../judge/removal-guard.ts';
import { ruleCovers, spokenTexts } from '../judge/rule-text.ts';
import { readCmdlet, restrictedName } from './read-powershell.ts';

/** A command of PowerShell as the parts that the pipeline judges. */
export async function powershellParts(command: Command, start: string, workspace: Workspace): Promise<CallParts> {
  const parts = await Promise.all(command.members.map((member) => partOf(member, start, workspace)));
  const word = command.members.flatMap(({ args }) => args.flatMap((arg) => (arg.kind === 'text' ? [arg.text] : [])));
  return { parts, words: { word, host: word, anyHost: false }, problems: command.problems };
}

async function partOf(member: Member, start: string, workspace: Workspace): Promise<CallPart> {
  const restricted = asRestricted(member);
  const covers = (text: string, { list }: Rule) => {
    const own = ruleCovers(text, list, spokenTexts(member));
    return list === 'allow' || own === true ? own : (ruleCovers(text, list, spokenTexts(restricted)) ?? own);
  };
  const base = { part: member.source, standing: 'open', covers, guard: await guardOf(restricted, start, workspace) } as const;
  const reading = readCmdlet(member);
  if (reading.kind === 'unknown') return { ...base, nature: 'runs', why: reading.why, files: mentions(member) };
  const { places, below } = reading;
  const files = places.flatMap(({ word, literal }): readonly PartFile[] => {
    const found = placesOf(literal ? forwards(word) : asPattern(forwards(word)), member.directory, below);
    return found.map((place) => ({ does: 'reads', certain: true, rules: ['Read'], place }));
  });
  return { ...base, nature: 'reads', files };
}

/** The same member under the name of the cmdlet it stands for. */
function asRestricted(member: Member): Member {
  const { name } = member;
  const other = name?.kind === 'text' ? restrictedName(name.text) : undefined;
  return name?.kind === 'text' && other !== undefined ? { ...member, name: { ...name, text: other } } : member;
}

/** Removing what nobody gets back is asked about whatever the shell. */
function guardOf(member: Member, start: string, workspace: Workspace): Promise<Ask | undefined> {
  const { name, args } = member;
  if (name?.kind !== 'text' || name.text.toLowerCase() !== 'remove-item') return Promise.resolve(undefined);
  const operands = args.filter((arg) => arg.kind !== 'text' || arg.quoted || !arg.text.startsWith('-')).map(forwards);
  return guardRemoval({ ...member, name: { ...name, text: 'rm' }, args: operands }, start, workspace);
}

/** Here a backslash parts folders, on every system. */
function forwards(word: Word): Word {
  return word.kind === 'text' ? { ...word, text: word.text.replaceAll('\\', '/') } : word;
}

/** Every word of an unknown command that could name a file. */
function mentions({ args, directory }: Member): readonly PartFile[] {
  const named = args.filter((arg) => arg.kind === 'text' && !(arg.text.startsWith('-') && !arg.quoted));
  return named.flatMap((word) =>
    placesOf(forwards(word), directory, false).map((place): PartFile => ({
      does: 'writes',
      certain: false,
      rules: ['Edit', 'Read'],
      place,
    })),
  );
}

/** What a path with stars may be. */
function asPattern(word: Word): Text | Names | Word {
  if (word.kind !== 'text' || !/[*?[]/.test(word.text)) return word;
  return { kind: 'names', patterns: [word.text], source: word.source, quoted: word.quoted };
}
