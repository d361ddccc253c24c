import { textOf, type Word } from '../command/member.ts';
import { isGlob, type Place, type WordReading } from './read-words.ts';

/** Questions about a file. */
const ABOUT_FILES = '-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S'.split(' ');
/** Questions about a text. */
const ABOUT_TEXT = '-n -z -o -t'.split(' ');
const COMPARE_TEXT = '= == != < > =~'.split(' ');
const COMPARE_FILES = '-nt -ot -ef'.split(' ');
/** Operands of these are worked out, and what is worked out can run commands. */
const COMPARE_NUMBERS = '-eq -ne -lt -le -gt -ge'.split(' ');
/** With more words than these, which word is the question depends on all of them. */
const CLEAR = 4;

/** Reads `test …`, `[ … ]` and `[[ … ]]`: files are looked at, texts compared, and only plain numbers counted. */
export function readTest(name: string, words: readonly Word[]): WordReading {
  const closes = { '[': ']', '[[': ']]' }[name];
  // A compound test may come without its closing bracket, which is no word of it.
  const closed = closes !== undefined && textOf(words.at(-1)) === closes;
  const inner = closed ? words.slice(0, -1) : words;
  const test = new TestReader(inner, name === '[[');
  const complaint =
    name === '[' && !closed
      ? '] is missing'
      : test.read()
        ? unclear(name, inner)
        : `the test is not understood at ${test.at?.source ?? 'its end'}`;
  return { places: test.places, options: new Set(), operands: inner, complaint };
}

function unclear(name: string, words: readonly Word[]): string | undefined {
  // In a compound test no word becomes several.
  if (name === '[[') return undefined;
  const splits = words.find((word) => (word.kind === 'unknown' && word.count === 'any') || (isGlob(word) && !isOneWord(word)));
  if (splits) return `${splits.source} may become several words`;
  const unknown = words.length > CLEAR && words.find((word) => word.kind !== 'text');
  return unknown ? `nobody knows what ${unknown.source} stands for` : undefined;
}

/** A variable in quotes is one word, whichever of its names it holds. */
function isOneWord({ source }: Word): boolean {
  return /^"[^"]*"$/.test(source);
}

class TestReader {
  readonly places: Place[] = [];
  readonly #words: readonly Word[];
  #next = 0;

  readonly #compound: boolean;

  constructor(words: readonly Word[], compound: boolean) {
    this.#words = words;
    this.#compound = compound;
  }

  get at(): Word | undefined {
    return this.#words[this.#next];
  }

  read(): boolean {
    return this.#words.length === 0 || (this.#chain() && this.#next === this.#words.length);
  }

  #chain(): boolean {
    if (!this.#question()) return false;
    // What joins the questions of a compound test is no word of it.
    while (this.#compound ? this.at !== undefined : this.#joined()) if (!this.#question()) return false;
    return true;
  }

  #joined(): boolean {
    return ['-a', '-o'].includes(textOf(this.at) ?? '') && this.#take(1);
  }

  #question(): boolean {
    const [first, second, third] = this.#words.slice(this.#next, this.#next + 3);
    if (first === undefined) return false;
    const between = textOf(second) ?? '';
    if (third !== undefined && COMPARE_TEXT.includes(between)) return this.#take(3);
    if (third !== undefined && COMPARE_FILES.includes(between)) return this.#look(first) && this.#look(third) && this.#take(3);
    if (third !== undefined && COMPARE_NUMBERS.includes(between)) return [first, third].every(isNumber) && this.#take(3);
    const text = textOf(first) ?? '';
    if (text === '!') return this.#take(1) && this.#question();
    if (text === '(') return this.#take(1) && this.#chain() && textOf(this.at) === ')' && this.#take(1);
    if (second !== undefined && ABOUT_TEXT.includes(text)) return this.#take(2);
    if (second !== undefined && ABOUT_FILES.includes(text)) return this.#look(second) && this.#take(2);
    return !/^-[vR]$/.test(text) && this.#take(1);
  }

  #look(word: Word): boolean {
    if (word.kind === 'unknown') return false;
    this.places.push({ does: 'reads', reach: 'itself', word });
    return true;
  }

  #take(count: number): boolean {
    this.#next += count;
    return true;
  }
}

/** Constant, or one of the numbers that a shell keeps itself. */
function isNumber(word: Word): boolean {
  const numbers = word.kind === 'text' ? [word.text] : word.kind === 'names' ? word.patterns : [];
  if (word.kind === 'unknown') return /^"?\$(\?|#|\{\?\}|\{#\w*\})"?$/.test(word.source);
  return numbers.every((text) => /^[-+]?\d+$/.test(text));
}
