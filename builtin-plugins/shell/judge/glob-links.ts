import type { FilePlace, PartFile } from 'pegboard';
import type { Workspace } from 'pegboard/kit';

import { asPattern } from '../command/word.ts';
import { isGlob, unescaped } from './places.ts';

/** More names than these are not looked through. */
const MOST_NAMES = 20_000;
/** One behind the other: where links lead round in a circle there is no end to them. */
const MOST_LINKS = 3;

/**
 * A file that a glob names, and the same behind every link that the glob finds or leads through now: what is read or written there lies
 * where the link leads. Where that cannot be looked up, nobody knows the file.
 */
export async function withLinks(file: PartFile, workspace: Workspace): Promise<readonly PartFile[]> {
  const { place } = file;
  if (place.kind !== 'pattern') return [file];
  return [file, ...(await behindLinks(place.pattern, workspace)).map((each) => ({ ...file, place: each }))];
}

/** The places behind every link that a glob finds or leads through now; two stars at its end stand for all that lies there at any depth. */
export async function behindLinks(pattern: string, { list }: Workspace): Promise<readonly FilePlace[]> {
  const search = new LinkSearch(list);
  if (!(await search.run(pattern))) return [{ kind: 'unknown', why: `${pattern} finds too much to look for links in it` }];
  return [...search.found].map((each) =>
    isGlob(each) ? { kind: 'pattern', pattern: each } : { kind: 'path', path: unescaped(each), below: false },
  );
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
    return from === -1 || this.#walk(steps.slice(0, from).map(unescaped).join('/'), steps.slice(from), 0);
  }

  async #walk(folder: string, [step, ...rest]: readonly string[], links: number): Promise<boolean> {
    if (step === undefined) return true;
    if (step === '' || step === '.' || step === '..') return this.#walk(`${folder}/${step}`, rest, links);
    const entries = await this.#list(folder === '' ? '/' : folder);
    this.#names += entries.length + 1;
    if (this.#names > MOST_NAMES) return false;
    const all = step === '**' && rest.length === 0;
    const finds = all ? () => true : nameTest(step);
    for (const { name, isLink } of entries) {
      if (!finds(name)) continue;
      const path = `${folder}/${name}`;
      if (isLink) this.found.add([asPattern(path), ...rest].join('/'));
      const passed = links + (isLink ? 1 : 0);
      const further = all && passed <= MOST_LINKS ? [step] : rest;
      if (further.length > 0 && !(await this.#walk(path, further, passed))) return false;
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
