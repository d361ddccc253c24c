import { judgeInstallSource, judgeSavedRule } from 'pegboard/builtin-plugins';
import { judgeArchiveEntry, judgeUrlToOpen, type ArchiveEntry, type Judgement } from 'pegboard/kit';
import { judgeCallback, judgeName, judgeRequest, judgeSessionMessage, judgeToken, judgeVariable } from 'pegboard/mcp';
import { judgeConnect, judgeSetting, judgeTrust, type ConnectFacts, type SettingFacts } from 'pegboard/settings';

import type { PermissionCase } from '../permission-case.ts';

/** The input of a case, read member by member: a member of another type counts as not there. */
interface Facts {
  text(name: string): string | undefined;
  flag(name: string): boolean;
  texts(name: string): readonly string[] | undefined;
  value(name: string): unknown;
}

/** What stands for a host's decision in a file of cases, and the function that makes it (docs/permissions.md). */
const DECISIONS: Readonly<Record<string, (facts: Facts, row: PermissionCase) => Judgement>> = {
  'mcp.connect': (facts, { ctx }) =>
    judgeConnect({
      server: facts.text('server') ?? '',
      scope: scopeOf(facts.text('scope')),
      workspaceTrusted: facts.flag('workspaceTrusted'),
      approved: facts.flag('approved'),
      approvalSource: approverOf(facts.text('approvalSource')),
      approvedConfigHash: facts.text('approvedConfigHash'),
      configHash: facts.text('configHash'),
      approvedToolsHash: facts.text('approvedToolsHash'),
      toolsHash: facts.text('toolsHash'),
      changed: facts.texts('changed'),
      disabledByManaged: facts.flag('disabledByManaged'),
      headless: facts.flag('headless') || ctx?.headless,
    }),
  'mcp.registerTool': (facts) =>
    judgeName({
      server: facts.text('server') ?? '',
      advertisedName: facts.text('advertisedName') ?? '',
      exposedPrefix: facts.text('exposedPrefix'),
    }),
  'mcp.httpRequest': (facts) =>
    judgeRequest({
      listen: facts.text('listen') ?? '',
      host: facts.text('host'),
      origin: facts.text('origin'),
      token: tokenOf(facts.value('token')),
    }),
  'mcp.openAuthUrl': (facts) => judgeUrlToOpen(facts.text('url') ?? ''),
  'mcp.oauthCallback': (facts) =>
    judgeCallback({
      state: facts.text('state'),
      expectedState: facts.text('expectedState'),
      issuer: facts.text('issuer'),
      expectedIssuer: facts.text('expectedIssuer'),
    }),
  'mcp.useToken': (facts) =>
    judgeToken({ server: facts.text('server') ?? '', tokenAudience: facts.texts('tokenAudience') ?? facts.text('tokenAudience') ?? [] }),
  'mcp.sessionMessage': (facts) =>
    judgeSessionMessage({
      sessionId: facts.text('sessionId') ?? '',
      caller: facts.text('caller'),
      owner: facts.text('owner'),
      predictable: facts.flag('predictable'),
    }),
  'mcp.spawnEnv': (facts, { ctx }) =>
    judgeVariable({
      name: facts.text('name') ?? '',
      declaredForServer: facts.flag('declaredForServer'),
      windows: ctx?.platform === 'win32',
    }),
  'settings.apply': (facts) =>
    judgeSetting({
      key: facts.text('key') ?? '',
      value: facts.value('value'),
      source: sourceOf(facts.text('source')),
      trusted: facts.flag('trusted'),
      managed: policyOf(facts.value('managed')),
      ownerIsAdmin: facts.flag('ownerIsAdmin'),
      trackedInGit: facts.flag('trackedInGit'),
      configDirIsSymlink: facts.flag('configDirIsSymlink'),
    }),
  'trust.check': (facts, { ctx }) =>
    judgeTrust({
      folder: facts.text('folder') ?? '',
      realpath: facts.text('realpath'),
      repoRoot: facts.text('repoRoot'),
      gitCommonDir: facts.text('gitCommonDir'),
      worktreeRegisteredInMain: facts.flag('worktreeRegisteredInMain'),
      home: facts.text('home'),
      trusted: facts.texts('trusted'),
      accepted: facts.flag('accepted'),
      nextSession: facts.flag('nextSession'),
      headless: facts.flag('headless') || ctx?.headless,
    }),
  'permission.saveRule': (facts) => judgeSavedRule({ rule: facts.text('rule') ?? '', fromCommand: facts.text('fromCommand') }),
  'plugin.extractEntry': (facts) =>
    judgeArchiveEntry({
      name: facts.text('name') ?? '',
      type: entryTypeOf(facts.text('type') ?? 'file'),
      target: facts.text('target'),
      parentIsSymlink: facts.flag('parentIsSymlink'),
    }),
  'plugin.installSource': (facts) => judgeInstallSource(facts.text('source') ?? ''),
};

/** The decision a case asks for, if it is one of the host's own and no call of a tool. */
export function judgeHostCase(row: PermissionCase): Judgement | undefined {
  return Object.hasOwn(DECISIONS, row.tool) ? DECISIONS[row.tool]?.(factsOf(row.input), row) : undefined;
}

function factsOf(input: unknown): Facts {
  const given = typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const value = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined);
  return {
    value,
    text: (name) => (typeof value(name) === 'string' ? (value(name) as string) : undefined),
    flag: (name) => value(name) === true,
    texts: (name) => {
      const list = value(name);
      return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : undefined;
    },
  };
}

type Source = SettingFacts['source'];

/** Layers go by several names; what nobody knows counts as brought by the repository. */
function sourceOf(name = ''): Source {
  const found = /^(managed|policy|cli|flag|local|user|project)/i.exec(name)?.[1]?.toLowerCase();
  const others: Readonly<Record<string, Source>> = {
    managed: 'managed',
    policy: 'managed',
    cli: 'cli',
    flag: 'cli',
    local: 'local',
    user: 'user',
  };
  return others[found ?? ''] ?? 'project';
}

function approverOf(name: string | undefined): ConnectFacts['approvalSource'] {
  if (name === undefined) return undefined;
  return sourceOf(name) === 'project' ? 'repo' : 'user';
}

function scopeOf(name: string | undefined): ConnectFacts['scope'] {
  return name === 'plugin' ? 'plugin' : sourceOf(name);
}

function policyOf(value: unknown): SettingFacts['managed'] {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}

function tokenOf(value: unknown): 'valid' | 'missing' | 'wrong' {
  if (value === undefined || value === null || value === 'missing') return 'missing';
  return value === 'valid' || value === 'ok' ? 'valid' : 'wrong';
}

function entryTypeOf(type: string): ArchiveEntry['type'] {
  return (['file', 'dir', 'symlink', 'hardlink'] as const).find((each) => each === type) ?? 'other';
}
