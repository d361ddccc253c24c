import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';

import type { CommandFolder, SkillFolder } from 'pegboard';
import { isWithin, readFrontmatter } from 'pegboard/kit';

import { discover, type LeftOut, type Place } from './discover.ts';
import { ReadFiles, readSkill, skillOf } from './read-skill.ts';
import type { Origin, Skill } from './skill.ts';

/** All skills and commands there are, sorted by id, and what was left out. */
export interface Shelf {
  readonly skills: readonly Skill[];
  readonly left: readonly LeftOut[];
}

/** Where to look: folders of the person and the project, and what packed folders hand over. */
export interface Sources {
  readonly own: readonly Place[];
  readonly skillFolders: readonly SkillFolder[];
  readonly commandFolders: readonly CommandFolder[];
}

/** The skills of all places, looked for again whenever somebody asks; files that have not changed are not read again. */
export class Library {
  readonly #files = new ReadFiles();
  #sources: Sources = { own: [], skillFolders: [], commandFolders: [] };
  #shelf: Shelf = { skills: [], left: [] };
  #looking: Promise<Shelf> | undefined;

  set sources(sources: Partial<Sources>) {
    this.#sources = { ...this.#sources, ...sources };
  }

  /** As it was when somebody last looked. */
  get shelf(): Shelf {
    return this.#shelf;
  }

  /** Whether there can be any: a look at the places, not into them. */
  any(): boolean {
    const { own, skillFolders, commandFolders } = this.#sources;
    if (skillFolders.length + commandFolders.length > 0) return true;
    return own.some((place) => existsSync(pathOf(place)));
  }

  /** Looks at all places now. Never rejects. */
  look(): Promise<Shelf> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<Shelf> {
    const { own, skillFolders, commandFolders } = this.#sources;
    const packed = [
      ...skillFolders.map(({ from, path }): Place => ({ kind: 'skills', from: originOf(from), path })),
      ...commandFolders.flatMap((folder): readonly Place[] =>
        folder.kind === 'text' ? [] : [{ kind: 'commands', from: originOf(folder.from), folder }],
      ),
    ];
    const findings = await Promise.all([...(await Promise.all(own.map(settled))), ...packed].map(discover));
    const texts = commandFolders.flatMap((folder) => (folder.kind === 'text' ? [folder] : []));
    const read = await Promise.all(findings.flatMap(({ found }) => found).map((each) => readSkill(each, this.#files)));
    const written = await Promise.all(texts.map(skillOfText));
    const skills = [...read.filter((each) => 'id' in each), ...written];
    const unread = read.flatMap((each) => ('id' in each ? [] : [each]));
    const left = findings.flatMap((each) => each.left).filter((each) => !isNamedBelow(each, skills));
    const first = firstOfEach(skills);
    return (this.#shelf = { skills: [...first.values()].sort(byId), left: [...left, ...unread, ...doubledOf(skills, first)] });
  }
}

/** Of one name a skill comes before a command, and then the place that was looked at first. */
function firstOfEach(skills: readonly Skill[]): ReadonlyMap<string, Skill> {
  const first = new Map<string, Skill>();
  for (const skill of [...skills.filter(({ kind }) => kind === 'skill'), ...skills.filter(({ kind }) => kind === 'command')])
    if (!first.has(skill.id)) first.set(skill.id, skill);
  return first;
}

/** Whose name another one of the same source has. The person's and the project's stand before each other's, and everybody wants it so. */
function doubledOf(skills: readonly Skill[], first: ReadonlyMap<string, Skill>): readonly LeftOut[] {
  return skills.flatMap(({ id, file, from }) => {
    const holder = first.get(id);
    if (holder === undefined || holder.file === file || holder.from.plugin !== from.plugin) return [];
    return [{ file, cause: `the ${holder.kind} ${holder.file} is called ${id} as well` }];
  });
}

/** A folder that only holds skills which somebody has named is as it was meant. */
function isNamedBelow({ file }: LeftOut, skills: readonly Skill[]): boolean {
  return skills.some(({ folder }) => folder !== undefined && folder !== file && isWithin(file, folder));
}

function byId(a: Skill, b: Skill): number {
  return a.id < b.id ? -1 : 1;
}

async function skillOfText({ from, name, text, fields }: CommandFolder & { readonly kind: 'text' }): Promise<Skill> {
  const found = { kind: 'command', from: originOf(from), file: from.root, folder: undefined, name, namesItself: false, fields } as const;
  return skillOf(found, await readFrontmatter(text));
}

function originOf(from: SkillFolder['from']): Origin {
  return { ...from, layer: 'plugin' };
}

/** A folder of the person's own may itself be a link; what it leads to is what links in it must stay in. */
async function settled(place: Place): Promise<Place> {
  const within = await realpath(place.from.within).catch(() => place.from.within);
  return { ...place, from: { ...place.from, within } };
}

function pathOf(place: Place): string {
  return place.kind === 'skills' ? place.path : place.folder.path;
}
