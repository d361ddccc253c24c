import { ABBREVIATIONS } from './abbreviations.data.ts';
import type { TermOrigin } from './explanation.ts';
import { SYNONYMS } from './synonyms.data.ts';
import { stemOf } from './terms.ts';
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

interface Group {
  readonly from: Relative['from'];
  readonly terms: readonly string[];
}

/** The groups each term is in, those of the closest kind first. */
const GROUPS: ReadonlyMap<string, readonly Group[]> = readLists();

/** Terms near one in meaning, each once, the closest first. */
export function relativesOf(term: string): readonly Relative[] {
  const relatives = new Map<string, Relative>();
  for (const { from, terms } of GROUPS.get(term) ?? [])
    for (const other of terms) if (other !== term && !relatives.has(other)) relatives.set(other, { term: other, from });
  return [...relatives.values()];
}

function readLists(): ReadonlyMap<string, readonly Group[]> {
  const groups = new Map<string, Group[]>();
  for (const { from, lines } of LISTS) {
    for (const line of lines.trim().split('\n')) {
      const group: Group = { from, terms: [...new Set(line.split(' ').map(stemOf))] };
      for (const term of group.terms) {
        const having = groups.get(term);
        if (having === undefined) groups.set(term, [group]);
        else having.push(group);
      }
    }
  }
  return groups;
}
