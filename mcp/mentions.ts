import type { MentionOffer } from 'pegboard';

import { complete } from './complete.ts';
import { hiddenBy } from './hidden-server.ts';
import { resourcesOf } from './resources.ts';
import type { Servers } from './servers.ts';
import type { ServerSource } from './source.ts';
import { openVariable } from './uri-template.ts';

const URI = /^[a-z][a-z0-9+.-]*:/i;

/** `@server:uri` stands for a resource of a server, which its tool reads. */
export function resourceMentions(servers: Servers): MentionOffer {
  return {
    find: (word) => {
      const named = splitMention(word, servers);
      if (named) return { kind: 'call', tool: 'ReadMcpResource', input: { server: named.source.name, uri: named.uri } };
      const [, server] = /^([^/]+?):[a-z][a-z0-9+.-]*:\/\//i.exec(word) ?? [];
      return server === undefined ? undefined : { kind: 'wrong', error: servers.unknown(server) };
    },
    complete: async (word, { pool, signal }) => {
      const shown = servers.all().filter((source) => source.hasResources && hiddenBy(source, pool) === undefined);
      const source = shown.find((each) => namesOf(each).some((name) => word.startsWith(`${name}:`)));
      if (source === undefined)
        return shown
          .map(mentionedAs)
          .filter((name) => name.startsWith(word))
          .map((name) => `${name}:`);
      const name = namesOf(source).find((each) => word.startsWith(`${each}:`)) ?? '';
      const uris = await completeUri(source, word.slice(name.length + 1), signal);
      return uris.map((uri) => `${name}:${uri}`);
    },
  };
}

/** A server's name may have colons itself: the longest that is known counts. */
function splitMention(word: string, servers: Servers): { readonly source: ServerSource; readonly uri: string } | undefined {
  for (let colon = word.lastIndexOf(':'); colon > 0; colon = word.lastIndexOf(':', colon - 1)) {
    const source = servers.find(word.slice(0, colon));
    const uri = word.slice(colon + 1);
    if (source && URI.test(uri)) return { source, uri };
  }
  return undefined;
}

/** The addresses it lists, and those its templates lead to. */
async function completeUri(source: ServerSource, typed: string, signal: AbortSignal): Promise<readonly string[]> {
  const { found } = await resourcesOf(source, signal);
  const listed = found.flatMap((each) => ('uri' in each && typeof each.uri === 'string' && each.uri.startsWith(typed) ? [each.uri] : []));
  const templates = found.flatMap((each) => ('uriTemplate' in each && typeof each.uriTemplate === 'string' ? [each.uriTemplate] : []));
  const made = await Promise.all(
    templates.map(async (uri) => {
      const open = openVariable(uri, typed);
      if (open === undefined) return [];
      const values = await complete(source, { type: 'ref/resource', uri }, { name: open.name, value: open.value }, open.before, signal);
      return values.map((value) => open.head + value);
    }),
  );
  return [...new Set([...listed, ...made.flat()])];
}

function namesOf({ name, part }: ServerSource): readonly string[] {
  return [name, part];
}

/** A name with white space in it would end at it. */
function mentionedAs({ name, part }: ServerSource): string {
  return /\s/.test(name) ? part : name;
}
