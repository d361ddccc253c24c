import { join } from 'node:path';

import type { PegboardError, ServerOffer } from 'pegboard';

import { openApprovals } from './approvals.ts';

import { keyOf, pathOf, type Entry, type Sheet } from './entry.ts';
import { parseFeatures } from './feature-list.ts';
import { findProject, type ProjectFolder } from './find-project.ts';
import { judgeSheets, wantsClaude, type Judged } from './judge-sheets.ts';
import type { Ignored, Layer, Problem } from './layer.ts';
import { MANAGED_FILE, type ManagedFile } from './managed-file.ts';
import { allItems, explainKey, groupByKey, mergeValues, type Explanation, type SettingsValues } from './merge.ts';
import { byCodeUnit, type JsonObject } from './object.ts';
import { pluginChoices, type PluginChoices, type PluginGround } from './plugin-folders.ts';
import { belongsTo } from './repository.ts';
import { namesTools, rulesOf, type PlacedRule } from './rules.ts';
import { policyRefusal, type ServerMatch } from './server-match.ts';
import { serversOf, type FoundServer } from './servers.ts';
import { SourceReader, type Sources } from './sources.ts';
import { readState } from './state-file.ts';
import { openTrust, type Trust, type TrustBook } from './trust.ts';

/** What stands on the command line. */
export interface Flags {
  /** `--settings`: a file, or JSON that begins with `{`. */
  readonly settings?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly permissionMode?: string | undefined;
  readonly preset?: string | undefined;
  /** The servers of `--mcp-config`, read. */
  readonly servers?: readonly ServerOffer[] | undefined;
}

export interface ReadOptions {
  readonly cwd: string;
  /** The host's own folder: `PEGBOARD_HOME` or `~/.pegboard`. */
  readonly home: string;
  readonly flags?: Flags | undefined;
  /** The process's unless given: `PEGBOARD_FEATURES`, and what placeholders stand for when a policy looks at a server. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The policy file and who must own it; `/etc/pegboard/managed-settings.json` and root unless given. */
  readonly managed?: ManagedFile | undefined;
  /** Knows what a person accepted for this process too; the one of `home` unless given. */
  readonly trust?: TrustBook | undefined;
  /** The names of tools that are there in any case: a rule that has one in the wrong case means it. Asked only where there are rules. */
  readonly tools?: (() => Promise<readonly string[]>) | undefined;
  /** Keys of plugins, beside the host's own: they are no unknown keys. */
  readonly knownKeys?: readonly string[] | undefined;
}

/** Everything that is known of the configuration at one moment. A snapshot: it does not change. */
export interface Settings extends Omit<PluginChoices, 'ignored'> {
  readonly project: {
    /** Absolute and without links. */
    readonly folder: string;
    /** The repository it lies in, if it does. */
    readonly root: string | undefined;
    readonly trust: Trust;
  };
  /** Every place that was looked at, highest first. */
  readonly layers: readonly Layer[];
  readonly values: SettingsValues;
  /** Variables set by anybody but the repository: what may go into this process and into servers that are not the repository's. */
  readonly ownEnv: Readonly<Record<string, string>>;
  /** All rules that count, of every source; a list adds up. */
  readonly rules: readonly PlacedRule[];
  readonly servers: readonly FoundServer[];
  readonly problems: readonly Problem[];
  readonly ignored: readonly Ignored[];
  /** All keys that have a value somewhere, also one that does not count; sorted. */
  readonly keys: readonly string[];
  /** What a key is and why; a key above others explains all below it. */
  explain(key: string): readonly Explanation[];
  /** For `HostOptions.trusted`: does this path lie in a folder that is trusted? */
  trusted(path: string): boolean;
  /** Why a policy forbids a server, wherever it comes from. */
  refusal(server: string, definition: unknown): string | undefined;
}

/** Finds, reads, checks and merges all layers. Never throws for what stands in a file; throws RULE_SYNTAX for a rule on the command line. */
export function readSettings(options: ReadOptions): Promise<Settings> {
  return readKeeping(options, new Map());
}

/** The same, where a file that is broken now counts as it was while it was whole: `lastGood` keeps that between reads. */
export async function readKeeping(options: ReadOptions, lastGood: Map<string, Sheet>): Promise<Settings> {
  const book = options.trust ?? openTrust(options);
  const place = findProject(options.cwd, options.home);
  const trust = book.check(place.folder);
  const root = place.repository?.root ?? place.folder;
  const reaches = (real: string) => belongsTo(root, real) || book.check(real).kind === 'trusted';
  const reader = new SourceReader(lastGood, { trusted: trust.kind === 'trusted', reaches });
  const sources = await readSources(options, place, reader);
  const judged = await judgeClaudeToo(sources, { trusted: trust.kind === 'trusted', knownKeys: options.knownKeys ?? [] });
  const tools = namesTools(judged.counted) ? await options.tools?.() : [];
  return settingsOf(options, place, { trust, book, sources, judged, tools: tools ?? [], ground: { root, home: options.home, reaches } });
}

async function readSources(options: ReadOptions, place: ProjectFolder, reader: SourceReader): Promise<Sources> {
  const { cwd, home, flags = {}, managed = MANAGED_FILE } = options;
  await reader.managed(managed);
  for (const [option, value] of givenBy(flags)) reader.given(option, value, cwd);
  const features = parseFeatures((options.environment ?? process.env)['PEGBOARD_FEATURES']);
  if (features) reader.given('PEGBOARD_FEATURES', features, cwd);
  if (flags.settings !== undefined) await reader.option(flags.settings, cwd);
  await reader.folders(place, home);
  await reader.user(home);
  return reader.result();
}

/** Options of the command line as one sheet each, so that a value is known by the option that gave it. */
function givenBy({ allow = [], ask = [], deny = [], permissionMode, preset }: Flags): readonly (readonly [string, JsonObject])[] {
  const lists = Object.entries({ allow, ask, deny }).filter(([, rules]) => rules.length > 0);
  return [
    ...lists.map(([list, rules]) => [`--${list}`, { permissions: { [list]: rules } }] as const),
    ...(permissionMode === undefined ? [] : [['--permission-mode', { permissions: { defaultMode: permissionMode } }] as const]),
    ...(preset === undefined ? [] : [['--preset', { preset }] as const]),
  ];
}

/** Our own settings say whether those of `.claude/` are wanted. */
async function judgeClaudeToo(
  { sheets }: Sources,
  context: { readonly trusted: boolean; readonly knownKeys: readonly string[] },
): Promise<Judged> {
  const judged = await judgeSheets(sheets, context);
  if (wantsClaude(judged.counted)) return judged;
  return judgeSheets(
    sheets.filter(({ dialect }) => dialect !== 'claude'),
    context,
  );
}

interface Known {
  readonly trust: Trust;
  readonly book: TrustBook;
  readonly sources: Sources;
  readonly judged: Judged;
  readonly tools: readonly string[];
  readonly ground: PluginGround;
}

function settingsOf(options: ReadOptions, { folder, repository }: ProjectFolder, known: Known): Settings {
  const { trust, book, sources, judged } = known;
  const { counted, left } = judged;
  const values = mergeValues(counted);
  const { rules, problems } = rulesOf(counted, left, sources.sheets, known.tools, ({ by }) => by === 'managed' && hasLostWords(judged));
  const { ignored, ...chosen } = pluginChoices(counted, known.ground);
  const environment = options.environment ?? process.env;
  const ownEnv = ownVariables(counted);
  const lookupIn = (env: Readonly<Record<string, string>>) => (name: string) => (Object.hasOwn(env, name) ? env[name] : environment[name]);
  const denied = allItems(counted, 'deniedMcpServers').map(({ value }) => value as ServerMatch);
  const allowed = values['allowedMcpServers'] as readonly ServerMatch[] | undefined;
  // A policy holds whichever of the values a definition is filled with; one that cannot be read may have forbidden any server.
  const refusal = (server: string, definition: unknown) =>
    unreadPolicy(sources, judged) ??
    policyRefusal(server, definition, { allowed, denied }, lookupIn(ownEnv)) ??
    policyRefusal(server, definition, { allowed, denied }, lookupIn(values.env));
  const alive = inOrder(sources, [...counted, ...left.filter(({ until }) => until === 'trust')]);
  const context = {
    project: folder,
    trusted: trust.kind === 'trusted',
    approvals: openApprovals(options.home),
    refusal,
    variables: { repository: values.env, own: ownEnv },
    supplied: suppliedBy(alive),
  };
  const [byKey, leftByKey] = [groupByKey(counted), groupByKey(left)];
  const keys = [...new Set([...byKey.keys(), ...leftByKey.keys()])].sort(byCodeUnit);
  return {
    project: { folder, root: repository?.root, trust },
    layers: sources.layers,
    values,
    ownEnv,
    rules,
    servers: serversOf(alive, options.flags?.servers ?? [], context),
    ...chosen,
    problems: [...brokenRecords(options.home), ...sources.problems, ...judged.problems, ...problems],
    ignored: [
      ...sources.ignored,
      ...ignored,
      ...left.map(({ key, place, until, why }) => ({ what: { kind: 'value' as const, key }, place, until, why })),
    ],
    keys,
    explain: (key) =>
      keys
        .filter((each) => isBelow(each, keyOf(pathOf(key) ?? [key])) || isBelow(each, key) || isBelow(withDots(each), key))
        .map((each) => explainKey(each, byKey.get(each) ?? [], leftByKey.get(each) ?? [])),
    trusted: (path) => book.check(path).kind === 'trusted',
    refusal,
  };
}

function unreadPolicy({ layers }: Sources, judged: Judged): string | undefined {
  const unread = layers.some(({ name, state }) => name === 'managed' && (state.kind === 'left' || state.kind === 'broken'));
  return unread || hasLostWords(judged) ? 'the policy of the organisation cannot be read, and no server starts until it can' : undefined;
}

/** Does something of the policy not count because of how it is written? Nobody knows what else it was to forbid. */
function hasLostWords({ problems }: Judged): boolean {
  return problems.some(({ costs, place }) => place.layer === 'managed' && costs === 'restriction');
}

function isBelow(key: string, above: string): boolean {
  return above === '' || key === above || key.startsWith(`${above}.`) || key.startsWith(`${above}[`);
}

/** As somebody would type a name with a dot in it. */
function withDots(key: string): string {
  return key.replace(/\["([^"\\]*)"\]/g, '.$1');
}

/** The variables nobody but the person or an administrator has set: highest first, the first counts. */
function ownVariables(entries: readonly Entry[]): Readonly<Record<string, string>> {
  const own = entries.filter(({ path: [area], sheet }) => area === 'env' && sheet.by !== 'repository');
  const pairs = own.flatMap(({ path: [, name], value }) =>
    name !== undefined && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return Object.fromEntries(pairs.reverse());
}

/** The variables of which the highest value is the repository's. */
function suppliedBy(entries: readonly Entry[]): Readonly<Record<string, string>> {
  const highest = new Map<string, Entry>();
  for (const entry of entries) {
    const [area, name] = entry.path;
    if (area === 'env' && name !== undefined && !highest.has(name)) highest.set(name, entry);
  }
  return Object.fromEntries(
    [...highest].flatMap(([name, { value, sheet }]) => (sheet.by === 'repository' && typeof value === 'string' ? [[name, value]] : [])),
  );
}

function inOrder({ sheets }: Sources, entries: readonly Entry[]): readonly Entry[] {
  return sheets.flatMap((sheet) => entries.filter((entry) => entry.sheet === sheet));
}

/** Records of the host's own that cannot be read: nothing they say counts. */
function brokenRecords(home: string): readonly Problem[] {
  return ['trust.json', 'approvals.json'].flatMap((name): readonly Problem[] => {
    const source = join(home, name);
    const state = readState(source);
    return state.kind === 'ok' ? [] : [{ costs: 'value', error: state.error, place: { layer: 'user', source } }];
  });
}

/** The first problem that must stop a run with nobody at it: a deny or an ask may have been lost. */
export function stopsHeadless({ problems }: Settings): PegboardError | undefined {
  return problems.find(({ costs }) => costs === 'restriction')?.error;
}
