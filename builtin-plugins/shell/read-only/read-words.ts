import { mayBeOption, type Names, type Text, type Word } from '../command/member.ts';
import {
  PLACE_ROLES,
  optionBegunBy,
  optionRule,
  type OptionRule,
  type PlaceRole,
  type Role,
  type Spelling,
  type TextRole,
  type Touch,
} from './spelling.ts';
import { complaintAbout } from './word-checks.ts';

/** A file or folder that a command names, and what it does there. */
export interface Place extends Touch {
  readonly word: Word;
}

/** What a command's words mean by its spelling. */
export interface WordReading {
  readonly places: readonly Place[];
  /** The accepted options that stand there, by their exact names. */
  readonly options: ReadonlySet<string>;
  /** Operands that are no options, in order. */
  readonly operands: readonly Word[];
  /** Why the words are not all accepted, with the first word that is not; the rest is read as well as it can be. */
  readonly complaint: string | undefined;
}

/** Reads words by a spelling: options exactly as they are spelt, everything else by its place. */
export function readWords(words: readonly Word[], spelling: Spelling): WordReading {
  const reader = new WordReader(spelling);
  reader.read(words);
  return reader.finish();
}

/** A word for a text that is only a part of one, or stands nowhere. */
export function textWord(text: string, from?: Word): Text {
  return {
    kind: 'text',
    text,
    source: from?.source ?? text,
    quoted: from?.quoted ?? false,
    expanded: from?.kind === 'text' && from.expanded,
  };
}

class WordReader {
  readonly #spelling: Spelling;
  readonly #options = new Set<string>();
  readonly #operands: Word[] = [];
  /** Words that a command which reads no options behind operands takes for operands. */
  readonly #late: Word[] = [];
  readonly #places: Place[] = [];
  readonly #texts: { readonly role: TextRole; readonly word: Word }[] = [];
  #complaint: string | undefined;
  #ended = false;
  /** Whether an operand names a place. */
  #named = false;

  constructor(spelling: Spelling) {
    this.#spelling = spelling;
  }

  read(words: readonly Word[]): void {
    for (let at = 0; at < words.length; at++) {
      const word = words[at];
      if (word === undefined) break;
      this.#checkForm(word);
      if (this.#ended || this.#spelling.noOptions || !isDashed(word)) this.#operands.push(word);
      else if (word.kind === 'names' && this.#isOneOption(word)) continue;
      else if (word.kind !== 'text') this.#complain(`${word.source} may be an option that nobody knows`);
      else if (word.text === '--') this.#ended = true;
      else at += this.#option(word, words.slice(at + 1));
    }
  }

  finish(): WordReading {
    const { requires, standsForFirst, standsForLast, deepens, unnamed } = this.#spelling;
    if (requires !== undefined && !this.#has(requires)) this.#complain(`${requires.replaceAll(' ', ' or ')} is missing`);
    // A glob may find a file that is called like the option.
    const deep = this.#has(deepens) || (deepens !== undefined && this.#operands.some((word) => word.kind === 'names' && mayBeOption(word)));
    const roles = [...this.#spelling.operands];
    if (this.#has(standsForFirst)) roles.shift();
    if (this.#has(standsForLast)) roles.pop();
    this.#assign(roles);
    const last = roles.at(-1)?.replace(/[*?]$/, '');
    if (last === 'file' || last === 'tree' || last === 'linked-tree') for (const word of this.#late) this.#put(last, word);
    if (!this.#named && (unnamed === 'here' || (unnamed === 'here-if-deep' && deep))) this.#put('tree', textWord('.'));
    for (const role of new Set(this.#texts.map((each) => each.role))) {
      const complaint = complaintAbout(
        role,
        this.#texts.filter((each) => each.role === role).map((each) => each.word),
      );
      if (complaint !== undefined) this.#complain(complaint);
    }
    const places = deep ? this.#places.map((each) => (each.does === 'reads' ? { ...each, reach: 'below' as const } : each)) : this.#places;
    return { places, options: this.#options, operands: this.#operands, complaint: this.#complaint };
  }

  #complain(complaint: string): void {
    this.#complaint ??= complaint;
  }

  #has(names: string | undefined): boolean {
    return names?.split(' ').some((name) => this.#options.has(name)) ?? false;
  }

  /** A glob, an expansion or an unknown word where it may not stand. */
  #checkForm(word: Word): void {
    const { globs } = this.#spelling;
    if (globs === 'anywhere' || (globs === 'no-options' && (word.kind === 'text' || this.#ended || !mayBeOption(word)))) return;
    if (word.kind === 'text' ? word.expanded : true) this.#complain(`${word.source} is not written out`);
  }

  /** `--include=*.ts`: whatever files there are, it is that option with some text. */
  #isOneOption({ patterns }: Names): boolean {
    const names = patterns.map((pattern) => /^(--[a-z-]+)=/.exec(pattern)?.[1] ?? '');
    return this.#spelling.globs === 'anywhere' && names.every((name) => this.#rule(name)?.roles[0] === 'text');
  }

  /** One word with one or more options; how many words behind it belong to it. */
  #option(word: Text, behind: readonly Word[]): number {
    const { text } = word;
    if (this.#operands.length > 0 && text.includes('/')) this.#late.push(word);
    if (/^-\d+$/.test(text) && this.#rule('-#') !== undefined) return this.#accept('-#');
    if (text.startsWith('--')) {
      const [, name = text, value] = /^(--[^=]*)=(.*)$/s.exec(text) ?? [];
      return this.#take(this.#long(name, word), word, value, behind);
    }
    for (let letter = 1; letter < text.length; letter++) {
      const name = `-${text[letter] ?? ''}`;
      const rule = this.#rule(name);
      if (rule === undefined) {
        this.#complain(`${text} is not an option that is known to only read`);
        continue;
      }
      const rest = text.slice(letter + 1);
      if (rule.takes === 'nothing') this.#options.add(name);
      else if (rule.takes === 'next' && rest !== '') this.#complain(`${text} may be read in two ways`);
      else return this.#take(name, word, rest === '' ? undefined : rest, behind);
    }
    return 0;
  }

  /** The exact name of a long option. One that is only begun is not accepted, but read as the one it begins. */
  #long(name: string, word: Text): string {
    if (this.#rule(name) !== undefined || name === '--help' || name === '--version') return name;
    this.#complain(`${word.text} is not an option that is known to only read`);
    return (name.length > 2 ? optionBegunBy(this.#spelling.options, name) : undefined) ?? name;
  }

  #rule(name: string): OptionRule | undefined {
    return optionRule(this.#spelling.options, name);
  }

  #accept(name: string): number {
    this.#options.add(name);
    return 0;
  }

  #take(name: string, word: Text, glued: string | undefined, behind: readonly Word[]): number {
    const { takes, roles } = this.#rule(name) ?? { takes: 'nothing', roles: [] };
    this.#options.add(name);
    const [role] = roles;
    if (takes === 'nothing' || role === undefined) {
      if (glued !== undefined) this.#complain(`${word.text} has a value that ${name} does not take`);
      return 0;
    }
    if (glued !== undefined) {
      this.#put(role, textWord(glued, word));
      return 0;
    }
    if (takes === 'glued' || (takes === 'next-if-any' && behind.length === 0)) return 0;
    for (const [index, each] of roles.entries()) {
      const value = behind[index];
      if (value === undefined) this.#complain(`${name} has no value`);
      else this.#value(each, value, name);
    }
    return roles.length;
  }

  #value(role: Role, value: Word, name: string): void {
    if (this.#spelling.globs === 'nowhere' && role !== 'number' && mayBeOption(value))
      this.#complain(`${value.source} behind ${name} looks like an option`);
    if (value.kind === 'names' && isGlob(value)) this.#complain(`${value.source} behind ${name} may become several words`);
    this.#checkForm(value);
    if (this.#operands.length > 0) this.#late.push(value);
    this.#put(role, value);
  }

  /** Gives each operand the role of its place. What is repeated takes all that is left. */
  #assign(given: Spelling['operands']): void {
    const star = given.findIndex((role) => role.endsWith('*'));
    const behind = star === -1 ? 0 : given.length - star - 1;
    for (const [index, word] of this.#operands.entries()) {
      const left = this.#operands.length - index;
      const at = star === -1 || index < star ? index : left <= behind ? given.length - left : star;
      const role = given[at];
      if (role === undefined) this.#complain(`${word.source} is one operand too many`);
      else if (at !== star && word.kind === 'names' && isGlob(word)) this.#complain(`${word.source} may become several words`);
      const plain = role?.replace(/[*?]$/, '') as Role | undefined;
      if (plain === undefined) continue;
      this.#named ||= isPlaceRole(plain);
      this.#put(plain, word);
    }
  }

  #put(role: Role, word: Word): void {
    if (isPlaceRole(role)) {
      if (word.kind === 'unknown') this.#complain(`nobody knows what ${word.source} stands for (${word.why})`);
      if (isNowhere(word, role)) return;
      const named = role === 'line-range' && word.kind === 'text' ? textWord(word.text.slice(word.text.lastIndexOf(':') + 1), word) : word;
      this.#places.push(...PLACE_ROLES[role].map((touch) => ({ ...touch, word: named })));
      return;
    }
    if (word.kind === 'names' && isGlob(word)) {
      // What a glob finds is told by names alone.
      if (role === 'shown') this.#places.push({ does: 'reads', reach: 'itself', word });
      else this.#complain(`${word.source} may become several words`);
      return;
    }
    if (word.kind === 'unknown' && (role !== 'shown' || word.count === 'any')) {
      this.#complain(`nobody knows what ${word.source} stands for (${word.why})`);
      return;
    }
    this.#texts.push({ role, word });
  }
}

function isPlaceRole(role: string | undefined): role is PlaceRole {
  return role !== undefined && Object.hasOwn(PLACE_ROLES, role);
}

/** Standard input, or the device that is always empty. */
function isNowhere(word: Word, role: Role): boolean {
  return (
    (role === 'file' || role === 'tree' || role === 'linked-tree') &&
    word.kind === 'text' &&
    (word.text === '-' || word.text === '/dev/null')
  );
}

/** Whether a word begins with a dash, whatever else it becomes. */
function isDashed(word: Word): boolean {
  switch (word.kind) {
    case 'text':
      return word.text.startsWith('-') && word.text !== '-';
    case 'names':
      return word.patterns.some((pattern) => /^\\?-/.test(pattern));
    case 'unknown':
      return word.prefix.startsWith('-');
  }
}

/** Whether file names are looked for, so that a word may become several or none. */
export function isGlob(word: Word): boolean {
  return word.kind === 'names' && word.patterns.some((pattern) => /[*?[]/.test(pattern.replace(/\\./gs, '')));
}
