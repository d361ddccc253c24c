import type { Ask, CallPart, CallParts, PartFile, Rule } from 'pegboard';
import type { Workspace } from 'pegboard/kit';

import { analyseCommand, asBashWrites } from '../command/analyse.ts';
import { textOf, type Command, type Member, type Redirection, type Word } from '../command/member.ts';
import { asPattern } from '../command/word.ts';
import { destructiveWarning } from '../effects/destructive-warning.ts';
import { effectsOf, judgeEditing } from '../effects/effects.ts';
import { judgeReading } from '../read-only/judge-reading.ts';
import { textWord, type Place } from '../read-only/read-words.ts';
import { behindLinks, withLinks } from './glob-links.ts';
import { placesOf } from './places.ts';
import { guardRemoval } from './removal-guard.ts';
import { wordsOf } from './spoken-words.ts';
import { ruleCovers, spokenTexts, type Spoken } from './rule-text.ts';

/** Where a command is judged. */
export interface Ground {
  /** The folder it would start in, absolute. */
  readonly start: string;
  readonly workspace: Workspace;
}

const READS = ['Read'] as const;
const WRITES = ['Edit', 'Read'] as const;

/** A command as the parts that the pipeline judges: every member, and every file that input or output is sent to. */
export async function partsOfCommand(command: Command, ground: Ground): Promise<CallParts> {
  const lists = await Promise.all(command.members.map((member) => partsOfMember(member, command, ground)));
  return { parts: lists.flat(), words: wordsOf(command), problems: command.problems };
}

async function partsOfMember(member: Member, command: Command, ground: Ground): Promise<readonly CallPart[]> {
  const withTheirLinks = async (files: readonly PartFile[]): Promise<readonly PartFile[]> =>
    files.some(({ place }) => place.kind === 'pattern')
      ? (await Promise.all(files.map((file) => withLinks(file, ground.workspace)))).flat()
      : files;
  const targets = await Promise.all(
    member.redirections
      .flatMap((each) => targetPart(each, member))
      .map(async (part) => ({ ...part, files: await withTheirLinks(part.files) })),
  );
  const isBare = member.name === undefined && member.assignments.length === 0 && member.doubts.length === 0;
  if (isBare) return targets;
  const guard = await guardRemoval(member, ground.start, ground.workspace);
  const { nature, files, why, followed = [] } = natureOf(member, command, ground);
  const led = await Promise.all(
    followed.flatMap((place) => placesToStand(member).map((each) => filesLedTo(place, each, ground.workspace))),
  );
  return [new MemberPart(member, guard, { nature, files: await withTheirLinks([...files, ...led.flat()]), why }), ...targets];
}

/** What only some of those who judge a part ask for is found when they do. */
class MemberPart implements CallPart {
  readonly part: string;
  readonly standing: CallPart['standing'];
  readonly guard: Ask | undefined;
  readonly nature: CallPart['nature'];
  readonly files: readonly PartFile[];
  readonly why: string | undefined;
  readonly #member: Member;
  #spoken: Spoken | undefined;

  constructor(member: Member, guard: Ask | undefined, { nature, files, why }: Nature) {
    this.part = member.source;
    this.standing = member.standing === 'open' ? 'open' : 'suspected';
    this.guard = guard;
    this.nature = nature;
    this.files = files;
    this.why = why;
    this.#member = member;
  }

  get warning(): string | undefined {
    return destructiveWarning(this.#member);
  }

  covers(text: string, { list }: Rule): boolean | undefined {
    this.#spoken ??= spokenTexts(this.#member);
    return ruleCovers(text, list, this.#spoken);
  }
}

interface Nature extends Pick<CallPart, 'nature' | 'files' | 'why'> {
  /** Folders in which it reads what links lead to. */
  readonly followed?: readonly Place[];
}

/** What a member does for certain, if that can be said. */
function natureOf(member: Member, command: Command, { start }: Ground): Nature {
  const [doubt] = member.doubts;
  if (member.standing === 'hidden' || doubt !== undefined) return { nature: 'runs', files: effectFiles(member), why: doubt };
  if (member.name === undefined) return { nature: 'reads', files: [] };
  const reading = judgeReading(member);
  const movedGit = textOf(member.name) === 'git' && isElsewhere(member, command, start);
  if (reading.kind === 'reads' && !movedGit)
    return {
      nature: 'reads',
      files: reading.places.flatMap((place) => filesWherever(place, member)),
      followed: reading.places.filter(({ reach }) => reach === 'below and behind links'),
    };
  const inner = readsInside(member);
  if (inner !== undefined) return { nature: 'reads', files: inner };
  const editing = judgeEditing(member);
  if (editing.kind === 'edits') return { nature: 'edits', files: editing.places.flatMap((place) => filesWherever(place, member)) };
  const why = reading.kind === 'unknown' ? reading.reason : 'git runs what the configuration of another folder names';
  return { nature: 'runs', files: [...effectFiles(member), ...(movedGit && reading.kind === 'unknown' ? changedHere(member) : [])], why };
}

/** Whatever git does in a folder that a command has gone to may change it. */
function changedHere(member: Member): readonly PartFile[] {
  return filesOf({ does: 'writes', reach: 'itself', word: textWord('.') }, member, true);
}

/** What a script that is written out in a command of its own reads, if that is all it does. */
export function readsInside({ name, args, directory, elsewhere, input }: Member): readonly PartFile[] | undefined {
  const [option, script] = args;
  if (
    textOf(name) !== 'bash' ||
    args.length !== 2 ||
    textOf(option) !== '-c' ||
    script?.kind !== 'text' ||
    script.expanded ||
    input !== 'none'
  )
    return undefined;
  if (directory.kind === 'unknown' || elsewhere.length > 0) return undefined;
  const { members, problems } = analyseCommand(script.text, { directory: directory.path, home: undefined });
  const files = members.map((member) => {
    const reading = judgeReading(member);
    const plain = reading.kind === 'reads' && member.doubts.length === 0 && member.redirections.length === 0;
    return plain && textOf(member.name) !== 'cd' ? reading.places.flatMap((place) => filesOf(place, member, true)) : undefined;
  });
  return problems.length > 0 || files.includes(undefined) ? undefined : files.flatMap((each) => each ?? []);
}

/** Whether a member runs, or may run, in another folder than the command begins in. */
function isElsewhere({ source }: Member, { members }: Command, start: string): boolean {
  return members.some(
    (each) => each.source === source && (each.directory.kind === 'unknown' || each.directory.path !== asBashWrites(start)),
  );
}

/** Of a command that may do anything: what is known of its files, and every word that could name one. */
function effectFiles(member: Member): readonly PartFile[] {
  const { known, places, mentions } = effectsOf(member);
  const does = known ? 'reads' : 'writes';
  const named = mentions.filter((word) => !isAddress(word));
  const isDeep = member.args.some((arg) => /^(-\w*[rR]\w*|--(dereference-)?recursive)$/.test(textOf(arg) ?? ''));
  // Words that come from elsewhere move the others: what looks like a source may be the target.
  const shifts =
    member.args.some((word) => word.kind === 'unknown' && word.count === 'any') && places.some((place) => place.does !== 'reads');
  return [
    ...places.flatMap((place) => filesOf(isDeep ? { ...place, reach: 'below' } : place, member, true)),
    ...(shifts ? member.args.flatMap((word) => filesOf({ does: 'writes', reach: 'itself', word }, member, false)) : []),
    ...named.flatMap((word) => filesOf({ does, reach: 'itself', word }, member, false)),
  ];
}

function isAddress(word: Word): boolean {
  return word.kind === 'text' && word.text.startsWith('//') && /^["']?(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(word.source);
}

/** The same member in each folder that it may run in. */
function placesToStand(member: Member): readonly Member[] {
  return [member.directory, ...member.elsewhere].map((directory) => ({ ...member, directory }));
}

function filesWherever(place: Place, member: Member): readonly PartFile[] {
  return placesToStand(member).flatMap((each) => filesOf(place, each, true));
}

function filesOf({ does, reach, word }: Place, { directory }: Member, certain: boolean): readonly PartFile[] {
  return placesOf(word, directory, reach !== 'itself').map((place): PartFile => {
    if (does === 'reads') return { does, certain, rules: READS, place };
    // A glob for hidden names may find those that a program obeys.
    const hidden = place.kind === 'pattern' && /(^|\/)\.[^/]*[*?[]/.test(place.pattern);
    return {
      does: 'writes',
      certain,
      rules: WRITES,
      place: hidden ? { kind: 'unknown', why: `${word.source} may find protected files` } : place,
    };
  });
}

/** Where the links lead that lie in a folder now, at any depth. */
async function filesLedTo({ word }: Place, { directory }: Member, workspace: Workspace): Promise<readonly PartFile[]> {
  const lists = await Promise.all(
    placesOf(word, directory, true).map(async (place) => {
      if (place.kind === 'unknown') return [];
      return behindLinks(place.kind === 'pattern' ? place.pattern : `${asPattern(place.path)}/**`, workspace);
    }),
  );
  return lists.flat().map((place) => ({ does: 'reads', certain: true, rules: READS, place }));
}

/** A file that input comes from or output goes to: rules on commands do not speak of it. */
function targetPart(redirection: Redirection, member: Member): readonly CallPart[] {
  if (redirection.kind === 'text') return [];
  const { target, source, kind } = redirection;
  const vague = kind === 'writes' && (target.kind !== 'text' || target.source.startsWith('~'));
  const files: readonly PartFile[] = vague
    ? [...filesWherever({ does: 'writes', reach: 'itself', word: target }, member), ...nobodyKnows(target)]
    : filesWherever({ does: kind, reach: 'itself', word: target }, member);
  const standing = member.standing === 'open' ? 'open' : 'suspected';
  return [{ part: source, standing, nature: kind === 'reads' ? 'reads' : 'target', files, covers: () => false }];
}

function nobodyKnows({ source }: Word): readonly PartFile[] {
  return [{ does: 'writes', certain: true, rules: WRITES, place: { kind: 'unknown', why: `${source} is not a file that is written out` } }];
}
