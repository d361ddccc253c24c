/** The public surface of `pegboard`, named one by one; `test/rules/surface.test.ts` pins it. */
export { createHost } from './host.ts';
export type { Host, HostEvent, PluginReport } from './host.ts';
export type { HostOptions, TurnOptions } from './host-options.ts';
export { Session } from './session.ts';
export type { CallEvent } from './session.ts';
export type { SessionOptions } from './session-host.ts';
export type { Reminder, ReminderPlace, Snapshot } from './reminders.ts';
export type { RunEvent, RunOptions } from './loop.ts';
export type { Compaction, CompactionRequest, Compactor } from './compaction.ts';
export type { Journal, OpenJournal, SavedSession, SessionRecord } from './journal.ts';
export { restore } from './restore.ts';
export type { Restored } from './restore.ts';

export { defineTool, errorResult, firstSentence, textResult } from './tool.ts';
export type {
  CallWorkspace,
  Icon,
  Provision,
  Resource,
  Tool,
  ToolAnnotations,
  RuleMatcher,
  ToolContext,
  ToolDefinition,
  ToolKind,
  ToolResult,
  ToolSpec,
  TurnFacts,
} from './tool.ts';
export type { Display, ToolDisplay } from './display.ts';
export type { InputSchema, JsonSchema, JsonValue, LooseObjectSchema, ObjectSchema, Parsed, SchemaIssue, StandardSchema } from './schema.ts';
export { defineState } from './state.ts';
export type { SavedForm, StateSlot } from './state.ts';

export { definePlugin } from './plugin.ts';
export type { Plugin, PluginScope, Secrets } from './plugin.ts';
export { loadOrder } from './load-order.ts';
export type {
  AgentFolder,
  CommandFolder,
  CommandOffer,
  CommandPlace,
  CommandText,
  Contributions,
  HookConfig,
  Mention,
  MentionOffer,
  Packed,
  Point,
  ServerOffer,
  SkillFolder,
} from './points.ts';
export { HookBus } from './hooks.ts';
export type {
  CallBefore,
  CallEnd,
  DecideHooks,
  HookAnswer,
  HookHandlers,
  HookTrace,
  NoteHook,
  NotifyHooks,
  TerminalReason,
  ToolCall,
  TransformHooks,
  Verdict,
} from './hooks.ts';

export { Registry } from './registry.ts';
export type { Source, SourceFacts, SourceNote, SourceStatus } from './registry.ts';
export { assemblePool } from './pool.ts';
export type { Place, Pool, Preset, Turn } from './pool.ts';
export type { DeferralMode, DeferralPolicy } from './deferral.ts';
export { Epoch } from './disclosure.ts';
export type { Disclosure, EpochStart, NewlyDisclosed } from './disclosure.ts';
export { announce, oneLine } from './announcement.ts';
export type { News } from './announcement.ts';
export { bytesReadAgain, compareReceipts, takeReceipt } from './receipts.ts';
export type { Receipt, ReceiptChange, Segment } from './receipts.ts';
export { estimateTokens, wireBytes, wireTool } from './wire.ts';
export type { WireTool } from './wire.ts';
export { ToolIndex } from './search/index.ts';
export type { SearchAnswer, SearchMatch, SearchOptions, Verdict as SearchVerdict } from './search/index.ts';
export type { RankingWeights } from './search/weights.ts';
export type { RerankCandidate, Reranker, SearchEvidence } from './search/aids.ts';
export type { Explanation as MatchExplanation, TermMatch } from './search/explanation.ts';
export { revealed } from './search/revealed.ts';

export { headlessAsker, libraryAsker } from './asker.ts';
export type { Asker, ChoiceAnswer, ChoiceQuestion, Elicitation, ElicitationAnswer, PermissionAnswer, PermissionQuestion } from './asker.ts';
export { MODES, reasonText } from './permission/decision.ts';
export type { CallPart, CallParts, FilePlace, PartFile } from './permission/call-part.ts';
export type { Allow, Ask, Decision, Deny, Guard, Judged, Mode, Opinion, Reason, RuleSource } from './permission/decision.ts';
export { shadowedRules } from './permission/shadowed-rules.ts';
export type { ShadowedRule } from './permission/shadowed-rules.ts';
export { matchRule, parseRule, whenComplaint } from './permission/rule.ts';
export type { Rule, RuleList, RuleOrigin, RulePart, RuleWhen } from './permission/rule.ts';
export type { ConsideredRule, Explanation as DecisionExplanation } from './permission/explain.ts';
export { PROTECTED_FILES, PROTECTED_FOLDERS } from './permission/protected-paths.data.ts';
export { matchHost, readHost } from './permission/host-pattern.ts';
export type { Classifier, RuleScope } from './permission/ask.ts';
export type { Outcome } from './schedule/call.ts';
export type { Settled } from './schedule/batch.ts';
export type { ResultStore } from './results/store.ts';
export type { BackgroundTask, BackgroundTasks, TaskState } from './background.ts';

export { textOf } from './message.ts';
export type {
  AssistantBlock,
  EndpointBlock,
  ImageBlock,
  Message,
  ResultBlock,
  TextBlock,
  ThinkingBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './message.ts';
export type { Model, ModelEvent, ModelRequest, StopReason, Strategy, Usage } from './model.ts';

export { PegboardError, causeText, errorTable } from './errors.ts';
export type { Blame, ErrorCode } from './errors.ts';
export { nearest } from './nearest.ts';
export { matchWildcard, wildcardsMeet } from './wildcard.ts';
