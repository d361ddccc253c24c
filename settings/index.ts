/** Configuration: found, layered, checked, explained, written back; and what of it may run. */
export { readSettings, stopsHeadless } from './read-settings.ts';
export type { Flags, ReadOptions, Settings } from './read-settings.ts';
export { placeText } from './layer.ts';
export type { Ignored, Judgement, Layer, LayerName, Place, Problem } from './layer.ts';
export type { ManagedFile } from './managed-file.ts';
export type { Explanation, Loser, SettingsValues } from './merge.ts';
export type { Mode } from 'pegboard';
export { standIn } from './rules.ts';
export type { PlacedRule } from './rules.ts';
export type { FoundServer, ServerState } from './servers.ts';
export type { ServerMatch } from './server-match.ts';
export { judgeTrust, openTrust } from './trust.ts';
export type { Acceptance, Trust, TrustBook, TrustFacts } from './trust.ts';
export { definitionHash, openApprovals } from './approvals.ts';
export type { ApprovalBook } from './approvals.ts';
export { keyOf, pathOf } from './entry.ts';
export { settingsFile } from './settings-file.ts';
export type { SettingChange, WriteOutcome } from './write.ts';
export { driftOf, driftText, lockOf, readLock, writeLock } from './lock-file.ts';
export type { Drift, Lock, LockedServer, Observed } from './lock-file.ts';
export type { LiveSettings, SettingsNews } from './watch.ts';
export { judgeDrift } from './judge-drift.ts';
export { judgeConnect } from './judge-connect.ts';
export type { ConnectFacts } from './judge-connect.ts';
export { judgeSetting } from './judge-setting.ts';
export type { SettingFacts, SettingJudgement } from './judge-setting.ts';
export { readWrittenRule } from './written-rule.ts';
export { maskSecrets } from './mask-secrets.ts';
export type { OtherFileRead, OtherServer, OtherServers } from './import.ts';
export type { OtherHost, OtherPlace } from './other-hosts.data.ts';

// What only some commands need is loaded when it is first used: every module costs a start about as much as a small file read.
type Writing = typeof import('./write.ts');
type Watching = typeof import('./watch.ts');
type Importing = typeof import('./import.ts');

/** Changes a file of settings in one step; see `write.ts`. */
export const changeSettings: Writing['changeSettings'] = async (...given) => (await import('./write.ts')).changeSettings(...given);
/** Follows the files of the settings; see `watch.ts`. */
export const watchSettings: Watching['watchSettings'] = async (...given) => (await import('./watch.ts')).watchSettings(...given);
/** Reads the servers of another host; see `import.ts`. */
export const readOtherHost: Importing['readOtherHost'] = async (...given) => (await import('./import.ts')).readOtherHost(...given);
