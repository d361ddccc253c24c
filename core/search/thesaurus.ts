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

/** Which terms are near each other in meaning: the lists beside this file, as terms. */
export class Thesaurus {
  readonly #relatives = new Map<string, Map<string, Relative>>();

  constructor() {
    for (const { from, lines } of LISTS) {
      for (const line of lines.trim().split('\n')) {
        const terms = new Set(termsOf(line));
        for (const asked of terms) this.#relate(asked, terms, from);
      }
    }
  }

  /** The closest kind only where two terms are related in several ways. */
  relatives(term: string): Iterable<Relative> {
    return this.#relatives.get(term)?.values() ?? [];
  }

  #relate(asked: string, terms: ReadonlySet<string>, from: Relative['from']): void {
    const relatives = this.#relatives.get(asked) ?? new Map<string, Relative>();
    for (const term of terms) if (term !== asked && !relatives.has(term)) relatives.set(term, { term, from });
    this.#relatives.set(asked, relatives);
  }
}
