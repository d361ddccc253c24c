import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { causeText, definePlugin, type AgentFolder, type Packed, type Plugin, type PluginScope, type StandardSchema } from 'pegboard';
import { isWithin, readFrontmatter, readRegularFile, type Frontmatter } from 'pegboard/kit';

/** An agent that somebody described: who it is, and what it may use. */
export interface AgentDefinition {
  /** `namespace:name`, or the name where there is no namespace. */
  readonly id: string;
  readonly from: Packed;
  readonly file: string;
  readonly description: string;
  /** The tools it may use, as it names them; all where it says nothing. */
  readonly tools: readonly string[] | undefined;
  readonly disallowed: readonly string[];
  readonly model: string | undefined;
  /** What it is told before anything else. */
  readonly prompt: string;
  /** Something that was mended or left out when its file was read. */
  readonly note: string | undefined;
}

/** All agents there are, sorted by id, and what was left out and why. */
export interface AgentShelf {
  readonly agents: readonly AgentDefinition[];
  readonly left: readonly { readonly file: string; readonly cause: string }[];
}

/** Agents that are described in files: the plugin that follows the point `agent.folder`, and what it found. */
export interface AgentDefinitions {
  readonly plugin: Plugin;
  /** Looks at all places now; of two with one name the first counts. Never rejects. */
  look(): Promise<AgentShelf>;
}

const DEEPEST = 20;
const MOST_BYTES = 2_000_000;

/** The plugin "agent-definitions": the person's, the project's and those of packed folders. Nothing of a folder that is not trusted is read. */
export function agentDefinitions(): AgentDefinitions {
  let packed: readonly AgentFolder[] = [];
  let own: () => readonly AgentFolder[] = () => [];
  const plugin = definePlugin({
    name: 'agent-definitions',
    setup: (scope) => {
      const claude = scope.settings('compat', compatSchema).claude;
      own = () => ownFolders(scope, claude);
      scope.follow('agent.folder', (all) => (packed = all));
    },
  });
  return {
    plugin,
    look: async () => {
      const found = (await Promise.all([...own(), ...packed].map(agentsIn))).flat();
      const all = found.flatMap((each) => (each.kind === 'agent' ? [each.agent] : []));
      const first = new Map(all.toReversed().map((agent) => [agent.id, agent]));
      const left = found.flatMap((each) => (each.kind === 'left' ? [each] : []));
      const doubled = all.flatMap((agent) => doubledBy(agent, first.get(agent.id)));
      return { agents: [...first.values()].sort((a, b) => (a.id < b.id ? -1 : 1)), left: [...left, ...doubled] };
    },
  };
}

/** The project's stand before the person's, and everybody wants it so; any other of the same name is told. */
function doubledBy({ id, file, from }: AgentDefinition, first: AgentDefinition | undefined): AgentShelf['left'] {
  if (first === undefined || first.file === file || first.from.plugin !== from.plugin) return [];
  return [{ file, cause: `${first.file} is called ${id} as well` }];
}

/** The project's come before the person's. */
function ownFolders(scope: PluginScope, claude: boolean): readonly AgentFolder[] {
  const { cwd, home } = scope;
  const project = foldersUp(cwd)
    .filter((folder) => scope.trusted(folder))
    .flatMap((folder) => (claude ? ['.pegboard', '.claude'] : ['.pegboard']).map((name) => join(folder, name)));
  return [...project.map((path) => ['project', path] as const), ['home', home] as const].map(([layer, path]) => ({
    kind: 'folder',
    path: join(path, 'agents'),
    from: {
      plugin: layer,
      namespace: '',
      root: path,
      within: path,
      variables: {},
      environment: {},
      trusted: true,
      report: (cause) => scope.report(cause),
    },
  }));
}

/** Up to the one that holds the repository; the folder alone where there is none. */
function foldersUp(cwd: string): readonly string[] {
  const folders: string[] = [];
  for (let here = cwd; ; here = dirname(here)) {
    folders.push(here);
    if (existsSync(join(here, '.git'))) return folders;
    if (dirname(here) === here) return [cwd];
  }
}

type Read =
  { readonly kind: 'agent'; readonly agent: AgentDefinition } | { readonly kind: 'left'; readonly file: string; readonly cause: string };

async function agentsIn({ kind, path, from }: AgentFolder): Promise<readonly Read[]> {
  const files = kind === 'file' ? [{ file: path, above: [], isLink: false }] : await filesBelow(path, [], 0);
  return Promise.all(files.map((found) => readAgent(found, from)));
}

interface Found {
  readonly file: string;
  readonly above: readonly string[];
  readonly isLink: boolean;
}

async function filesBelow(path: string, above: readonly string[], depth: number): Promise<readonly Found[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(async (entry): Promise<readonly Found[]> => {
        const file = join(path, entry.name);
        if (entry.isDirectory()) return depth < DEEPEST ? filesBelow(file, [...above, entry.name], depth + 1) : [];
        const isLink = entry.isSymbolicLink();
        if (isLink && (await isFolder(file))) return [{ file, above, isLink }];
        return (entry.isFile() || isLink) && /\.md$/i.test(entry.name) ? [{ file, above, isLink }] : [];
      }),
  );
  return found.flat();
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

async function readAgent({ file, above, isLink }: Found, from: Packed): Promise<Read> {
  const left = (cause: string): Read => ({ kind: 'left', file, cause });
  if (isLink) return left('it is a link, and what is linked is no agent');
  try {
    const real = await realpath(file);
    if (!isWithin(await realpath(from.within), real)) return left(`it leads out of ${from.within}`);
    if ((await stat(real)).size > MOST_BYTES) return left(`it is larger than ${MOST_BYTES} bytes`);
    return { kind: 'agent', agent: agentOf(await readFrontmatter((await readRegularFile(real)) ?? ''), { file, above, from }) };
  } catch (cause) {
    return left(causeText(cause));
  }
}

function agentOf(read: Frontmatter, { file, above, from }: Pick<Found, 'file' | 'above'> & { readonly from: Packed }): AgentDefinition {
  const { fields, body, state, problem } = read;
  const name = textOf(fields['name']) ?? basename(file).replace(/\.md$/, '');
  const at = problem && `line ${problem.line}: ${problem.cause}`;
  return {
    id: [...(from.namespace === '' ? [] : [from.namespace]), ...above, name].join(':'),
    from,
    file,
    description: textOf(fields['description']) ?? '',
    tools: fields['tools'] === undefined ? undefined : words(fields['tools']),
    disallowed: words(fields['disallowedTools']),
    model: textOf(fields['model']),
    prompt: body.trim(),
    note:
      state === 'broken'
        ? `its fields cannot be read and do not count (${at})`
        : state === 'repaired'
          ? `its fields were put in quotes to be read (${at})`
          : undefined,
  };
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value).trim() : '';
  return text === '' ? undefined : text;
}

/** Names apart by blanks and commas; what stands in brackets is part of one. */
function words(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => (typeof each === 'string' ? [each] : []));
  return typeof value === 'string' ? (value.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? []) : [];
}

const compatSchema: StandardSchema<{ readonly claude: boolean }> = {
  '~standard': {
    version: 1,
    vendor: 'pegboard',
    validate: (value) => ({ value: { claude: (value as { readonly claude?: unknown } | undefined)?.claude !== false } }),
  },
};
