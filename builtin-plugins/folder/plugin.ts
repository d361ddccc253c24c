import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';

import { definePlugin, type Contributions, type Packed, type Plugin, type PluginScope } from 'pegboard';

import { isObject, type JsonObject } from './json.ts';
import { optionsOf, type PackedOptions } from './options.ts';
import type { PackedContents } from './read-folder.ts';
import { isUnconfigured, type PackedServer } from './servers.ts';

/** How a packed folder is put up. */
export interface PackedUse {
  /** Whether it may run anything. */
  readonly trusted: boolean;
  /** What a person has set, for what `userConfig` asks and is no secret. */
  readonly options: JsonObject;
  /** The folder a person works in. */
  readonly project: string;
}

/**
 * A packed folder as a plugin: it hands over where its parts are and under which namespace, and the owners of the points do the rest.
 * What keeps a part from working is reported when it starts.
 */
export function packedPlugin(contents: PackedContents, use: PackedUse): Plugin {
  const setup = async (scope: PluginScope) => {
    for (const problem of contents.problems) if (problem.kind === 'error') scope.report(problem.error);
    const options = await optionsOf(contents, use.options, scope.secrets);
    for (const error of options.missing) scope.report(error);
    if (use.trusted && contents.servers.length + contents.hooks.length > 0) mkdirSync(scope.folders.data, { recursive: true, mode: 0o700 });
    const offers = offersOf(contents, use, scope, options);
    for (const [point, all] of Object.entries(offers)) scope.contribute(point as keyof typeof offers, all);
  };
  return definePlugin({ name: packedName(contents.id), setup });
}

/** The name of its plugin on the host: nobody else's begins so, whatever a folder calls itself. */
export function packedName(id: string): string {
  const plain = id.replace(/[^A-Za-z0-9._@-]/g, '-').replace(/@/g, '/');
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return plain === id.replace(/@/g, '/') && plain.length <= 80 ? `packed/${plain}` : `packed/${plain.slice(0, 80)}-${hash}`;
}

type Offers = Pick<Contributions, 'skill.folder' | 'command.folder' | 'agent.folder' | 'hook.config' | 'mcp.server'>;

function offersOf(contents: PackedContents, { trusted, project }: PackedUse, scope: PluginScope, options: PackedOptions): Offers {
  const { name, ground, skills, commands, agents, hooks, servers } = contents;
  const folders = { CLAUDE_PLUGIN_ROOT: ground.root, CLAUDE_PLUGIN_DATA: scope.folders.data, CLAUDE_PROJECT_DIR: project };
  const from: Packed = {
    plugin: contents.id,
    namespace: name,
    root: ground.root,
    within: ground.within,
    variables: { ...folders, ...options.texts },
    environment: { ...folders, ...options.environment },
    trusted,
    report: (cause) => scope.report(cause),
  };
  return {
    'skill.folder': skills.map((path) => ({ from, path })),
    'command.folder': commands.map((command) => ({ ...command, from })),
    'agent.folder': agents.map(({ kind, path }) => ({ kind, path, from })),
    'hook.config': hooks.map(({ map, origin }) => ({ from, definition: map, origin })),
    'mcp.server': trusted ? servers.filter((server) => !isUnconfigured(server)).map((server) => serverOffer(server, from)) : [],
  };
}

/** A person's values get into a definition by variables, so that no secret ever stands in it; folders are put in as they are. */
function serverOffer(
  { name, definition, origin }: PackedServer,
  { namespace, root, environment }: Packed,
): Contributions['mcp.server'][number] {
  const isFolder = (variable: string) => FOLDERS.includes(variable) && environment[variable] !== undefined;
  const text = JSON.stringify(definition)
    .replace(/\$\{user_config\.([A-Za-z_]\w*)\}/g, '${CLAUDE_PLUGIN_OPTION_$1}')
    .replace(/\$\{(\w+)\}/g, (whole, variable: string) =>
      isFolder(variable) ? JSON.stringify(environment[variable]).slice(1, -1) : whole,
    );
  const named = JSON.parse(text) as JsonObject;
  const own = isObject(named['env']) ? named['env'] : {};
  const given = Object.fromEntries(
    Object.keys(environment).map((variable) => [variable, isFolder(variable) ? environment[variable] : `\${${variable}}`]),
  );
  return {
    name: `plugin:${namespace}:${name}`,
    definition: typeof named['command'] === 'string' ? { ...named, env: { ...given, ...own } } : named,
    origin,
    folder: root,
    variables: environment,
  };
}

const FOLDERS: readonly string[] = ['CLAUDE_PLUGIN_ROOT', 'CLAUDE_PLUGIN_DATA', 'CLAUDE_PROJECT_DIR'];
