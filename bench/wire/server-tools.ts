import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A server and its definitions, as it lists them. */
export interface ServerTools {
  readonly server: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: object }[];
}

const VERBS = ['list', 'get', 'create', 'update', 'delete', 'search', 'export', 'archive', 'share', 'merge'];
const THINGS = ['issue', 'page', 'invoice', 'calendar event', 'mail', 'branch', 'contact', 'dashboard', 'order', 'comment'];

/** Those of a folder, a file a server, in the order of the file names; made-up ones without a folder. */
export function readTools(folder: string | undefined): readonly ServerTools[] {
  if (folder === undefined) return Array.from({ length: 10 }, (_, at) => madeUp(`server${at}`));
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (files.length === 0) throw new Error(`There are no JSON files in ${folder}.`);
  return files.sort().map((file) => {
    const { server, tools } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as ServerTools;
    const named = new Map(tools.map((tool) => [tool.name.replace(/[^\w-]/g, '_'), tool]));
    const told = [...named].map(([name, tool]) => ({ ...tool, name, description: tool.description ?? '' }));
    return {
      server: (server ?? file.slice(0, -5)).replace(/[^\w-]/g, '_').slice(0, 20),
      tools: told.filter(({ name }) => name.length < 36),
    };
  });
}

/** A hundred tools, each with four parameters, about as long as real ones. */
function madeUp(server: string): ServerTools {
  const properties = {
    id: { type: 'string', description: 'Its identifier, as the list has it' },
    fields: { type: 'array', items: { type: 'string' }, description: 'Which fields the answer should have' },
    limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many at most' },
    dry_run: { type: 'boolean', description: 'Say what would be done, and do nothing' },
  };
  const tools = VERBS.flatMap((verb) =>
    THINGS.map((thing) => ({
      name: `${verb}_${thing.replace(' ', '_')}`,
      description: `${verb[0]?.toUpperCase()}${verb.slice(1)} one or more of the ${thing}s of the workspace. Use this when the person speaks of a ${thing}.`,
      inputSchema: { type: 'object', properties, required: ['id'] },
    })),
  );
  return { server, tools };
}
