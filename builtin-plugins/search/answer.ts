import { nearest, oneLine, wireTool, type Display, type Pool, type SearchAnswer, type SearchMatch, type Source } from 'pegboard';

/** What the model is told of a search. */
export interface Answer {
  readonly text: string;
  /** Names of the tools whose definitions stand in it. */
  readonly shown: readonly string[];
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
const MOST_LISTED = 20;
const TEXT_CHARS = 120;
/** A best match that covers less of the query than this may not be what was meant. */
const GOOD_FIT = 0.5;

/**
 * A line of words, one line of compact JSON per definition, then names. Descriptions come from outside: in their JSON nothing
 * can end a line or hide, so no description can look like another line.
 */
export function writeAnswer({ query, found, definitions, pool }: Found): Answer {
  const { matches } = found;
  const byName = /^\s*select:/i.test(query);
  const lines = definitionLines(matches.slice(0, byName ? MOST_SELECTED : definitions));
  const more = matches.slice(lines.length);
  const loaded = found.loaded.filter((match) => byName || (match.fit >= GOOD_FIT && !isOurs(match)));
  const little = !byName && Math.max(0, ...[...matches, ...loaded].map(({ fit }) => fit)) < GOOD_FIT;
  const nothing = matches.length === 0 && loaded.length === 0;
  const text = [
    headline(query, lines.length, pool),
    ...lines,
    ...(more.length > 0 ? ['More that may fit; select:Name gives a definition:', ...more.map(nameLine)] : []),
    ...alreadyLoaded(loaded),
    ...found.missing.map((name) => missingLine(name, pool)),
    ...(little || found.missing.length > 0 ? sourcesNotReady(pool.sources) : []),
    ...(nothing ? sourcesLine(pool) : []),
  ].join('\n');
  return { text, shown: matches.slice(0, lines.length).map(({ place }) => place.tool.name) };
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

function headline(query: string, count: number, pool: Pool): string {
  if (count === 0) return `No further tool was found for "${oneLine(query, TEXT_CHARS)}".`;
  const caller = pool.tools.find((tool) => tool.provides.includes('tool-call'))?.name;
  return `${count === 1 ? '1 tool' : `${count} tools`} found, which can now be called${caller === undefined ? '' : ` with ${caller}`}:`;
}

function definitionLines(matches: readonly SearchMatch[]): readonly string[] {
  const lines: string[] = [];
  let chars = 0;
  for (const match of matches) {
    const line = definitionLine(match);
    chars += line.length;
    if (lines.length > 0 && chars > DEFINITION_CHARS) break;
    lines.push(line);
  }
  return lines;
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

/** The tools of this plugin speak of tools and searches, which is what queries may do too. */
function isOurs({ place: { tool } }: SearchMatch): boolean {
  return tool.provides.includes('tool-search') || tool.provides.includes('tool-call');
}

function missingLine(name: string, pool: Pool): string {
  const forms = new Map(pool.tools.flatMap((tool) => [tool.name, tool.name.replace(/^mcp__.+?__/, '')].map((form) => [form, tool.name])));
  const near = nearest(name, [...forms.keys()]);
  const said = `There is no tool "${oneLine(name, TEXT_CHARS)}"`;
  return near === undefined ? `${said}.` : `${said}; the nearest name is "${forms.get(near) ?? near}".`;
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
