import { textOf, type Word } from '../command/member.ts';
import { textWord, type Place } from '../read-only/read-words.ts';
import { PLACE_ROLES, type PlaceRole } from '../read-only/spelling.ts';

/** Options of `tar` that have the next word as value. */
const VALUES =
  '-f --file -C --directory -T --files-from -X --exclude-from -b -g --exclude --transform -I --use-compress-program -N -K -V -L'.split(' ');

/** What `tar` reads and writes, by its first letters (`xzf`, `-czf`) or its long names. */
export function placesOfArchive(words: readonly Word[]): readonly Place[] {
  const places: Place[] = [];
  const put = (role: PlaceRole, word: Word) => places.push(...PLACE_ROLES[role].map((touch) => ({ ...touch, word })));
  const texts = words.map((word, index) => {
    const text = textOf(word) ?? '';
    return index === 0 && /^[A-Za-z]+$/.test(text) ? `-${text}` : text;
  });
  const letters = texts.filter((text) => /^-[^-]/.test(text)).join('');
  const has = (letter: string, long: string) => letters.includes(letter) || texts.includes(long);
  const extracts = has('x', '--extract') || texts.includes('--get');
  const reads = extracts || has('t', '--list') || has('d', '--diff');
  let folder: Word | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = texts[at] ?? '';
    if (word === undefined) continue;
    const [, long, glued] = /^(--[a-z-]+)=(.*)$/s.exec(text) ?? [];
    const option = long ?? (/^-[^-]/.test(text) ? `-${text.at(-1) ?? ''}` : text);
    const value = glued === undefined ? words[at + 1] : textWord(glued, word);
    if (!text.startsWith('-')) {
      if (!extracts) put('tree', word);
      continue;
    }
    if (glued === undefined && VALUES.includes(option)) at += 1;
    if (value === undefined) continue;
    if (option === '-f' || option === '--file') put(reads ? 'file' : 'write', value);
    if (option === '-T' || option === '-X' || option === '--files-from' || option === '--exclude-from') put('file', value);
    if (option === '-C' || option === '--directory') folder = value;
  }
  if (folder !== undefined || extracts) put(extracts ? 'write-below' : 'tree', folder ?? textWord('.'));
  return places;
}
