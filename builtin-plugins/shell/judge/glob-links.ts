import type { PartFile } from 'pegboard';
import type { Workspace } from 'pegboard/kit';

import { asPattern } from '../command/word.ts';
import { isGlob, unescaped } from './places.ts';

/** More names than these are not looked through. */
const MOST_NAMES = 20_000;

/**
 * A file that a glob names, and the same behind every link that the glob finds or leads through now: what is read or written there lies
 * where the link leads. Where that cannot be looked up, nobody knows the file.
 */
export async function withLinks(file: PartFile, { list }: Workspace): Promise<readonly PartFile[]> {
  const { place } = file;
  if (place.kind !== 'pattern') return [file];
  const search = new LinkSearch(list);
  const found = (await search.run(place.pattern)) ? [...search.found] : undefined;
  if (found === undefined) return [{ ...file, place: { kind: 'unknown', why: `${place.pattern} finds too much to look for links in it` } }];
  const behind = found.map((pattern): PartFile['place'] =>
    isGlob(pattern) ? { kind: 'pattern', pattern } : { kind: 'path', path: unescaped(pattern), below: false },
  );
  return [file, ...behind.map((each) => ({ ...file, place: each }))];
}

class LinkSearch {
  /** Each link with what is left of the glob behind it. */
  readonly found = new Set<string>();
  readonly #list: Workspace['list'];
  #names = 0;

  constructor(list: Workspace['list']) {
    this.#list = list;
  }

  /** Whether all of it could be looked through. */
  async run(pattern: string): Promise<boolean> {
    const steps = pattern.split('/');
    const from = steps.findIndex(isGlob);
    return from === -1 || this.#walk(steps.slice(0, from).map(unescaped).join('/'), steps.slice(from));
  }

  async #walk(folder: string, [step, ...rest]: readonly string[]): Promise<boolean> {
    if (step === undefined) return true;
    if (step === '' || step === '.' || step === '..') return this.#walk(`${folder}/${step}`, rest);
    const entries = await this.#list(folder === '' ? '/' : folder);
    this.#names += entries.length + 1;
    if (this.#names > MOST_NAMES) return false;
    const finds = nameTest(step);
    for (const { name, isLink } of entries) {
      if (!finds(name)) continue;
      const path = `${folder}/${name}`;
      if (isLink) this.found.add([asPattern(path), ...rest].join('/'));
      if (rest.length > 0 && !(await this.#walk(path, rest))) return false;
    }
    return true;
  }
}

/** Whether a step of a glob may find a name: a set of characters may be any of them, and more than one. */
function nameTest(step: string): (name: string) => boolean {
  const shape = step.replace(/\\(.)|\[.*\]|([*?])|[^\w]/gsu, (written, plain?: string, sign?: string) => {
    if (sign !== undefined) return sign === '*' ? '.*' : '.';
    return plain === undefined && written.length > 1 ? '.*' : `\\u{${(plain ?? written).codePointAt(0)?.toString(16) ?? ''}}`;
  });
  const fits = new RegExp(`^${shape}$`, 'su');
  const findsHidden = /^\\?\./.test(step);
  return (name) => (findsHidden || !name.startsWith('.')) && fits.test(name);
}
