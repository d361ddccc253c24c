import { textOf, type Member, type Word } from '../command/member.ts';
import { readFind } from '../read-only/find-expression.ts';
import { READING_COMMANDS } from '../read-only/commands.data.ts';
import { readGit } from '../read-only/git.ts';
import { readWords, textWord, type Place, type WordReading } from '../read-only/read-words.ts';
import { PLACE_ROLES, type PlaceRole } from '../read-only/spelling.ts';
import { readTest } from '../read-only/test-expression.ts';
import { placesOfArchive } from './archive.ts';
import { EDITING_COMMANDS, FILE_COMMANDS, IN_PLACE_COMMANDS, type FileCommand } from './file-commands.data.ts';
import { placesOfGit } from './git-effects.ts';
import { landings } from './landings.ts';

/** What a member does to files, as far as its words tell. It is for restrictions and guards; it proves nothing harmless. */
export interface Effects {
  /** Whether the command is one whose words are known. */
  readonly known: boolean;
  /** Places it reads, writes and removes for certain, or would with words that nobody knows. */
  readonly places: readonly Place[];
  /** Every other piece of its words that may be a path, whatever it is for. */
  readonly mentions: readonly Word[];
}

/** What a member does to files by its name, with or without the folder that the name was given with. */
export function effectsOf(member: Member): Effects {
  const name = baseName(textOf(member.name) ?? '');
  const reading = readByName(name, member.args);
  const places = reading?.places ?? [];
  const named = new Set(places.map((place) => textOf(place.word)));
  const mentions = member.args.flatMap(mentionsIn).filter((word) => !named.has(textOf(word) ?? '') || word.kind !== 'text');
  return { known: reading !== undefined, places, mentions };
}

/** What a member edits, for those who let edits through without asking; any word that is not understood asks. */
export type Editing = { readonly kind: 'edits'; readonly places: readonly Place[] } | { readonly kind: 'unknown'; readonly reason: string };

/** Whether a member is one of the editing commands in a form that is understood (permissions.md, statement 44). Where the places lie is for whoever asks. */
export function judgeEditing(member: Member): Editing {
  const name = textOf(member.name) ?? '';
  const command = Object.hasOwn(EDITING_COMMANDS, name) ? EDITING_COMMANDS[name] : undefined;
  if (command === undefined) return { kind: 'unknown', reason: `${name} is not a command that only edits files` };
  const reading = readWords(member.args, command);
  const landed = landings(reading, command);
  const complaint = reading.complaint ?? landed.complaint;
  if (complaint !== undefined) return { kind: 'unknown', reason: `${name}: ${complaint}` };
  return { kind: 'edits', places: [...reading.places, ...landed.places] };
}

function readByName(name: string, words: readonly Word[]): Pick<WordReading, 'places'> | undefined {
  switch (name) {
    case 'find':
      return readFind(words);
    case 'test':
    case '[':
    case '[[':
      return readTest(name, words);
    case 'git':
      return { places: [...readGit(words).places, ...placesOfGit(words)] };
    case 'tar':
    case 'bsdtar':
      return { places: placesOfArchive(words) };
    case 'dd':
      return { places: words.flatMap(placesOfPair) };
    default:
      return /^mkfs(\.\w+)?$/.test(name) ? readWords(words, DISK) : (readInPlace(name, words) ?? readListed(name, words));
  }
}

/** A file system is made on the first operand. */
const DISK: FileCommand = { options: '-t=text -L=text -U=text -b=text -F=text', operands: ['write*'], globs: 'anywhere' };

function readInPlace(name: string, words: readonly Word[]): WordReading | undefined {
  const command = Object.hasOwn(IN_PLACE_COMMANDS, name) ? IN_PLACE_COMMANDS[name] : undefined;
  const reading = command && readWords(words, command);
  return command?.requires?.split(' ').some((option) => reading?.options.has(option)) ? reading : undefined;
}

function readListed(name: string, words: readonly Word[]): Pick<WordReading, 'places'> | undefined {
  const table: Readonly<Record<string, FileCommand>> | undefined = [FILE_COMMANDS, EDITING_COMMANDS, READING_COMMANDS].find((each) =>
    Object.hasOwn(each, name),
  );
  const command = table?.[name];
  if (command === undefined) return undefined;
  const reading = readWords(words, command);
  return { places: [...reading.places, ...landings(reading, command).places] };
}

/** `if=FILE` and `of=FILE` of `dd`. */
function placesOfPair(word: Word): readonly Place[] {
  const [, side, path] = /^(if|of)=(.*)$/s.exec(textOf(word) ?? (word.kind === 'unknown' ? word.prefix : '')) ?? [];
  if (side === undefined || path === undefined) return [];
  const role: PlaceRole = side === 'if' ? 'file' : 'write';
  return PLACE_ROLES[role].map((touch) => ({ ...touch, word: word.kind === 'unknown' ? word : textWord(path, word) }));
}

/** `path`, `--option=path`, `-opath`, `@path`, `name=@path`, `file:path` and `HEAD:path`: all that could be a path in a word. */
function mentionsIn(word: Word): readonly Word[] {
  if (word.kind === 'unknown') return [word, ...(word.likely === undefined ? [] : [textWord(word.likely, word)])];
  if (word.kind === 'names') return [word];
  const { text } = word;
  const pieces = [
    ...(text.startsWith('-') ? [] : [text]),
    ...(/^-[A-Za-z][^-]/.test(text) ? [text.slice(2)] : []),
    ...(/[:,]/.test(text) ? text.split(/[:,]/, MOST_PIECES) : []),
    ...[...text.matchAll(/[=:@<]/g)].slice(0, MOST_PIECES).map(({ index }) => text.slice(index + 1)),
  ];
  return pieces.filter((piece) => piece !== '').map((piece) => textWord(piece.replace(/^\/\/(?:localhost)?\//, '/'), word));
}

/** A word with more signs than these is data. */
const MOST_PIECES = 8;

/** The name of a command without the folder that it was given with. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
