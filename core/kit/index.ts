/** Small pieces that know no tool, plugin or model: `pegboard/kit`. Heavy packages behind them load when first used. */
export { jsonSchema } from './json-schema.ts';
export type { CheckedSchema, Complaint } from './json-schema.ts';
export { isWithin, openWorkspace } from './workspace.ts';
export type { Workspace } from './workspace.ts';
export { updateFile, writeFileAtomic } from './atomic-file.ts';
export { parseJsonc } from './jsonc.ts';
export type { ParsedJsonc } from './jsonc.ts';
export { expandPlaceholders } from './placeholders.ts';
export type { Expanded } from './placeholders.ts';
export { ProcessGroups } from './process-group.ts';
export type { GroupMember, Launch, ProcessEnd } from './process-group.ts';
export { ProcessLedger } from './process-ledger.ts';
export { openSecrets, systemKeyring } from './secrets.ts';
export type { Keyring } from './secrets.ts';
export { openUrl } from './open-url.ts';
export type { OpenedUrl } from './open-url.ts';
