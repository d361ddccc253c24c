import type { Place } from './pool.ts';

/** What may stand in one announcement, in UTF-8 bytes. */
const ANNOUNCEMENT_BYTES = 4_096;
/** Below this not even the counts would fit. */
const LEAST_BYTES = 1_024;
const HINT_CHARS = 120;
const NAME_CHARS = 64;
const INSTRUCTION_CHARS = 200;

/** What the model is told of tools whose schemas wait, and of those it knows. */
export interface News {
  readonly added: readonly Place[];
  /** Names that were sent or announced and have gone. */
  readonly gone: readonly string[];
  /** Names that were sent, had gone and are there again. */
  readonly back: readonly string[];
}

/**
 * Words for the model: names with hints while all fit, then names, then one line per source (design 1.4); never more than
 * `limit` bytes, which is at least 1,024. Names and hints come from outside, so no line of theirs can look like one of ours.
 */
export function announce(news: News, searchTool: string | undefined, limit: number = ANNOUNCEMENT_BYTES): string {
  const room = Math.max(limit, LEAST_BYTES);
  const head = news.added.length > 0 ? `${counted(news.added.length, 'more tool')} can be used. ${howToLoad(searchTool)}` : '';
  const tail = [
    news.gone.length > 0 ? `No longer there: ${fitNames(news.gone, room / 8)}` : '',
    news.back.length > 0 ? `There again: ${fitNames(news.back, room / 8)}` : '',
  ];
  const frame = (lines: readonly string[]) =>
    `<deferred-tools>\n${[head, ...lines, ...tail].filter(Boolean).join('\n')}\n</deferred-tools>`;
  for (const tier of [withHints, namesOnly, bySourceWithInstructions, bySource]) {
    const text = frame(tier(news.added));
    if (Buffer.byteLength(text) <= room) return text;
  }
  return frame(firstSources(news.added, room - Buffer.byteLength(frame([]))));
}

function howToLoad(searchTool: string | undefined): string {
  return searchTool === undefined
    ? 'Their definitions are not loaded. Call one by its name; if the input does not fit, the answer shows its definition.'
    : `Their definitions are not loaded. Find them with ${searchTool}: "select:Name" for a known name, otherwise a few words on what the tool should do.`;
}

function withHints(places: readonly Place[]): readonly string[] {
  return places.map(({ tool }) => {
    const hint = oneLine(tool.searchHint, HINT_CHARS);
    return hint === '' ? nameOf(tool.name) : `${nameOf(tool.name)}: ${hint}`;
  });
}

function namesOnly(places: readonly Place[]): readonly string[] {
  return [places.map(({ tool }) => nameOf(tool.name)).join(', ')];
}

function bySourceWithInstructions(places: readonly Place[]): readonly string[] {
  return linesBySource(places, INSTRUCTION_CHARS);
}

function bySource(places: readonly Place[]): readonly string[] {
  return linesBySource(places, 0);
}

function linesBySource(places: readonly Place[], instructionChars: number): readonly string[] {
  const counts = new Map<string, { readonly said: string; tools: number }>();
  for (const { source } of places) {
    const entry = counts.get(source.owner) ?? { said: oneLine(source.instructions ?? '', instructionChars), tools: 0 };
    entry.tools++;
    counts.set(source.owner, entry);
  }
  return [...counts].map(([owner, { said, tools }]) => `${nameOf(owner)} (${counted(tools, 'tool')})${said === '' ? '' : `: ${said}`}`);
}

function firstSources(places: readonly Place[], room: number): readonly string[] {
  const lines = bySource(places);
  const rest = (count: number) => `and ${counted(count, 'more source')}`;
  let bytes = Buffer.byteLength(rest(lines.length)) + 1;
  const kept = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > room);
  return kept === -1 ? lines : [...lines.slice(0, kept), rest(lines.length - kept)];
}

function fitNames(names: readonly string[], room: number): string {
  const text = names.map(nameOf).join(', ');
  return Buffer.byteLength(text) <= room ? text : counted(names.length, 'tool');
}

function nameOf(name: string): string {
  return oneLine(name, NAME_CHARS);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s\u{e0000}-\u{e0fff}]+/gu;

/** Text from outside as one line of at most `length` code units: no line breaks, no control or direction characters, no tags. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(UNSAFE, ' ')
    .replace(/[<>]/g, '')
    .trim();
  return line.length <= length ? line : `${line.slice(0, Math.max(0, length - 1)).replace(/[\ud800-\udbff]$/, '')}…`;
}
