import { textOf, type Word } from '../command/member.ts';
import { FIND_SETTINGS, FIND_WORDS, FIND_WRITES } from './find.data.ts';
import { PLACE_ROLES, type PlaceRole } from './spelling.ts';
import { textWord, type Place, type WordReading } from './read-words.ts';

/**
 * Reads the words of `find`: where it starts and its expression, of which only words that look and print are accepted. No word may be a
 * glob or anything else that is not written out, since it could become a word of the expression.
 */
export function readFind(words: readonly Word[]): WordReading {
  const complaints = words.filter((word) => word.kind !== 'text' || word.expanded).map((word) => `${word.source} is not written out`);
  const places: Place[] = [];
  const put = (role: PlaceRole, word: Word) => places.push(...PLACE_ROLES[role].map((touch) => ({ ...touch, word })));
  const settings = words.findIndex((word) => !FIND_SETTINGS.split(' ').includes(textOf(word) ?? ''));
  const rest = settings === -1 ? [] : words.slice(settings);
  const begins = rest.findIndex((word) => /^(-.|[(),!]$)/s.test(textOf(word) ?? ''));
  const starts = begins === -1 ? rest : rest.slice(0, begins);
  const expression = begins === -1 ? [] : rest.slice(begins);
  const removes = expression.some((word) => textOf(word) === '-delete');
  for (const start of starts.length === 0 ? [textWord('.')] : starts) {
    put('tree', start);
    if (removes) put('remove', start);
  }
  for (let at = 0; at < expression.length; at++) {
    const word = expression[at];
    const text = textOf(word) ?? '';
    const takes = takesOf(text);
    const value = expression[at + 1];
    if (takes === undefined) complaints.push(`${text} is not a word of find that is known to only read`);
    if (takes === undefined && value !== undefined && FIND_WRITES.includes(text)) put('write', value);
    if (takes === 'file' && value !== undefined) put('file', value);
    if (takes === 1 || takes === 'file') at += 1;
  }
  return { places, options: new Set(expression.map((word) => textOf(word) ?? '')), operands: starts, complaint: complaints[0] };
}

/** `-newermt` and its kind compare with a date or a file. */
function takesOf(text: string): 0 | 1 | 'file' | undefined {
  if (/^-newer[aBcm]t$/.test(text)) return 1;
  if (/^-newer[aBcm][aBcm]$/.test(text)) return 'file';
  return Object.hasOwn(FIND_WORDS, text) ? FIND_WORDS[text] : undefined;
}
