import { withinOneEdit } from './one-edit.ts';

/** One letter off leaves the first or the last of so many letters, which is looked at first: that is quick, and tells most words apart. */
const BOTH_ENDS = 3;

/** Words by their length, so that those one letter off a word are found without looking at all of them. */
export class KnownWords {
  readonly #byLength = new Map<number, Map<string, string>>();

  /** The same string object for equal words, so that many tools share them. A new word is known from then on. */
  one(word: string): string {
    const words = this.#byLength.get(word.length) ?? new Map<string, string>();
    const known = words.get(word);
    if (known !== undefined) return known;
    this.#byLength.set(word.length, words.set(word, word));
    return word;
  }

  forget(word: string): void {
    this.#byLength.get(word.length)?.delete(word);
  }

  /** Words that are this one with one letter wrong, missing, added or swapped with its neighbour; the word itself is one. */
  near(word: string): readonly string[] {
    const near: string[] = [];
    const [first, last] = [word.charCodeAt(0), word.charCodeAt(word.length - 1)];
    const ends = (each: string) => each.charCodeAt(0) === first || each.charCodeAt(each.length - 1) === last;
    const mayBe = word.length < BOTH_ENDS ? () => true : ends;
    for (const length of [word.length - 1, word.length, word.length + 1])
      for (const each of this.#byLength.get(length)?.keys() ?? []) if (mayBe(each) && withinOneEdit(word, each)) near.push(each);
    return near;
  }
}
