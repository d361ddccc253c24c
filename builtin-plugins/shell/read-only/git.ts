import { textOf, type Word } from '../command/member.ts';
import { GIT_FORMS } from './git.data.ts';
import { readWords, textWord, type Place, type WordReading } from './read-words.ts';
import type { Spelling } from './spelling.ts';

/** Reads the words of `git`: only subcommands and forms that read, behind no other option of git than `--no-pager`. */
export function readGit(words: readonly Word[]): WordReading {
  const from = textOf(words[0]) === '--no-pager' ? 1 : 0;
  const [first = '', second = ''] = words.slice(from, from + 2).map((word) => textOf(word) ?? '');
  const two = Object.hasOwn(GIT_FORMS, `${first} ${second}`);
  const name = two ? `${first} ${second}` : first;
  const forms = Object.hasOwn(GIT_FORMS, name) ? GIT_FORMS[name] : undefined;
  if (forms === undefined) return nothing(words, `git ${name} is not known to only read`);
  const behind = words.slice(from + (two ? 2 : 1));
  const readings = forms.map((form) => readForm(behind, form));
  const reading = readings.find(({ complaint }) => complaint === undefined) ?? readings[0] ?? nothing(words, name);
  const below: Place = { does: 'reads', reach: 'below', word: textWord('.') };
  return showsEverything(name, reading, behind) ? { ...reading, places: [...reading.places, below] } : reading;
}

function readForm(words: readonly Word[], form: Spelling): WordReading {
  const reading = readWords(words, form);
  // The page that it opens is shown by a program of the configuration.
  const complaint = reading.options.has('--help') ? '--help opens a manual' : reading.complaint;
  return { ...reading, places: reading.places.flatMap(placesOfThing), complaint };
}

/** What shows the content of files unless it is told to show only something about them, and what does so only if it is told to. */
const SHOWING = /^(diff|show)$/;
const SHOWING_IF_TOLD = /^(log|stash list|reflog|reflog show)$/;
const CONTENT =
  '-p -u --patch -U --unified --patch-with-raw --patch-with-stat -c --cc -W --function-context --word-diff --color-words --binary';
const ABOUT =
  '-s --no-patch --stat --numstat --shortstat --name-only --name-status --raw --summary --dirstat --compact-summary --quiet --check';

/** Whether it shows what stands in files without naming any: what stands before `--` may be a revision, unless it is a path at one. */
function showsEverything(name: string, { options, operands }: WordReading, words: readonly Word[]): boolean {
  const has = (list: string) => list.split(' ').some((option) => options.has(option));
  const shows = has(CONTENT) || (SHOWING.test(name) && !has(ABOUT));
  const dashes = words.findIndex((word) => textOf(word) === '--');
  const names = dashes !== -1 ? dashes < words.length - 1 : operands.length > 0 && operands.every((word) => textOf(word)?.includes(':'));
  return (SHOWING.test(name) || SHOWING_IF_TOLD.test(name)) && shows && !names;
}

/** A path at a revision, one with a wildcard or with magic: git finds more than the file that is called so. */
function placesOfThing(place: Place): readonly Place[] {
  const text = textOf(place.word);
  if (text === undefined) return [place];
  const below = (path: string): Place => ({ does: 'reads', reach: 'below', word: textWord(path === '' ? '.' : path, place.word) });
  if (/^:[(!^/]/.test(text)) return [below('.')];
  const magic = /[*?[]/.exec(text);
  if (magic) return [below(text.slice(0, text.lastIndexOf('/', magic.index) + 1))];
  const [, path] = /^[^:]*:(?:[0-3]:)?(.*)$/s.exec(text) ?? [];
  return path === undefined ? [place] : [place, { ...place, word: textWord(path === '' ? '.' : path, place.word) }];
}

function nothing(words: readonly Word[], complaint: string): WordReading {
  return { places: [], options: new Set(), operands: words, complaint };
}
