import { nearest, oneLine, wireTool, type Display, type Pool, type SearchAnswer, type SearchMatch, type Source } from 'pegboard';

/** What the model is told of a search. */
export interface Answer {
  readonly text: string;
  /** Names of the tools whose definitions stand in it. */
  readonly shown: readonly string[];
  /** Names of the tools that stand in it because their words fit. */
  readonly ranked: readonly string[];
}

/** What an answer is made of. */
export interface Found {
  readonly query: string;
  readonly found: SearchAnswer;
  /** At most so many definitions; tools asked for by name all get theirs. */
  readonly definitions: number;
  readonly pool: Pool;
}

/** What the definitions of one answer may take, in UTF-16 code units; the first is always whole. */
const DEFINITION_CHARS = 60_000;
const MOST_SELECTED = 20;
/** Names with hints behind the definitions. */
const MOST_NAMED = 5;
const MOST_LISTED = 20;
const TEXT_CHARS = 120;
/** A tool that scores less than this share of the best is named and not defined: the best was asked for by name, or nearly. */
const WORTH_DEFINING = 0.2;
/** A loaded tool that covers less of the query than this is not worth a word. */
const GOOD_FIT = 0.5;
/** What can be a name that somebody tried to write. */
const NAME = /^[\p{L}\p{N}_-]{5,80}$/u;

/**
 * A line of words, one line of compact JSON per definition, then names. An endpoint that puts definitions in itself gets their names. Where nothing fits no definition is given: names of what comes
 * nearest, and what there is. Descriptions come from outside: in their JSON nothing can end a line or hide, so no description can
 * look like another line.
 */
export function writeAnswer(asked: Found): Answer {
  const { found } = asked;
  if (/^\s*select:/i.test(asked.query)) return selected(asked);
  const loaded = found.loaded.filter((match) => match.fit >= GOOD_FIT);
  return found.verdict === 'nothing' ? nothing(asked) : fitting(asked, loaded);
}

/** Tools asked for by name: each gets its definition. */
function selected({ query, found, pool }: Found): Answer {
  const shown = bounded(found.matches.slice(0, MOST_SELECTED));
  const lines = [
    shown.length === 0 ? noFurther(query) : headline(shown.length, pool),
    ...shown.map((match) => shownLine(match, pool)),
    ...moreLines(found.matches.slice(shown.length)),
    ...alreadyLoaded(found.loaded),
    ...found.missing.map((name) => missingLine(name, pool)),
    ...(found.missing.length > 0 ? sourcesNotReady(pool.sources) : []),
  ];
  return { text: lines.join('\n'), shown: namesOf(shown), ranked: [] };
}

function fitting({ query, found, definitions, pool }: Found, loaded: readonly SearchMatch[]): Answer {
  const { verdict } = found;
  const matches = withoutCopies(found.matches, found.loaded);
  const least = (matches[0]?.score ?? 0) * WORTH_DEFINING;
  const shown = bounded(matches.slice(0, definitions).filter(({ score }) => score >= least));
  const more = matches.slice(shown.length, shown.length + MOST_NAMED);
  const doubtful = verdict === 'weak' && loaded.length === 0;
  const lines = [
    shown.length === 0 ? noFurther(query) : headline(shown.length, pool),
    ...shown.map((match) => shownLine(match, pool)),
    ...moreLines(more),
    ...copyLines([...shown, ...loaded, ...more]),
    ...alreadyLoaded(loaded),
    ...(doubtful ? ['None of them speaks of all that was asked: search again in other words if they are not what you need.'] : []),
    ...(doubtful ? sourcesNotReady(pool.sources) : []),
    ...(shown.length === 0 && loaded.length === 0 ? sourcesLine(pool) : []),
  ];
  return { text: lines.join('\n'), shown: namesOf(shown), ranked: namesOf([...shown, ...more, ...loaded]) };
}

function nothing({ query, found, definitions, pool }: Found): Answer {
  const near = found.matches.slice(0, definitions);
  const meant = near.length > 0 || !NAME.test(query.trim()) ? undefined : nearestName(query.trim(), pool);
  const lines = [
    `No tool seems to do what was asked: "${oneLine(query, TEXT_CHARS)}". Try other words: one capability, naming its object.`,
    ...(near.length > 0 ? ['Nearest, though it may be far; select:Name gives a definition:', ...near.map(nameLine)] : []),
    ...(meant === undefined ? [] : [`The nearest name is "${meant}".`]),
    ...sourcesNotReady(pool.sources),
    ...sourcesLine(pool),
  ];
  return { text: lines.join('\n'), shown: [], ranked: namesOf(near) };
}

/** No definition is spent on a tool that stands here already, of another server. */
function withoutCopies(matches: readonly SearchMatch[], loaded: readonly SearchMatch[]): readonly SearchMatch[] {
  const copies = new Set([...matches, ...loaded].flatMap(({ copies: places }) => places));
  return matches.filter(({ place }) => !copies.has(place));
}

/** Which servers have the same tools as those that stand here. */
function copyLines(matches: readonly SearchMatch[]): readonly string[] {
  return matches.flatMap(({ place, copies }) => {
    const waiting = copies.filter(({ state }) => state === 'deferred').map(({ tool }) => tool.name);
    return waiting.length === 0
      ? []
      : [`The same as ${place.tool.name} on other servers; select:Name gives a definition: ${listed(waiting)}`];
  });
}

function namesOf(matches: readonly SearchMatch[]): readonly string[] {
  return matches.map(({ place }) => place.tool.name);
}

function noFurther(query: string): string {
  return `No further tool was found for "${oneLine(query, TEXT_CHARS)}".`;
}

function moreLines(more: readonly SearchMatch[]): readonly string[] {
  return more.length === 0 ? [] : ['More that may fit; select:Name gives a definition:', ...more.map(nameLine)];
}

/** An answer for people: the definitions as names with how well each fits, the other lines as they are. */
export function answerPicture(text: string): Display {
  const items = text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return line.startsWith('- ') ? [line.slice(2)] : [];
    const { name, match } = JSON.parse(line) as { readonly name: string; readonly match: number };
    return [`${name} (fits ${Math.round(match * 100)} %)`];
  });
  return items.length > 0 ? { kind: 'list', items } : { kind: 'text', text };
}

function headline(count: number, pool: Pool): string {
  const caller = pool.tools.find((tool) => tool.provides.includes('tool-call'))?.name;
  return `${count === 1 ? '1 tool' : `${count} tools`} found, which can now be called${caller === undefined ? '' : ` with ${caller}`}:`;
}

/** As many of them as one answer may define, at least one. */
function bounded(matches: readonly SearchMatch[]): readonly SearchMatch[] {
  let chars = 0;
  const end = matches.findIndex((match, at) => {
    chars += definitionLine(match).length;
    return at > 0 && chars > DEFINITION_CHARS;
  });
  return end === -1 ? matches : matches.slice(0, end);
}

function shownLine(match: SearchMatch, { strategy }: Pool): string {
  return strategy === 'reference' ? `- ${match.place.tool.name}` : definitionLine(match);
}

function definitionLine({ place: { tool }, fit }: SearchMatch): string {
  const { name, description, input_schema } = wireTool(tool);
  const { annotations } = tool;
  return plainJson({ name, description, match: Number(fit.toFixed(2)), ...(annotations ? { annotations } : {}), input_schema });
}

/** Characters that end a line for some readers, turn the direction of text or are not seen at all. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]/gu;

function plainJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function nameLine({ place: { tool } }: SearchMatch): string {
  const hint = oneLine(tool.searchHint, TEXT_CHARS);
  return hint === '' ? `- ${tool.name}` : `- ${tool.name}: ${hint}`;
}

function alreadyLoaded(loaded: readonly SearchMatch[]): readonly string[] {
  return loaded.length > 0 ? [`Already loaded: ${listed(loaded.map(({ place }) => place.tool.name))}`] : [];
}

function missingLine(name: string, pool: Pool): string {
  const near = nearestName(name, pool);
  const said = `There is no tool "${oneLine(name, TEXT_CHARS)}"`;
  return near === undefined ? `${said}.` : `${said}; the nearest name is "${near}".`;
}

function nearestName(name: string, pool: Pool): string | undefined {
  const forms = new Map(pool.tools.flatMap((tool) => [tool.name, tool.name.replace(/^mcp__.+?__/, '')].map((form) => [form, tool.name])));
  const near = nearest(name, [...forms.keys()]);
  return near === undefined ? undefined : (forms.get(near) ?? near);
}

function sourcesNotReady(sources: readonly Source[]): readonly string[] {
  const connecting = sources.filter(({ status }) => status.kind === 'connecting').map(ownerOf);
  const failed = sources.flatMap(({ owner, status }) =>
    status.kind === 'failed' ? [`${oneLine(owner, TEXT_CHARS)} (${oneLine(status.message, TEXT_CHARS)})`] : [],
  );
  return [
    ...(connecting.length > 0 ? [`Still connecting, so their tools may be missing: ${listed(connecting)}`] : []),
    ...(failed.length > 0 ? [`Failed, so their tools are missing: ${listed(failed)}`] : []),
  ];
}

function sourcesLine(pool: Pool): readonly string[] {
  const counts = new Map<string, number>();
  for (const { source, state } of pool.places)
    if (state !== 'hidden' && state !== 'lost') counts.set(ownerOf(source), (counts.get(ownerOf(source)) ?? 0) + 1);
  const parts = [...counts].map(([owner, count]) => `${owner} (${count === 1 ? '1 tool' : `${count} tools`})`);
  return [parts.length === 0 ? 'There are no tools.' : `Tools come from: ${listed(parts)}`];
}

function ownerOf({ owner }: Source): string {
  return oneLine(owner, TEXT_CHARS);
}

function listed(parts: readonly string[]): string {
  const rest = parts.length - MOST_LISTED;
  return rest > 0 ? `${parts.slice(0, MOST_LISTED).join(', ')} and ${rest} more` : parts.join(', ');
}
