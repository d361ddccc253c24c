import type { Place } from './pool.ts';
import type { Source } from './registry.ts';

/** What may stand in one announcement, in UTF-8 bytes. */
export const ANNOUNCEMENT_BYTES = 4_096;
const INSTRUCTION_CHARS = 200;

/** What the model is told of tools whose schemas wait. */
export interface News {
  readonly added: readonly Place[];
  /** Names that were announced and have gone. */
  readonly gone: readonly string[];
}

/**
 * Words for the model: names with hints while all fit, then names, then one line per source (design 1.4); never more than
 * `limit` bytes. Names and hints come from outside, so no line of theirs can look like one of ours.
 */
export function announce(news: News, searchTool: string, limit: number = ANNOUNCEMENT_BYTES): string {
  const how = `Their definitions are not loaded. Find them with ${searchTool}: "select:Name" for a known name, otherwise a few words on what the tool should do.`;
  const head = news.added.length > 0 ? `${news.added.length} more tools can be used. ${how}` : '';
  const tail = news.gone.length > 0 ? `No longer there: ${fitNames(news.gone, Math.floor(limit / 4))}` : '';
  const frame = (lines: readonly string[]) => `<deferred-tools>\n${[head, ...lines, tail].filter(Boolean).join('\n')}\n</deferred-tools>`;
  for (const lines of [withHints(news.added), [namesOnly(news.added)], bySource(news.added, INSTRUCTION_CHARS), bySource(news.added, 0)]) {
    const text = frame(lines);
    if (Buffer.byteLength(text) <= limit) return text;
  }
  return frame(firstSources(news.added, limit - Buffer.byteLength(frame([])) - 80));
}

function withHints(places: readonly Place[]): readonly string[] {
  return places.map(({ tool }) => (tool.searchHint ? `${tool.name}: ${oneLine(tool.searchHint, 120)}` : tool.name));
}

function namesOnly(places: readonly Place[]): string {
  return places.map(({ tool }) => tool.name).join(', ');
}

function bySource(places: readonly Place[], instructionChars: number): readonly string[] {
  const counts = new Map<Source, number>();
  for (const { source } of places) counts.set(source, (counts.get(source) ?? 0) + 1);
  return [...counts].map(([source, count]) => {
    const said = instructionChars > 0 && source.instructions ? `: ${oneLine(source.instructions, instructionChars)}` : '';
    return `${source.owner} (${count} ${count === 1 ? 'tool' : 'tools'})${said}`;
  });
}

function firstSources(places: readonly Place[], limit: number): readonly string[] {
  const lines = bySource(places, 0);
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > limit) break;
    kept.push(line);
  }
  return [...kept, `and ${lines.length - kept.length} more sources`];
}

function fitNames(names: readonly string[], limit: number): string {
  const text = names.join(', ');
  return Buffer.byteLength(text) <= limit ? text : `${names.length} tools`;
}

/** Text from outside as one line of at most `length` code units: no line breaks, no control or direction characters, no tags. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[<>]/g, '')
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
