import type { KnownTool } from './conversation.ts';
import { effectOf, isEnoughFor } from './effect.ts';
import { fillInput, type Filled, type ToolWords } from './fill.ts';
import { isKeyOf } from './offer.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { headWords, readRequest } from './request.ts';
import { isQuiet, nameWords, ownName, stemOf, stemsOf } from './words.ts';
import { ACTS, QUESTIONS } from './words.data.ts';

/** A tool that could be meant, with the input the request gives it. */
export interface Candidate {
  readonly tool: KnownTool;
  readonly filled: Filled;
  /** 0 to 1: how sure it is that the request speaks of this tool. */
  readonly confidence: number;
  /** How much of what is asked for its words speak of at all. */
  readonly evidence: number;
  /** How well it fits by its words alone, with how well the request fills it, and with what the search put first. */
  readonly said: number;
  readonly fits: number;
  readonly score: number;
  /** The request gives its name as such. */
  readonly byName: boolean;
}

/** Below it nothing is called. */
export const ABSTAIN_BELOW = 0.5;

/** The tools a request could mean, best first: by what they are called and do, and by whether the request has what they need. */
export function rankTools(tools: readonly KnownTool[], query: string, request: string): readonly Candidate[] {
  const asked = askedOf(query, request);
  const texts = new Map(tools.map((tool) => [tool, textStems(tool)]));
  const rarity = new Map([...asked.all].map((stem) => [stem, rarityOf(stem, [...texts.values()])]));
  return tools
    .map((tool) => {
      const text = texts.get(tool) ?? new Set<string>();
      const act = isSameAct(tool, asked.verb) ? stemOf(asked.verb) : undefined;
      const hits = [...asked.all].filter((stem) => text.has(stem) || stem === act).length;
      return candidateOf(tool, asked, {
        act: act !== undefined || text.has(stemOf(asked.verb)),
        all: shareOf(asked.all, rarity, text, act),
        head: shareOf(asked.head, rarity, text, act),
        hits,
      });
    })
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1));
}

/** What is asked for, in stems. */
interface Asked {
  readonly request: string;
  readonly all: ReadonlySet<string>;
  /** Before the request says what it is about. */
  readonly head: ReadonlySet<string>;
  /** The first word that says something. */
  readonly verb: string;
  /** The keys of what is written as `key=value`. */
  readonly keys: readonly string[];
  /** All that could be the name of a tool, in lower case. */
  readonly names: ReadonlySet<string>;
}

/** How much of what is asked for a tool's text has: of all, of the head, and in words. */
interface Share {
  readonly all: number;
  readonly head: number;
  readonly hits: number;
  /** Does it speak of the act, in this word or another for it? */
  readonly act: boolean;
}

function askedOf(query: string, request: string): Asked {
  const all = new Set(stemsOf(query));
  const pieces = readRequest(request);
  const head = new Set(stemsOf(headWords(pieces)).filter((stem) => all.has(stem)));
  const firstWord = pieces[0]?.text.toLowerCase() ?? '';
  return {
    request,
    all,
    head,
    keys: pieces.flatMap(({ key }) => key ?? []),
    names: new Set(request.toLowerCase().split(/[^\p{L}\p{N}_-]+/u)),
    verb:
      QUESTIONS.get(firstWord) ??
      query
        .split(/\s+/)
        .find((word) => !isQuiet(word))
        ?.toLowerCase() ??
      '',
  };
}

function candidateOf(tool: KnownTool, asked: Asked, share: Share): Candidate {
  const name = ownName(tool.name);
  const nameStems = name.map(stemOf);
  const covered = nameStems.filter((stem) => asked.all.has(stem)).length;
  const cover = nameStems.length === 0 ? 0 : covered / nameStems.length;
  const sameAct = isSameAct(tool, asked.verb);
  const filled = fillInput(tool.schema, asked.request, wordsOf(tool));
  const match = tool.found?.match ?? share.all;
  const byName = [tool.name.toLowerCase(), bareName(tool.name)].some((each) => /[_-]/.test(each) && asked.names.has(each));
  const named = byName || (cover === 1 && (nameStems.length > 1 || nameStems[0] === stemOf(asked.verb))) ? 0.8 : 0;
  const said =
    0.5 * match +
    0.15 * share.all +
    0.3 * cover +
    (sameAct || nameStems.includes(stemOf(asked.verb)) ? 0.12 : 0) +
    (sourceWords(tool.name).some((word) => asked.all.has(word)) ? 0.15 : 0) +
    (byName ? 1 : 0);
  const mild = /^(reads|adds)$/.test(effectOf(tool));
  const meant = byName || share.act || mild;
  const fits = said + fillScore(filled) - (meant ? 0 : 0.2);
  return {
    tool,
    filled,
    // One word that stands somewhere in a description says too little, and what may do harm must be asked for by what it does.
    confidence:
      Math.max((match + share.all) / 2, 0.85 * share.head, named, takesKeys(tool, asked.keys) ? 0.6 : 0) *
      (meant && (covered > 0 || share.hits > 1 || (sameAct && mild)) ? 1 : 0.45),
    evidence: Math.max(match, share.all, filled.missing.length === 0 && filled.typed > 1 ? TYPES_ALONE : 0),
    said,
    fits,
    score: fits + (tool.found ? 0.08 / (1 + tool.found.rank) : 0),
    byName,
  };
}

/** A tool that can be called with what was said goes before one that cannot, and one whose types ask for just such values before others. */
function fillScore({ certainty, missing, unused, typed }: Filled): number {
  return (
    0.12 * certainty -
    0.12 * Math.min(3, missing.length) -
    0.15 * Math.min(3, unused) +
    (missing.length === 0 ? 0.05 * Math.min(3, typed) : 0)
  );
}

/** Is every key that was written a parameter of the tool? */
function takesKeys({ schema }: KnownTool, keys: readonly string[]): boolean {
  const parameters = parametersOf(schema);
  return keys.length > 0 && keys.every((key) => parameters.some((parameter) => isKeyOf(key, parameter)));
}

function bareName(name: string): string {
  return name.replace(/^mcp__.+?__/, '').toLowerCase();
}

/** What was filled by a guess, where a wrong guess may do harm. */
export function unclearOf({ tool, filled }: Candidate): readonly Parameter[] {
  const effect = effectOf(tool);
  return [...filled.backings].flatMap(([parameter, backing]) => (isEnoughFor(effect, backing) ? [] : [parameter]));
}

/** What it says for a tool that several values are just of its types. */
const TYPES_ALONE = 0.1;

const NEAR = 0.1;
const TIE = 0.03;

/**
 * Those that fit about as well as the best, where a person should choose: any that come near it by their words while it cannot be
 * called yet, and such as could be called just as well while it may change something.
 */
export function rivalsOf(best: Candidate, ranked: readonly Candidate[], unclear: readonly Parameter[]): readonly Candidate[] {
  if (best.byName) return [];
  const others = ranked.filter((each) => each !== best && each.confidence >= ABSTAIN_BELOW);
  if (best.filled.missing.length + unclear.length > 0) return others.filter(({ said }) => said >= best.said - NEAR);
  if (effectOf(best.tool) === 'reads') return [];
  return others.filter((each) => each.filled.missing.length === 0 && each.fits >= best.fits - TIE && unclearOf(each).length === 0);
}

/** The words of the server a tool comes from. */
function sourceWords(name: string): readonly string[] {
  return nameWords(/^mcp__(.+?)__/.exec(name)?.[1] ?? '').map(stemOf);
}

function wordsOf({ name, description }: KnownTool): ToolWords {
  const tokens = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  const named = new Set([...tokens, ...nameWords(name).map(stemOf)].filter((word) => word.length > 1));
  return { name: named, all: new Set([...named, ...stemsOf(description)]) };
}

function textStems({ name, description, schema }: KnownTool): ReadonlySet<string> {
  const parameters = parametersOf(schema).flatMap(({ stems }) => [...stems]);
  return new Set([...nameWords(name).map(stemOf), ...stemsOf(description), ...parameters]);
}

function rarityOf(stem: string, texts: readonly ReadonlySet<string>[]): number {
  return Math.log((texts.length + 1) / (texts.filter((text) => text.has(stem)).length + 0.5));
}

/** What another word for the same act counts. */
const SAME_ACT = 0.7;

function shareOf(
  asked: ReadonlySet<string>,
  rarity: ReadonlyMap<string, number>,
  text: ReadonlySet<string>,
  act: string | undefined,
): number {
  const weight = (stem: string) => Math.max(0.1, rarity.get(stem) ?? 0);
  const met = (stem: string) => (text.has(stem) ? 1 : stem === act ? SAME_ACT : 0);
  const all = [...asked].reduce((sum, stem) => sum + weight(stem), 0);
  return all === 0 ? 0 : [...asked].reduce((sum, stem) => sum + met(stem) * weight(stem), 0) / all;
}

function isSameAct({ name }: KnownTool, verb: string): boolean {
  const words = ownName(name).map((word) => word.toLowerCase());
  return ACTS.some((act) => act.has(verb) && words.some((word) => act.has(word)));
}
