import { definePlugin, type CommandOffer, type MentionOffer, type Plugin, type Pool } from 'pegboard';

import { readPrompt, type ReadPrompt, type PromptPlace } from './read-prompt.ts';

export type { PromptPlace, ReadPrompt } from './read-prompt.ts';

/** What people type: the plugin that follows the points `command` and `mention`, and what it makes of a prompt. */
export interface Commands {
  readonly plugin: Plugin;
  /** Every command there is, sorted; without those that are of no use with this pool, where one is given. */
  list(pool?: Pool): readonly CommandOffer[];
  /** What a model is sent instead of what was typed, or why nothing is. Never rejects. */
  read(typed: string, place: PromptPlace): Promise<ReadPrompt>;
  /** What the end of something that was begun could become; each is the whole text. Never rejects. */
  complete(typed: string, place: PromptPlace): Promise<readonly string[]>;
}

/** The plugin "commands": the owner of the points `command` and `mention`; one for each host. */
export function commands(): Commands {
  let offered: readonly CommandOffer[] = [];
  let mentions: readonly MentionOffer[] = [];
  const plugin = definePlugin({
    name: 'commands',
    setup: (scope) => {
      // Of two of one name the first counts.
      scope.follow('command', (all) => (offered = [...new Map([...all].reverse().map((each) => [each.name, each])).values()].sort(byName)));
      scope.follow('mention', (all) => (mentions = all.map((each) => guarded(each, scope.report))));
    },
  });
  return {
    plugin,
    list: (pool) => shown(offered, pool),
    read: (typed, place) => readPrompt(typed, { ...place, commands: offered, mentions }),
    complete: async (typed, { session, signal }) => {
      const place = { pool: session.pool(), signal };
      const [, name, words] = /^\/(\S+)(\s[^]*)$/.exec(typed) ?? [];
      if (name === undefined || words === undefined) return completeWord(typed, shown(offered, place.pool), mentions, place);
      const found = await offered.find((each) => each.name === name)?.complete?.(words.trimStart(), place);
      return (found ?? []).map((value) => typed.replace(/\S*$/, () => value));
    },
  };
}

async function completeWord(
  typed: string,
  offered: readonly CommandOffer[],
  mentions: readonly MentionOffer[],
  place: Parameters<NonNullable<MentionOffer['complete']>>[1],
): Promise<readonly string[]> {
  if (/^\/\S*$/.test(typed)) return offered.map(({ name }) => `/${name}`).filter((name) => name.startsWith(typed));
  const [, before, word] = /^([^]*(?:^|\s)@)(\S*)$/.exec(typed) ?? [];
  if (before === undefined || word === undefined) return [];
  const found = await Promise.all(mentions.map(async (each) => each.complete?.(word, place) ?? []));
  return found.flat().map((value) => before + value);
}

/** Whoever fails to say whose a word is has not said that it is theirs. */
function guarded(offer: MentionOffer, report: (cause: unknown) => void): MentionOffer {
  return {
    find: (word) => {
      try {
        return offer.find(word);
      } catch (cause) {
        report(cause);
        return undefined;
      }
    },
    complete: async (word, place) => offer.complete?.(word, place) ?? [],
  };
}

function shown(offered: readonly CommandOffer[], pool: Pool | undefined): readonly CommandOffer[] {
  return pool ? offered.filter((each) => each.hidden?.(pool) !== true) : offered;
}

function byName(a: CommandOffer, b: CommandOffer): number {
  return a.name < b.name ? -1 : 1;
}
