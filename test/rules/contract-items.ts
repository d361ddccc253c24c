import { tokensOf, type SourceFile } from './source-text.ts';

/** One item of docs/contract.md. */
interface ContractItem {
  readonly id: string;
  readonly text: string;
}

/** What docs/contract.md promises: every item, and those that are not yet due. */
export interface Contract {
  readonly items: readonly ContractItem[];
  readonly notYetDue: readonly string[];
}

const ITEM = /\bM\d+\.\d+\b/g;

/** Reads the page: `- **M1.1** …` is an item; the list under "Not yet due" names those without a test. */
export function readContract(page: string): Contract {
  const [promised = '', later = ''] = page.split(/^## Not yet due$/m);
  const items = [...promised.matchAll(/^- \*\*(M\d+\.\d+)\*\* (.+)$/gm)].map((match) => ({ id: match[1] ?? '', text: match[2] ?? '' }));
  const list = later.split(/\n\n/).find((paragraph) => /^M\d/.test(paragraph.trim())) ?? '';
  return { items, notYetDue: list.match(ITEM) ?? [] };
}

/** The items that titles of tests name. A title is a text that is the first argument of something. */
export function itemsInTitles(files: readonly SourceFile[]): ReadonlySet<string> {
  return new Set(
    files
      .filter(({ path }) => /^test\/.*\.test\.ts$/.test(path) && !path.startsWith('test/rules/'))
      .flatMap(({ text }) => {
        const tokens = tokensOf(text);
        return tokens.filter(({ kind }, at) => (kind === 'string' || kind === 'template') && tokens[at - 1]?.text === '(');
      })
      .flatMap(({ text }) => text.match(ITEM) ?? []),
  );
}
