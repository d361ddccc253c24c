import { ABBREVIATIONS } from './abbreviations.data.ts';
import type { TermOrigin } from './explanation.ts';
import { SYNONYMS } from './synonyms.data.ts';
import { termsOf } from './terms.ts';
import { TOPICS } from './topics.data.ts';

/** Another term that may mean what was asked for. */
export interface Relative {
  readonly term: string;
  readonly from: Extract<TermOrigin, 'abbreviation' | 'synonym' | 'topic'>;
}

const LISTS = [
  { from: 'abbreviation', lines: ABBREVIATIONS },
  { from: 'synonym', lines: SYNONYMS },
  { from: 'topic', lines: TOPICS },
] as const;

type Thesaurus = ReadonlyMap<string, ReadonlyMap<string, Relative>>;

/** For each term those near it in meaning, from the lists beside this file; the closest kind only where two are related in several ways. */
export const THESAURUS: Thesaurus = readLists();

function readLists(): Thesaurus {
  const thesaurus = new Map<string, Map<string, Relative>>();
  for (const { from, lines } of LISTS) {
    for (const line of lines.trim().split('\n')) {
      const terms = new Set(termsOf(line));
      for (const asked of terms) {
        const relatives = thesaurus.get(asked) ?? new Map<string, Relative>();
        for (const term of terms) if (term !== asked && !relatives.has(term)) relatives.set(term, { term, from });
        thesaurus.set(asked, relatives);
      }
    }
  }
  return thesaurus;
}
