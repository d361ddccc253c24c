import { posix } from 'node:path';

import {
  createHost,
  definePlugin,
  errorResult,
  MODES,
  parseRule,
  type Host,
  type HookHandlers,
  type HostOptions,
  type Mode,
  type Plugin,
  type Rule,
  type RuleList,
  type RuleSource,
} from 'pegboard';
import { agents, builtinPlugins, type Sandbox } from 'pegboard/builtin-plugins';
import type { Disk } from 'pegboard/kit';
import { listedSources, type ListedSource } from 'pegboard/mcp';
import { readWrittenRule, standIn } from 'pegboard/settings';

import type { CaseContext, CaseHook, CaseRule, CaseServer, PermissionCase } from './permission-case.ts';

/** What a case plays on. */
export interface Ground {
  readonly userHome: string;
  /** The host's own folder. */
  readonly home: string;
  readonly project: string;
  readonly disk: Disk | undefined;
  readonly builtins: readonly Plugin[];
  /** Whether the tool of this name is among them. */
  has(tool: string): boolean;
}

/** The machine that cases speak of where they do not say otherwise. */
function imagined(ctx: CaseContext): Ground {
  return {
    userHome: '/home/dev',
    home: '/home/dev/.pegboard',
    project: '/repo/app',
    disk: diskOf(ctx),
    builtins: [
      ...builtinPlugins({ shell: { imagined: true, sandbox: sandboxOf(ctx) } }),
      agents(async () => errorResult('nothing runs in a trial')),
    ],
    has: () => false,
  };
}

/** A host as a case describes it: its disk, its rules, its server, its hook. Nothing in it is real, so nothing can happen. */
export interface Scene {
  readonly host: Host;
  /** The name of the case's tool in this host's pool. */
  readonly tool: string;
  readonly agent: string;
  readonly mode: Mode;
}

/** Sets a case up. The caller closes the host. */
export async function openScene(row: PermissionCase, ground: Ground = imagined(row.ctx ?? {})): Promise<Scene> {
  const { ctx = {}, cwd = ground.project } = row;
  const set = ground.has(row.tool) ? undefined : serverSet(row);
  const mode = modeOf(row);
  const rules = rulesOf(row, cwd, ground);
  const options: HostOptions = {
    builtins: ground.builtins,
    plugins: [
      ...(set ? [serverPlugin(set.sets)] : []),
      ...(ctx.hook ? [definePlugin({ name: 'case-hook', hooks: hookOf(ctx.hook, row) })] : []),
    ],
    cwd,
    home: ground.home,
    guarded: ['/etc/pegboard'],
    userHome: ground.userHome,
    disk: ground.disk,
    headless: isHeadless(ctx),
    turn: () => ({
      rules,
      mode,
      disabledModes: [ctx.policy, ctx.hook?.policy].some((policy) => policy?.disableBypassPermissionsMode !== undefined)
        ? ['bypassPermissions']
        : [],
      // Where the session stands does not move the project.
      additionalDirectories: [...(isIn(ground.project, cwd) ? [ground.project] : []), ...(ctx.additionalDirectories ?? [])],
      branch: ctx.branch,
      trustedSources: set && ctx.mcp?.trusted ? [set.owner] : [],
    }),
  };
  const host = await createHost(options);
  return { host, tool: set?.tool ?? row.tool, agent: ctx.agent?.type ?? 'main', mode };
}

/** Whether a case has nobody who could answer. */
export function isHeadless({ headless, agent }: CaseContext): boolean {
  // What runs in the background has nobody before it.
  return headless === true || agent?.headless === true || agent?.background === true;
}

/** A definition of an agent narrows the mode of whoever starts it and never widens it. */
function modeOf({ mode, ctx }: PermissionCase): Mode {
  const wished = ctx?.agent?.definitionMode;
  const narrower = wished === 'plan' || wished === 'dontAsk' ? wished : mode;
  return MODES.find((each) => each === narrower) ?? 'default';
}

const SOURCES: Readonly<Record<string, RuleSource>> = {
  usersettings: 'user',
  user: 'user',
  projectsettings: 'project',
  project: 'project',
  localsettings: 'local',
  local: 'local',
  policysettings: 'policy',
  managedsettings: 'policy',
  managed: 'policy',
  policy: 'policy',
  cliarg: 'cli',
  cli: 'cli',
  flagsettings: 'cli',
  session: 'session',
  command: 'command',
  feature: 'feature',
};

function rulesOf({ rules = {}, ctx }: PermissionCase, cwd: string, { home, project }: Ground): readonly Rule[] {
  const source = SOURCES[(ctx?.ruleSource ?? 'project').toLowerCase()] ?? 'project';
  const folders: Partial<Record<RuleSource, string>> = { user: home, policy: '/etc/pegboard', cli: cwd, session: cwd };
  const folder = folders[source] ?? (isIn(project, cwd) ? project : cwd);
  return (['allow', 'ask', 'deny'] as const).flatMap((list) => (rules[list] ?? []).flatMap((text) => ruleOf(text, list, source, folder)));
}

function isIn(project: string, cwd: string): boolean {
  return `${posix.resolve(cwd)}/`.startsWith(`${project}/`);
}

/** As the settings have it: a grant that cannot be read is left out, a restriction asks. */
function ruleOf(written: CaseRule, list: RuleList, source: RuleSource, folder: string): readonly Rule[] {
  const read = readWrittenRule(written);
  if (list === 'allow' && (read === undefined || read.complaint !== undefined)) return [];
  if (read === undefined) return [standIn('*', source)];
  const { rule: text, when, reason: why } = read;
  try {
    return [parseRule(text, list, source, { folder, when, why })];
  } catch {
    return list === 'allow' ? [] : [{ ...standIn(text, source), text }];
  }
}

function diskOf({ fs = {}, platform = 'linux' }: CaseContext): Disk {
  const links = new Map(Object.entries(fs.symlinks ?? {}).map(([path, target]) => [path.replace(/\/$/, ''), target]));
  return {
    windows: platform === 'win32',
    ignoresCase: fs.caseInsensitive ?? platform !== 'linux',
    readLink: async (path) => links.get(path),
    isPlain: async () => links.size === 0,
    list: async (folder) => {
      const below = [...links.keys()].flatMap((path) => (path.startsWith(`${folder.replace(/\/$/, '')}/`) ? [path] : []));
      const steps = below.map((path) => posix.relative(folder, path).split('/'));
      return steps.map(([name = '', ...more]) => ({ name, isLink: more.length === 0 }));
    },
  };
}

/** Nothing runs in a case, so all there is of its sandbox is what it would be. */
function sandboxOf({ sandbox = {} }: CaseContext): Sandbox {
  const { enabled = false, autoAllow = true, available = true, failIfUnavailable = false } = sandbox;
  return {
    rules: async () => ({
      mode: !enabled ? 'off' : failIfUnavailable ? 'required' : 'on',
      autoAllow,
      mayLeave: sandbox.allowUnsandboxedCommands ?? true,
      excluded: sandbox.excludedCommands ?? [],
      missing: available ? undefined : 'the sandbox is not available',
    }),
    open: async () => ({ kind: 'refused', why: 'nothing runs in a case' }),
    close: async () => undefined,
  };
}

interface ServerScene {
  readonly sets: readonly ListedSource[];
  readonly owner: string;
  readonly tool: string;
}

/** The server of a case, named or read off the tool's name, and the one its name collides with. */
function serverSet({ tool, ctx }: PermissionCase): ServerScene | undefined {
  const [, server, name] = /^mcp__((?:(?!__).)+)__(.+)$/s.exec(tool) ?? [];
  const about: CaseServer | undefined = ctx?.mcp ?? (server === undefined || name === undefined ? undefined : { server, tool: name });
  if (about === undefined) return undefined;
  const own = { name: about.tool, inputSchema: { type: 'object' }, annotations: about.annotations, _meta: metaOf(about) };
  const twin = about.collidesWith;
  const other = twin && { name: twin.tool, inputSchema: { type: 'object' } };
  const servers =
    twin?.server === about.server
      ? [{ server: about.server, tools: [own, other] }]
      : [{ server: about.server, tools: [own] }, ...(twin ? [{ server: twin.server, tools: [other] }] : [])];
  const sets = listedSources(servers);
  const set = sets[0];
  return set && { sets, owner: set.owner, tool: set.names.get(about.tool) ?? tool };
}

function metaOf({ requiresUserInteraction }: CaseServer): object {
  return requiresUserInteraction ? { 'anthropic/requiresUserInteraction': true } : {};
}

function serverPlugin(sets: readonly ListedSource[]) {
  return definePlugin({
    name: 'case-servers',
    setup: (scope) => {
      for (const { owner, names: _names, ...set } of sets) scope.provideFrom(owner, set);
    },
  });
}

/** A hook of another program: exit code 2 denies, any other that is not 0 says nothing, and one that ends by itself failed. */
function hookOf(hook: CaseHook, { id }: PermissionCase): HookHandlers {
  return {
    'tool.before': () => {
      if (hook.crashed || hook.timedOut) throw new Error(`the hook of ${id} gave no answer`);
      if (hook.exitCode === 2) return { kind: 'deny', reason: 'exit code 2' };
      if (hook.exitCode !== undefined && hook.exitCode !== 0) return undefined;
      const { updatedInput: input } = hook;
      return {
        kind: hook.decision ?? 'none',
        reason: `the hook of the case says ${hook.decision ?? 'nothing'}`,
        ...(input === undefined ? {} : { input }),
      };
    },
  };
}
