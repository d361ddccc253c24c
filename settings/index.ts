/** Configuration: found, layered, checked, explained, written back; and what of it may run. */
export { readSettings, stopsHeadless } from './read-settings.ts';
export type { Flags, FoundServer, Mode, PlacedRule, Project, ReadOptions, ServerMatch, Settings, SettingsValues } from './read-settings.ts';
export type { Explanation } from './explain.ts';
export { placeText } from './layer.ts';
export type { Ignored, Judgement, Layer, LayerName, Place, Problem } from './layer.ts';
export { judgeTrust, openTrust } from './trust.ts';
export type { Acceptance, Trust, TrustBook, TrustFacts } from './trust.ts';
export { definitionHash, openApprovals } from './approvals.ts';
export type { ApprovalBook } from './approvals.ts';
export { changeSettings, settingsFile } from './write.ts';
export type { SettingChange, WriteOutcome } from './write.ts';
export { driftOf, driftText, lockOf, readLock, writeLock } from './lock-file.ts';
export type { Drift, Lock, LockedServer, Observed } from './lock-file.ts';
export { watchSettings } from './watch.ts';
export type { LiveSettings, SettingsNews } from './watch.ts';
export { judgeConnect, judgeSetting, maskSecrets } from './judge.ts';
export type { ConnectFacts, SettingFacts } from './judge.ts';
