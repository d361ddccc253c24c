import type { Plugin, Preset } from 'pegboard';

import { audit } from './audit/index.ts';
import { files } from './files/index.ts';
import { people } from './people/index.ts';
import { search } from './search/index.ts';
import { transcripts } from './sessions/index.ts';
import { surroundings } from './surroundings/index.ts';
import { tasks } from './tasks/index.ts';
import { shell, type ShellParts } from './shell/index.ts';
import { web } from './web/index.ts';

export { systemPrompt } from './surroundings/index.ts';
export { agentDefinitions, agents } from './agents/index.ts';
export type { AgentDefinition, AgentDefinitions, AgentInput, AgentShelf, StartAgent } from './agents/index.ts';
export { commandHooks, labelOf } from './command-hooks/index.ts';
export type { CommandHooks, Considered, Hook, HookPorts } from './command-hooks/index.ts';
export { commands } from './commands/index.ts';
export type { Commands, PromptPlace, ReadPrompt } from './commands/index.ts';
export { judgeInstallSource } from './folder/install-source.ts';
export type { Catalogue, CatalogueEntry, PackedContents, PackedProblem, PackedSource, PackedUse, ReadPacked } from './folder/index.ts';
export { auditFolder, followRecords, readRecords, wasAsked } from './audit/index.ts';
export type { AuditInput, AuditRecord, RecordPage } from './audit/index.ts';
export { modelClassifier } from './classifier/index.ts';
export { anthropicModel, credentialFrom, EndpointMemory, USUAL_MODEL } from './models/anthropic.ts';
export type { AnthropicOptions, Credential } from './models/anthropic.ts';
export { offlineModel } from './models/offline.ts';
export { examineSandbox } from './shell/sandbox/examine.ts';
export type { SandboxReport } from './shell/sandbox/examine.ts';
export type { Sandbox, SandboxRules, ShellParts } from './shell/index.ts';
export { judgeSavedRule } from './shell/saved-rule.ts';
export type { SavedRule } from './shell/saved-rule.ts';
export { searchHistory } from './search/index.ts';
export { findSession, forkSession, listSessions, openSaved, readSession, removeSession } from './sessions/index.ts';
export type { KeptSession } from './sessions/index.ts';
export { taskList, taskPanel } from './tasks/index.ts';

/** Packed folders: what reads them, puts them up and unpacks them. Loaded when first asked for: many a host has none. */
export const packedFolders = () => import('./folder/index.ts');

/** Smaller pools by name (M2.4): `bare` is shell, read and edit. */
export const presets = {
  bare: { name: 'bare', kinds: ['shell', 'read', 'edit'] },
} as const satisfies Readonly<Record<string, Preset>>;

/** The plugins every host begins with, in order. Nothing heavy loads before a tool is used. */
export function builtinPlugins(parts: { readonly shell?: ShellParts | undefined } = {}): readonly Plugin[] {
  return [files(), shell(parts.shell), search(), web(), people(), audit(), transcripts(), tasks(), surroundings()];
}
