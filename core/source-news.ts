import { oneLine } from './announcement.ts';
import type { Source } from './registry.ts';
import { defineState } from './state.ts';

const NAME_CHARS = 64;
const CAUSE_CHARS = 200;
const MOST_LINES = 20;

type Told = 'starting' | 'there' | 'lost';

/** What the model was last told of each source, kept with the session so that a resumed one repeats nothing. */
export const toldOfSources = defineState('sources told of', () => new Map<string, Told>(), {
  write: (told) => [...told].map(([owner, how]) => [owner, how]),
  read: (kept) => new Map(kept as unknown as [string, Told][]),
});

/**
 * What the model should know of sources whose tools it cannot use yet, or not any more; nothing where that is as it was told.
 * What a source does between two requests is not told: only how it stands.
 */
export function sourceNews(sources: readonly Source[], told: Map<string, Told>): string | undefined {
  const lines = sources.flatMap((source) => {
    if (source.builtin || source.status.kind === 'off') return [];
    const before = told.get(source.owner);
    const now = standing(source, before);
    if (now !== 'there' || before !== undefined) told.set(source.owner, now);
    return now === before || (now === 'there' && before === undefined) ? [] : [lineOf(source, now)];
  });
  if (lines.length === 0) return undefined;
  const rest = lines.length - MOST_LINES;
  return ['<servers>', ...lines.slice(0, MOST_LINES), ...(rest > 0 ? [`and ${rest} more`] : []), '</servers>'].join('\n');
}

/** One that connects again has not gone: its tools stand, and a call waits for it. */
function standing({ status, tools }: Source, before: Told | undefined): Told {
  if (status.kind === 'failed') return 'lost';
  if (status.kind !== 'connecting') return 'there';
  return tools.length > 0 ? 'there' : (before ?? 'starting');
}

function lineOf({ owner, status }: Source, now: Told): string {
  const name = oneLine(owner, NAME_CHARS);
  switch (now) {
    case 'starting':
      return `${name} is still starting: its tools are told of once they are there.`;
    case 'lost':
      return `${name} is not there: ${oneLine(status.kind === 'failed' ? status.message : '', CAUSE_CHARS)} Do without its tools until it is told of again.`;
    case 'there':
      return `${name} is there now.`;
  }
}
