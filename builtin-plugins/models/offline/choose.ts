import type { KnownTool } from './conversation.ts';
import { fillInput, type Filled, type ToolWords } from './fill.ts';
import { parametersOf } from './parameters.ts';
import { headWords, readRequest } from './request.ts';
import { isQuiet, nameWords, stemOf, stemsOf } from './words.ts';
import { ACTS } from './words.data.ts';

/** A tool that could be meant, with the input the request gives it. */
export interface Candidate {
  readonly tool: KnownTool;
  readonly filled: Filled;
  /** 0 to 1: how sure it is that the request speaks of this tool. */
  readonly confidence: number;
  readonly score: number;
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
      const hits = [...asked.all].filter((stem) => text.has(stem)).length;
      return candidateOf(tool, asked, { all: shareOf(asked.all, rarity, text), head: shareOf(asked.head, rarity, text), hits });
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
}

/** How much of what is asked for a tool's text has: of all, of the head, and in words. */
interface Share {
  readonly all: number;
  readonly head: number;
  readonly hits: number;
}

function askedOf(query: string, request: string): Asked {
  const all = new Set(stemsOf(query));
  const head = new Set(stemsOf(headWords(readRequest(request))).filter((stem) => all.has(stem)));
  return {
    request,
    all,
    head,
    verb:
      query
        .split(/\s+/)
        .find((word) => !isQuiet(word))
        ?.toLowerCase() ?? '',
  };
}

function candidateOf(tool: KnownTool, asked: Asked, share: Share): Candidate {
  const name = ownName(tool.name);
  const nameStems = name.map(stemOf);
  const covered = nameStems.filter((stem) => asked.all.has(stem)).length;
  const cover = nameStems.length === 0 ? 0 : covered / nameStems.length;
  const sameAct = ACTS.some((words) => words.has(asked.verb) && name.some((word) => words.has(word.toLowerCase())));
  const filled = fillInput(tool.schema, asked.request, wordsOf(tool));
  const match = tool.found?.match ?? share.all;
  const named = cover === 1 && (nameStems.length > 1 || nameStems[0] === stemOf(asked.verb)) ? 0.8 : 0;
  return {
    tool,
    filled,
    // One word that stands somewhere in a description says too little.
    confidence: Math.max((match + share.all) / 2, 0.85 * share.head, named) * (covered > 0 || share.hits > 1 ? 1 : 0.45),
    score:
      0.5 * match +
      0.15 * share.all +
      0.3 * cover +
      (sameAct || nameStems.includes(stemOf(asked.verb)) ? 0.12 : 0) +
      (sourceWords(tool.name).some((word) => asked.all.has(word)) ? 0.15 : 0) +
      0.12 * filled.certainty -
      0.12 * Math.min(3, filled.missing.length) -
      0.15 * Math.min(3, filled.unused) +
      (tool.found ? 0.08 / (1 + tool.found.rank) : 0),
  };
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

/** The words of a tool's own name, without the server it comes from. */
function ownName(name: string): readonly string[] {
  return nameWords(name.replace(/^mcp__.+?__/, ''));
}

function textStems({ name, description, schema }: KnownTool): ReadonlySet<string> {
  const parameters = parametersOf(schema).flatMap(({ stems }) => [...stems]);
  return new Set([...nameWords(name).map(stemOf), ...stemsOf(description), ...parameters]);
}

function rarityOf(stem: string, texts: readonly ReadonlySet<string>[]): number {
  return Math.log((texts.length + 1) / (texts.filter((text) => text.has(stem)).length + 0.5));
}

function shareOf(asked: ReadonlySet<string>, rarity: ReadonlyMap<string, number>, text: ReadonlySet<string>): number {
  const weight = (stem: string) => Math.max(0.1, rarity.get(stem) ?? 0);
  const all = [...asked].reduce((sum, stem) => sum + weight(stem), 0);
  return all === 0 ? 0 : [...asked].reduce((sum, stem) => sum + (text.has(stem) ? weight(stem) : 0), 0) / all;
}
