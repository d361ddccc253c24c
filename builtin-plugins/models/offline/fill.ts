import { backingOf, weakest } from './backing.ts';
import { asRecord } from './conversation.ts';
import type { Backing, Offer } from './offer.ts';
import { offersFor } from './offers.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { bareNumbers, freeTextStart, readRequest, type Piece } from './request.ts';
import type { Source } from './source.ts';
import { isLong } from './spans.ts';
import { isQuiet, stemOf } from './words.ts';
import { TEXT_WORDS } from './words.data.ts';

/** What a request gives to a tool, and what the tool needs that the request does not say. */
export interface Filled {
  readonly input: Readonly<Record<string, unknown>>;
  readonly missing: readonly Parameter[];
  /** How much speaks for the values, on average over the required ones; 0 to 1. */
  readonly certainty: number;
  /** How many values of the request went nowhere: the more, the less likely this tool is meant. */
  readonly unused: number;
  /** How each value of the input was given. */
  readonly backings: ReadonlyMap<Parameter, Backing>;
  /** How many values went where just their type belongs. */
  readonly typed: number;
  /** How many of several numbers went to a text that nothing said they are for. */
  readonly misplaced: number;
}

/** The words a tool is called by. */
export interface ToolWords {
  /** Of its full name. */
  readonly name: ReadonlySet<string>;
  /** And of its description. */
  readonly all: ReadonlySet<string>;
}

const ENOUGH = 2;
const ENOUGH_LOOSE = 5;
const ENOUGH_UNASKED = 11;
const CERTAIN = 8;
const MOST_DEPTH = 3;

/**
 * Fills the parameters of a tool from a request: each value goes where most speaks for it, by the parameter's name, type and
 * format; what is left of the sentence goes to the one text that is still missing.
 */
export function fillInput(schema: Readonly<Record<string, unknown>>, text: string, tool: ToolWords): Filled {
  const pieces = readRequest(text);
  const whole = wholeInput(schema, pieces);
  if (whole) return { input: whole, missing: [], certainty: 1, unused: 0, backings: new Map(), typed: 0, misplaced: 0 };
  return fillFrom({ text, pieces, parameters: parametersOf(schema), toolName: tool.name, toolWords: tool.all }, new Set(), 0);
}

/** A JSON object with all that the tool needs is its input. */
function wholeInput(schema: Readonly<Record<string, unknown>>, pieces: readonly Piece[]): Readonly<Record<string, unknown>> | undefined {
  const parameters = parametersOf(schema);
  return pieces
    .flatMap(({ value, key }) => (key === undefined ? [asRecord(value)] : []))
    .filter((object) => object !== undefined)
    .find(
      (object) =>
        parameters.some(({ key }) => Object.hasOwn(object, key)) &&
        parameters.every(({ key, required }) => !required || Object.hasOwn(object, key)),
    );
}

function fillFrom(source: Source, used: Set<string>, depth: number): Filled {
  const { parameters } = source;
  const offers = parameters.flatMap((parameter) => offersFor(parameter, source));
  const taken = take(
    offers,
    parameters,
    used,
    (offer) => offer.score >= (offer.parameter.required || offer.sure ? ENOUGH : ENOUGH_UNASKED),
  );
  for (const [parameter, offer] of take(looseOnly(offers, source, taken), parameters, used, ({ score }) => score >= ENOUGH_LOOSE))
    taken.set(parameter, offer);
  const input = new Map<string, unknown>([...taken].map(([parameter, offer]) => [parameter.key, offer.value]));
  const backings = new Map<Parameter, Backing>([...taken].map(([parameter, { backing }]) => [parameter, backing]));
  let typed = [...taken.values()].reduce((sum, offer) => sum + (offer.typed ? offer.marks.length / 2 : 0), 0);
  let misplaced = [...taken.values()].filter((offer) => isMisplaced(source.pieces, offer)).length;
  for (const parameter of parameters) {
    if (!parameter.required || input.has(parameter.key)) continue;
    const nested = nestedValue(parameter, source, used, depth);
    if (nested === undefined) continue;
    input.set(parameter.key, nested.value);
    backings.set(parameter, weakest([...nested.filled.backings.values()]));
    typed += nested.filled.typed;
    misplaced += nested.filled.misplaced;
  }
  const place = parameters.filter((parameter) => isNeeded(parameter, parameters) && !input.has(parameter.key) && takesWords(parameter));
  if (place.length === 1 && !place.some(isLong) && freeTextStart(source.pieces) === source.pieces.length)
    for (const [parameter, offer] of take(
      looseOnly(offers, source, taken),
      place,
      used,
      (each) => each.score > 0 && place.includes(each.parameter),
    )) {
      input.set(parameter.key, offer.value);
      backings.set(parameter, offer.backing);
    }
  const left = parameters.filter((parameter) => isNeeded(parameter, parameters) && !input.has(parameter.key));
  const spoken = left.find(takesWords);
  const rest = spoken && left.filter(takesWords).length === 1 ? restOf(source, spoken, used) : undefined;
  if (spoken && rest !== undefined) {
    input.set(spoken.key, spoken.type.kind === 'list' ? [rest.text] : rest.text);
    backings.set(spoken, rest.backing);
  }
  for (const { key, fallback, required } of left) if (required && !input.has(key) && fallback !== undefined) input.set(key, fallback);
  const scores = parameters
    .filter(({ required }) => required)
    .map((parameter) => taken.get(parameter)?.score ?? (input.has(parameter.key) ? CERTAIN / 2 : 0));
  return {
    input: Object.fromEntries(parameters.flatMap(({ key }) => (input.has(key) ? [[key, input.get(key)]] : []))),
    missing: left.filter(({ key, required }) => required && !input.has(key)),
    unused: misplaced + source.pieces.filter((_, at) => isMeant(source.pieces, at) && !used.has(`${at}/0`) && !used.has(`${at}/1`)).length,
    backings,
    typed,
    misplaced,
    certainty: scores.length === 0 ? 0.5 : scores.reduce((sum, score) => sum + Math.min(1, score / CERTAIN), 0) / scores.length,
  };
}

/** The best offers first; nothing of the request is used twice. Equal offers go by the order of the parameters, then of the request. */
function take(
  offers: readonly Offer[],
  parameters: readonly Parameter[],
  used: Set<string>,
  isEnough: (offer: Offer) => boolean,
): Map<Parameter, Offer> {
  const taken = new Map<Parameter, Offer>();
  const weight = ({ score, parameter }: Offer) => score + (parameter.required ? 1.5 : 0);
  const sorted = [...offers].sort(
    (a, b) => weight(b) - weight(a) || parameters.indexOf(a.parameter) - parameters.indexOf(b.parameter) || a.at - b.at,
  );
  for (const offer of sorted) {
    if (!isEnough(offer) || taken.has(offer.parameter) || offer.marks.some((mark) => used.has(mark))) continue;
    taken.set(offer.parameter, offer);
    for (const mark of offer.marks) used.add(mark);
  }
  return taken;
}

/** What was written as a value and went nowhere: a quoted text or an address is meant for something. */
function looseOnly(offers: readonly Offer[], { pieces }: Source, taken: ReadonlyMap<Parameter, Offer>): readonly Offer[] {
  return offers.filter(({ parameter, at }) => !taken.has(parameter) && isLoose(pieces, at));
}

/** Several numbers are meant for something too, and so is `#7`; a single one may be a count. */
function isMeant(pieces: readonly Piece[], at: number): boolean {
  return isLoose(pieces, at) || (pieces[at]?.kind === 'number' && (bareNumbers(pieces) > 1 || pieces[at].text.startsWith('#')));
}

function isMisplaced(pieces: readonly Piece[], { parameter, at, sure }: Offer): boolean {
  return !sure && parameter.type.kind === 'string' && pieces[at]?.kind === 'number' && bareNumbers(pieces) > 1;
}

function isLoose(pieces: readonly Piece[], at: number): boolean {
  return /^(quoted|json|url|email|path|dotted|glob|date|time)$/.test(pieces[at]?.kind ?? '');
}

/** An object, or a list with one object, filled from the same request. */
function nestedValue(
  parameter: Parameter,
  source: Source,
  used: Set<string>,
  depth: number,
): { readonly value: unknown; readonly filled: Filled } | undefined {
  const { type } = parameter;
  if (depth >= MOST_DEPTH) return undefined;
  const object = type.kind === 'list' ? type.item : type;
  if (object.kind !== 'object') return undefined;
  const parameters = parametersOf(object.schema);
  if (parameters.length === 0) return undefined;
  const inner = new Set(used);
  const filled = fillFrom({ ...source, parameters, toolWords: new Set([...source.toolWords, ...parameter.stems]) }, inner, depth + 1);
  if (filled.missing.length > 0 || Object.keys(filled.input).length === 0) return undefined;
  for (const mark of inner) used.add(mark);
  return { value: type.kind === 'list' ? [filled.input] : filled.input, filled };
}

/** Where a schema requires nothing, what it searches or says is still needed. */
function isNeeded(parameter: Parameter, all: readonly Parameter[]): boolean {
  if (parameter.required) return true;
  return !all.some(({ required }) => required) && (all.length === 1 || isLong(parameter));
}

function takesWords({ type }: Parameter): boolean {
  const inner = type.kind === 'list' ? type.item : type;
  return (inner.kind === 'string' && (inner.format === 'free' || inner.format === 'pattern')) || inner.kind === 'anything';
}

interface Rest {
  readonly text: string;
  readonly backing: Backing;
}

function isClear(piece: Piece, parameter: Parameter): boolean {
  return backingOf(piece, parameter, false) === 'written';
}

/** What is left of the sentence once the words that name the tool and the parameter are gone. */
function restOf({ text, pieces, parameters, toolWords }: Source, parameter: Parameter, used: ReadonlySet<string>): Rest | undefined {
  const isUsed = (at: number) => used.has(`${at}/0`) || used.has(`${at}/1`) || pieces[at]?.key !== undefined;
  const free = freeTextStart(pieces);
  let from =
    free < pieces.length ? free : firstOwnWord(pieces, new Set([...toolWords, ...parameters.flatMap(({ stems }) => [...stems])]), isUsed);
  while (from < pieces.length && isUsed(from)) from += 1;
  let to = from;
  const goesOn = free < pieces.length || [...parameter.words].some((word) => TEXT_WORDS.has(word));
  while (to < pieces.length && !isUsed(to) && (goesOn || pieces[to]?.text !== ',')) to += 1;
  while (to > from && (/^[.?!,;:]$/.test(pieces[to - 1]?.text ?? '') || (to < pieces.length && isQuiet(pieces[to - 1]?.text ?? ''))))
    to -= 1;
  const [first, last] = [pieces[from], pieces[to - 1]];
  if (!first || !last || to <= from) return undefined;
  const written =
    (free <= from && !/^that$/i.test(pieces[free - 1]?.text ?? '')) || pieces.slice(from, to).every((piece) => isClear(piece, parameter));
  return { text: text.slice(first.start, last.end), backing: written ? 'written' : 'left over' };
}

function firstOwnWord(pieces: readonly Piece[], known: ReadonlySet<string>, isUsed: (at: number) => boolean): number {
  const at = pieces.findIndex((piece, place) => {
    if (isUsed(place) || piece.kind === 'mark') return false;
    if (piece.kind !== 'word') return true;
    return !isQuiet(piece.text) && !known.has(stemOf(piece.text)) && !/^say(s|ing)?$/i.test(piece.text);
  });
  if (at < 0) return pieces.length;
  const article = pieces[at - 1];
  return article !== undefined && /^(the|a|an|my|our|your)$/i.test(article.text) && !isUsed(at - 1) ? at - 1 : at;
}
