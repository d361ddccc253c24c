import type { Tool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { serverTool } from '../../test/support/fake-tools.ts';

const VERBS = ['create', 'list', 'get', 'update', 'delete', 'search', 'export', 'import', 'archive', 'share', 'merge', 'convert'];
const OBJECTS = [
  'invoice',
  'calendar event',
  'repository',
  'customer',
  'photo',
  'ticket',
  'shipment',
  'report',
  'contact',
  'playlist',
  'sensor',
  'recipe',
];
const PLACES = [
  'warehouse',
  'team',
  'archive',
  'region',
  'account',
  'folder',
  'campaign',
  'season',
  'building',
  'channel',
  'device',
  'market',
];

/** A word that no other number has, so that vocabularies grow as those of real catalogues do. */
function coined(at: number): string {
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'je', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 'va'];
  return [at, at >> 4, at >> 8, at >> 12].map((part) => syllables[part % 16]).join('');
}

function pick(words: readonly string[], at: number): string {
  return words[at % words.length] ?? '';
}

/** Tools of one server, as different from each other as those of real servers: about 400 bytes of definition each. */
export function manyTools(server: string, count: number): readonly Tool[] {
  return Array.from({ length: count }, (_, at) => {
    const [verb, object, place] = [pick(VERBS, at), pick(OBJECTS, Math.floor(at / 12)), pick(PLACES, Math.floor(at / 144))];
    return serverTool(server, `${verb}_${object.replace(' ', '_')}_${at}`, {
      description: `${verb} one or more ${object}s of a ${place} in ${coined(at % 2_000)}. The ${object} must belong to the ${place} that is given; the answer has the ${object} as it is afterwards.`,
      input: jsonSchema({
        type: 'object',
        properties: {
          [`${object.replace(' ', '_')}_id`]: { type: 'string', description: `Which ${object}` },
          [place]: { type: 'string', description: `The ${place} to look in` },
          limit: { type: 'integer', description: 'How many at most' },
        },
        required: [place],
      }),
    });
  });
}

/** Queries of two to eight words on those tools, none of them twice. */
export function manyQueries(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => {
    const words = [pick(VERBS, at * 5), pick(OBJECTS, at * 7), 'of a', pick(PLACES, at * 11), 'in', coined(at * 13)];
    return words.slice(0, 2 + (at % 5)).join(' ');
  });
}
