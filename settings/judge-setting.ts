import { variableEffect } from 'pegboard/kit';

import type { Ignored, Judgement } from './layer.ts';
import { isObject, ownAt } from './object.ts';

/** What is known of one value of one layer when it is decided whether it counts. */
export interface SettingFacts {
  /** With dots: `permissions.allow`, `env.PATH`. A value that is an object is judged by all that is in it. */
  readonly key: string;
  readonly value?: unknown;
  readonly source: 'managed' | 'cli' | 'local' | 'project' | 'user';
  /** Is the folder trusted? */
  readonly trusted?: boolean | undefined;
  /** Values of the organisation's policy. */
  readonly managed?: Readonly<Record<string, unknown>> | undefined;
  /** Does the policy file belong to the administrator alone? */
  readonly ownerIsAdmin?: boolean | undefined;
  /** A local file that the repository could have brought is the repository's. */
  readonly trackedInGit?: boolean | undefined;
  readonly configDirIsSymlink?: boolean | undefined;
}

/** A judgement that says what would change it. */
export type SettingJudgement = Judgement & { readonly until?: Ignored['until'] | undefined };

/** Does this layer's value count? (permissions.md, statements 52 and 54) */
export function judgeSetting(facts: SettingFacts): SettingJudgement {
  const { key, value } = facts;
  const inside = isObject(value) && GROUPS.has(key.split('.')[0] ?? '') ? Object.entries(value) : [];
  const members = inside.map(([name, each]) => judgeSetting({ ...facts, key: `${key}.${name}`, value: each }));
  return members.find(({ kind }) => kind !== 'allow') ?? members[0] ?? judgeLeaf(facts);
}

/** The first rule that has something to say; what nobody objects to counts. */
function judgeLeaf(facts: SettingFacts): SettingJudgement {
  if (facts.source === 'managed') return judgePolicyFile(facts);
  return policyRefuses(facts) ?? (suppliedByRepository(facts) ? judgeRepository(facts) : ownLocal(facts)) ?? COUNTS;
}

const COUNTS: SettingJudgement = { kind: 'allow', why: 'nothing speaks against it' };
const GROUPS: ReadonlySet<string> = new Set(['permissions', 'env', 'sandbox', 'features', 'compat', 'hooks']);

function judgePolicyFile({ ownerIsAdmin }: SettingFacts): SettingJudgement {
  return ownerIsAdmin ? COUNTS : left('policy', 'the policy file does not belong to the administrator alone');
}

/** Keys only the organisation's policy may set. */
const POLICY_ONLY = /^(allowManaged\w*Only|strict\w+|blockedMarketplaces|disableSideloadFlags)$/;
const RULE_LISTS = /^(features\..+\.)?permissions\.(allow|ask|deny)$/;

function policyRefuses({ key, value, managed }: SettingFacts): SettingJudgement | undefined {
  if (POLICY_ONLY.test(key)) return left('policy', 'only the policy of an organisation may set it');
  if (RULE_LISTS.test(key) && managed?.['allowManagedPermissionRulesOnly'] === true)
    return left('policy', 'by the policy only its own rules count');
  if (key === 'permissions.defaultMode' && disabledModes(managed).includes(String(value)))
    return left('policy', `by the policy the mode ${String(value)} may not be chosen`);
  return undefined;
}

/** The modes a policy forbids, in either of its spellings. */
export function disabledModes(managed: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const listed = ownAt(managed, ['permissions', 'disabledModes']);
  const bypass = ownAt(managed, ['permissions', 'disableBypassPermissionsMode']) ?? managed?.['disableBypassPermissionsMode'];
  return [...(Array.isArray(listed) ? listed.map(String) : []), ...(bypass === 'disable' || bypass === true ? ['bypassPermissions'] : [])];
}

function suppliedByRepository({ source, trackedInGit, configDirIsSymlink }: SettingFacts): boolean {
  return source === 'project' || (source === 'local' && (trackedInGit === true || configDirIsSymlink === true));
}

/** What only takes away counts at once, also from a folder nobody trusts. */
export const RESTRICTS =
  /^(permissions|(features\..+\.)?permissions\.(deny|ask)|permissions\.(disabledModes|disableBypassPermissionsMode)|deniedMcpServers|disabledMcpjsonServers)$/;

/** What a repository never decides, trusted or not: approvals of its own servers, hooks of others, what takes questions away, what is written down about calls. */
const NEVER_FROM_REPOSITORY =
  /^(enableAllProjectMcpServers|enabledMcpjsonServers|allowedMcpServers|trustedMcpServers|pluginOptions\.(?:audit|shell)\b.*|pluginConfigs\b.*|disableAllHooks|hooks\.onFailure|skip\w*Prompt)$/;
const LOOSE_MODES: ReadonlySet<unknown> = new Set(['bypassPermissions', 'auto']);

function judgeRepository(facts: SettingFacts): SettingJudgement | undefined {
  const { key, value, trusted } = facts;
  if (RESTRICTS.test(key)) return undefined;
  if (NEVER_FROM_REPOSITORY.test(key)) return left('repository', 'a repository never decides this');
  if (key === 'permissions.defaultMode' && LOOSE_MODES.has(value)) return left('repository', `a repository never selects ${String(value)}`);
  if (key.split('.')[0] === 'sandbox' && !tightensSandbox(key, value)) return left('repository', 'a repository never loosens the sandbox');
  if (!trusted) return left('trust', 'the folder is not trusted');
  if (key.startsWith('env.') && leadsElsewhere(key.slice('env.'.length)))
    return left('repository', 'a repository never says what runs, or where requests, keys and telemetry go; set it in your own settings');
  return undefined;
}

/** That git does not track a file does not prove whose it is: whoever packs a folder may pack a `.git` with it. */
function ownLocal({ source, key, trusted }: SettingFacts): SettingJudgement | undefined {
  if (source !== 'local' || trusted || RESTRICTS.test(key)) return undefined;
  return left('trust', 'the folder is not trusted');
}

/** Variables that change what runs, or lead requests, keys and the loading of code elsewhere. */
function leadsElsewhere(name: string): boolean {
  return variableEffect(name) !== undefined || OF_HOSTS.test(name);
}

/** Ours, those of the clients of models, and what leads somewhere though its name is one of a secret. */
const OF_HOSTS =
  /^(PEGBOARD_|OTEL_EXPORTER_|(ANTHROPIC|CLAUDE)_.*(URL|KEY|TOKEN|HEADERS|ENDPOINT|DIR)$)|_(PROXY|BASE_URL|API_URL|ENDPOINT(_URL)?)$/i;

const TIGHTENS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['sandbox', 'required'],
  ['sandbox.enabled', true],
  ['sandbox.failIfUnavailable', true],
  ['sandbox.allowUnsandboxedCommands', false],
  ['sandbox.autoAllowBashIfSandboxed', false],
  ['sandbox.filesystem.denyRead', 'any'],
  ['sandbox.filesystem.denyWrite', 'any'],
  ['sandbox.network.deniedDomains', 'any'],
]);

function tightensSandbox(key: string, value: unknown): boolean {
  const wanted = TIGHTENS.get(key);
  return wanted === 'any' || (wanted !== undefined && wanted === value);
}

function left(until: Ignored['until'], why: string): SettingJudgement {
  return { kind: 'deny', until, why };
}
