import { firstSentence } from 'pegboard';

import type { Candidate } from './choose.ts';
import { choicesOf, exampleOf } from './example.ts';
import type { Parameter } from './parameters.ts';

const ASKING = 'To go on I need';
const MOST_NAMED = 3;

/** Did a text of ours ask for something, so that what a person says next completes the request? */
export function asksForMore(text: string): boolean {
  return text.includes(ASKING);
}

/** Nothing fits well enough: what comes nearest, if anything does. */
export function unsure(ranked: readonly Candidate[]): string {
  const near = ranked.filter(({ evidence }) => evidence > 0).slice(0, MOST_NAMED);
  if (near.length === 0) return NOTHING_NEAR;
  const lines = near.map(({ tool }) => described(tool.name, tool.description));
  return ['No tool fits this well enough, so nothing was called. The nearest are:', ...lines, 'Say it in the words of one of them.'].join(
    '\n',
  );
}

const NOTHING_NEAR =
  "No tool speaks of this, so nothing was called. The search goes by the words of the tools' own names and descriptions: " +
  'try other words, in the language of those, or look with `pegboard tools search WORDS`.';

/** A tool fits, but values are missing, or too little speaks for them. */
export function wanted({ tool, filled }: Candidate, unclear: readonly Parameter[]): string {
  const guess =
    unclear.length > 0 ? ` ${unclear.map(({ key }) => key).join(', ')} would be a guess, and it may change or destroy something.` : '';
  const have = Object.entries(filled.input).filter(([key]) => !unclear.some((parameter) => parameter.key === key));
  const given = have.length > 0 ? ` I have ${JSON.stringify(Object.fromEntries(have))}.` : '';
  const needs = [...filled.missing, ...unclear];
  return [
    `${tool.name} fits, but not all it needs was said${unclear.length > 0 ? ' clearly' : ''}, so it was not called.${guess}${given}`,
    `${ASKING}:`,
    ...needs.map(need),
  ].join('\n');
}

function need(parameter: Parameter): string {
  const choices = choicesOf(parameter);
  return described(`${exampleOf(parameter)}${choices === '' ? '' : ` (one of ${choices})`}`, parameter.description);
}

/** Several tools fit about as well: a person chooses. */
export function which(near: readonly { readonly candidate: Candidate; readonly needs: readonly Parameter[] }[]): string {
  const lines = near
    .slice(0, MOST_NAMED)
    .map(({ candidate: { tool }, needs }) => described([tool.name, ...needs.map(exampleOf)].join(' '), tool.description));
  return ['Several tools fit about as well, so none was called:', ...lines, `${ASKING} the name of one of them, with its values.`].join(
    '\n',
  );
}

function described(what: string, description: string): string {
  const sentence = firstSentence(description);
  return sentence === '' ? `- ${what}` : `- ${what}: ${sentence}`;
}
