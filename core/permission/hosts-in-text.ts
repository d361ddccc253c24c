import { hostOf } from './host-pattern.ts';
import type { TextPlace } from './paths-in-text.ts';

const LONGEST = 16_384;
const MOST_ADDRESSES = 100;
/** What a host looks like where nothing says that one is meant, beside a colon or an `@`. */
const DOTTED = /^[^.]+\..*[^.]$|^localhost$/i;
const HIDDEN = /[\p{C}\p{Z}\p{DI}]/gu;

/** What a text has in it that leads to a host where nothing says that one is meant. */
const MARK = /[/\\:@]/;

/** Every host a text may lead to: of each address in it where it is meant as one, and by name or number where one is expected. In doubt a piece is one. */
export function hostsInText(text: string, { named, split }: TextPlace): readonly string[] {
  if (!named && !MARK.test(text)) return [];
  const plain = text.trim();
  if (plain.length > LONGEST) return [];
  const read = [...addressesIn(plain, named), ...(named || (split && !/\s/.test(plain)) ? barely(plain, named) : [])];
  return [...new Set(read.flatMap((each) => hostOf(each.replace(HIDDEN, '')) ?? []))];
}

/** A text with blanks in it that does not begin as an address is prose, which may speak of any. */
function addressesIn(text: string, named: boolean): readonly string[] {
  if (/^[/\\]{2}[^/\\]/.test(text)) return [`http:${text}`];
  const direct = /^(https?|wss?|ftp):/i.test(text) ? [text] : [];
  if (!named && /\s/.test(text) && !/^[A-Za-z][A-Za-z0-9+.:-]*:[/\\]{2}/.test(text)) return direct;
  const rests = [...text.matchAll(/(?<=[A-Za-z][A-Za-z0-9+.-]{0,20}):[/\\]{2}/g)]
    .slice(0, MOST_ADDRESSES)
    .map(({ index }) => text.slice(index + 1));
  return [...direct, ...rests.flatMap((rest) => [`http:${rest}`, `http:${rest.replace(/[\s"'<>,;|].*$/s, '')}`])];
}

/** Hosts without `//` before them: `host`, `host:80`, `tcp:host:80`, `user@host:path`, `[::1]:80`, several with commas. */
function barely(text: string, named: boolean): readonly string[] {
  const words = text.split(/[\s"'`<>(),;|]+/).slice(0, MOST_ADDRESSES);
  return words.flatMap((word) => {
    const [, value = word] = /^[\w-]+=(.*)$/s.exec(word) ?? [];
    const authority = value.replace(/[/\\?#].*$/s, '');
    const pieces = authority
      .split(/[@:]/, MOST_ADDRESSES)
      .filter((piece) => (named ? piece !== '' : authority !== piece && DOTTED.test(piece)));
    const whole = named || /[@:]/.test(authority) ? [`http://${authority.replace(/^.*@/s, '')}`] : [];
    return [
      ...whole,
      ...pieces.map((piece) => `http://${piece}`),
      ...(/^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f:.]*$/i.test(authority) ? [`http://[${authority}]`] : []),
    ];
  });
}
