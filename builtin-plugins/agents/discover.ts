import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { causeText, definePlugin, type AgentFolder, type Packed, type Plugin, type PluginScope, type StandardSchema } from 'pegboard';
import { isWithin, readFrontmatter, readRegularFile } from 'pegboard/kit';

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

/** Agents that are described in files: the plugin that follows the point `agent.folder`, and what it found. */
export interface AgentDefinitions {
  readonly plugin: Plugin;
  /** Looks at all places now; of two with one name the first counts. Never rejects. */
  look(): Promise<readonly AgentDefinition[]>;
}

const DEEPEST = 20;

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
      const first = new Map(found.toReversed().map((agent) => [agent.id, agent]));
      return [...first.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
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

async function agentsIn({ kind, path, from }: AgentFolder): Promise<readonly AgentDefinition[]> {
  const files = kind === 'file' ? [{ file: path, above: [] }] : await filesBelow(path, [], 0);
  return (await Promise.all(files.map(({ file, above }) => readAgent(file, above, from)))).filter((agent) => agent !== undefined);
}

interface Found {
  readonly file: string;
  readonly above: readonly string[];
}

/** Files only: a link is none. */
async function filesBelow(path: string, above: readonly string[], depth: number): Promise<readonly Found[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(async (entry): Promise<readonly Found[]> => {
        const file = join(path, entry.name);
        if (entry.isDirectory()) return depth < DEEPEST ? filesBelow(file, [...above, entry.name], depth + 1) : [];
        return entry.isFile() && /\.md$/i.test(entry.name) ? [{ file, above }] : [];
      }),
  );
  return found.flat();
}

async function readAgent(file: string, above: readonly string[], from: Packed): Promise<AgentDefinition | undefined> {
  try {
    const real = await realpath(file);
    if (!isWithin(await realpath(from.within), real)) return undefined;
    const { fields, body, state, problem } = await readFrontmatter((await readRegularFile(file)) ?? '');
    const name = textOf(fields['name']) ?? basename(file).replace(/\.md$/, '');
    const id = [...(from.namespace === '' ? [] : [from.namespace]), ...above, name].join(':');
    const at = problem && `line ${problem.line}: ${problem.cause}`;
    return {
      id,
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
  } catch (cause) {
    from.report(new Error(`${file}: ${causeText(cause)}`));
    return undefined;
  }
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
