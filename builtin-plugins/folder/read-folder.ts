import { realpathSync } from 'node:fs';
import { basename } from 'node:path';

import { causeText, PegboardError } from 'pegboard';

import { NO_COMPONENTS } from './components.ts';
import { findIn, parseJson, placeIn, readIn, type Ground } from './ground.ts';
import { HookFiles, type PackedHooks } from './hook-files.ts';
import type { JsonObject } from './json.ts';
import { MANIFEST, nameComplaint, readManifest, type Manifest } from './manifest.ts';
import { agentsOf, commandsOf, lookUp, skillsOf, type PackedCommand, type PackedPlace } from './parts.ts';
import { failure, note, type PackedProblem } from './problem.ts';
import { languageServers, packedServers, type PackedServer } from './servers.ts';

/** A packed folder to be read, and what a catalogue says of it. */
export interface PackedSource {
  /** As people enable it: its name, or `name@catalogue`. */
  readonly id?: string | undefined;
  readonly folder: string;
  /** Links may lead anywhere in here; its own folder unless given. */
  readonly within?: string | undefined;
  readonly entry?: PackedEntry | undefined;
}

/** What a catalogue says of a plugin, and where. */
export interface PackedEntry {
  readonly manifest: Manifest;
  /** Whether the plugin's own manifest comes first; otherwise only one of the two may name parts. */
  readonly strict: boolean;
  readonly place: string;
}

/** Where everything of a plugin is. Nothing of it has been parsed but what says where the rest is. */
export interface PackedContents {
  readonly kind: 'loads';
  readonly id: string;
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly defaultEnabled: boolean;
  readonly userConfig: JsonObject;
  readonly ground: Ground;
  readonly skills: readonly string[];
  readonly commands: readonly PackedCommand[];
  readonly agents: readonly PackedPlace[];
  readonly hooks: readonly PackedHooks[];
  readonly servers: readonly PackedServer[];
  readonly languageServers: readonly string[];
  readonly problems: readonly PackedProblem[];
}

export type ReadPacked =
  PackedContents | { readonly kind: 'broken'; readonly id: string; readonly folder: string; readonly problems: readonly PackedProblem[] };

/** Is there a packed plugin in this folder: a manifest, or one of the folders the format knows? */
export function isPacked(folder: string): boolean {
  const ground = groundOf({ folder });
  if (ground === undefined) return false;
  return [
    '.claude-plugin',
    'skills',
    'commands',
    'agents',
    'hooks/hooks.json',
    '.mcp.json',
    '.lsp.json',
    'SKILL.md',
    'workflows',
    'output-styles',
  ].some((path) => findIn(ground, path).kind !== 'missing');
}

/** Reads a packed folder. Whatever is wrong with it is a problem; only a fault of the whole leaves nothing. */
export function readPacked(source: PackedSource): ReadPacked {
  const ground = groundOf(source);
  const { folder, id = basename(folder) } = source;
  const broken = (place: string, cause: string): ReadPacked => ({
    kind: 'broken',
    id,
    folder,
    problems: [failure(new PegboardError('PACKED_MANIFEST', { folder, place, cause }))],
  });
  if (ground === undefined) return broken(folder, 'there is no such folder');
  try {
    const read = manifestOf(ground, source);
    if (read.kind === 'bad') return broken(read.place, read.cause);
    return contentsOf(ground, read.manifest, source);
  } catch (cause) {
    if (!(cause instanceof PegboardError)) return broken(folder, causeText(cause));
    return { kind: 'broken', id, folder, problems: [failure(cause as PegboardError<'PACKED_GUARD'>)] };
  }
}

function groundOf({ folder, within }: PackedSource): Ground | undefined {
  try {
    const root = realpathSync.native(folder);
    return { root, within: within === undefined ? root : realpathSync.native(within) };
  } catch {
    return undefined;
  }
}

type FoundManifest =
  { readonly kind: 'manifest'; readonly manifest: Manifest } | { readonly kind: 'bad'; readonly place: string; readonly cause: string };

/** The plugin's own manifest; without one its folder, or its entry, gives the name. */
function manifestOf(ground: Ground, { folder, entry }: PackedSource): FoundManifest {
  const place = placeIn(ground, MANIFEST);
  const read = readIn(ground, MANIFEST);
  if (read.kind === 'barred') return { kind: 'bad', place, cause: read.cause };
  if (read.kind === 'missing') {
    if (entry) return { kind: 'manifest', manifest: nothingBut(entry.manifest.name) };
    const name = basename(folder).replace(/[\s:@]+/g, '-');
    const complaint = nameComplaint(name);
    return complaint === undefined ? { kind: 'manifest', manifest: nothingBut(name) } : { kind: 'bad', place: folder, cause: complaint };
  }
  const parsed = parseJson(read.text);
  if (parsed.kind === 'bad') return { kind: 'bad', place, cause: parsed.cause };
  const manifest = readManifest(parsed.value, 'manifest');
  if (manifest.kind === 'bad') return { kind: 'bad', place, cause: manifest.cause };
  const both = entry?.strict === false && entry.manifest.declares && manifest.manifest.declares;
  return both
    ? {
        kind: 'bad',
        place: entry.place,
        cause: `its entry says \`strict: false\` and names parts, and so does ${place}; keep one of the two`,
      }
    : manifest;
}

function nothingBut(name: string): Manifest {
  const components = NO_COMPONENTS;
  return {
    name,
    version: undefined,
    description: undefined,
    defaultEnabled: undefined,
    userConfig: {},
    components,
    declares: false,
    notes: [],
  };
}

/** Throws PACKED_GUARD. */
function contentsOf(ground: Ground, manifest: Manifest, { id = manifest.name, entry }: PackedSource): PackedContents {
  const { name, components } = manifest;
  const said = entry?.manifest.components;
  const place = placeIn(ground, MANIFEST);
  const problems = manifest.notes.map((each) => note(name, place, each));
  const look = lookUp(ground, name, (problem) => void problems.push(problem));
  const servers = packedServers(ground, name, [...components.mcpServers, ...(said?.mcpServers ?? [])], place);
  const files = new HookFiles(ground, name);
  files.addStandard();
  files.add(components.hooks, place);
  if (entry) files.add(entry.manifest.components.hooks, entry.place);
  const parts = {
    skills: skillsOf(ground, components, entry, look),
    commands: commandsOf(ground, components, said, look),
    agents: agentsOf(ground, components, said, look),
  };
  return {
    kind: 'loads',
    id,
    name,
    version: manifest.version ?? entry?.manifest.version,
    description: manifest.description ?? entry?.manifest.description,
    defaultEnabled: entry?.manifest.defaultEnabled ?? manifest.defaultEnabled ?? true,
    userConfig: { ...entry?.manifest.userConfig, ...manifest.userConfig },
    ground,
    ...parts,
    hooks: files.hooks,
    servers: servers.servers,
    languageServers: languageServers(ground, [...components.lspServers, ...(said?.lspServers ?? [])]),
    problems: [...problems, ...servers.problems, ...files.problems],
  };
}
