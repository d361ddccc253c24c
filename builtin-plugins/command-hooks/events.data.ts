import type { HookHandlers } from 'pegboard';

/** What is known of one event of the format. */
export interface EventEntry {
  /** The hook of this host at which it happens; nothing where it never does. */
  readonly at?: keyof HookHandlers | undefined;
  /** The field of the event that a matcher is held against. */
  readonly matches?: string | undefined;
  /** Every value that field can have, where there are few. */
  readonly values?: readonly string[] | undefined;
  /** Whether a hook can keep something from happening: what fails then is not as if nothing were there. */
  readonly guards?: true | undefined;
  /** What of an answer can have an effect there. */
  readonly may?: readonly ('decision' | 'end' | 'input' | 'output' | 'context')[] | undefined;
  /** Whether plain output is told to the model. */
  readonly plain?: true | undefined;
  /** Seconds a command may take unless it says so itself. */
  readonly limit?: number | undefined;
}

const TOOL = { matches: 'tool_name' } as const;

/** The events of the format and their counterparts here (design 3.6). */
export const EVENTS: Readonly<Record<string, EventEntry>> = {
  PreToolUse: { ...TOOL, at: 'tool.before', guards: true, may: ['decision', 'end', 'input', 'context'] },
  PostToolUse: { ...TOOL, at: 'tool.after', may: ['decision', 'output', 'context'] },
  PostToolUseFailure: { ...TOOL, at: 'tool.failed', may: ['decision', 'output', 'context'] },
  PermissionRequest: { ...TOOL, at: 'permission.ask', guards: true, may: ['decision', 'end', 'input'] },
  PermissionDenied: { ...TOOL, at: 'permission.denied' },
  PostToolBatch: { at: 'batch.end' },
  UserPromptSubmit: { at: 'prompt.submit', plain: true, limit: 30, may: ['decision', 'end', 'context'] },
  SessionStart: {
    at: 'session.start',
    matches: 'source',
    values: ['startup', 'resume', 'clear', 'compact', 'fork'],
    plain: true,
    may: ['context'],
  },
  SessionEnd: { at: 'session.end', matches: 'reason', values: ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'], limit: 60 },
  Stop: { at: 'turn.end', may: ['decision', 'end'] },
  SubagentStart: { matches: 'agent_type' },
  SubagentStop: { matches: 'agent_type' },
  PreCompact: { matches: 'trigger', values: ['manual', 'auto'] },
  PostCompact: { matches: 'trigger', values: ['manual', 'auto'] },
  Notification: { matches: 'notification_type' },
  UserPromptExpansion: { matches: 'command_name' },
  StopFailure: { matches: 'error' },
  PreModelSwitch: {},
  PostModelSwitch: {},
  Setup: { matches: 'trigger', values: ['init', 'maintenance'] },
  TeammateIdle: {},
  TaskCreated: {},
  TaskCompleted: {},
  Elicitation: { matches: 'mcp_server_name' },
  ElicitationResult: { matches: 'mcp_server_name' },
  ConfigChange: { matches: 'source' },
  WorktreeCreate: {},
  WorktreeRemove: {},
  InstructionsLoaded: { matches: 'load_reason' },
  CwdChanged: {},
  FileChanged: { matches: 'file_path' },
  DirectoryAdded: { matches: 'source' },
  MessageDisplay: {},
  PreSkillShellCommand: { ...TOOL, guards: true },
};

/** Events about one tool, on which a rule can say whether a hook is meant. */
export const TOOL_EVENTS: readonly string[] = Object.keys(EVENTS).filter((event) => EVENTS[event]?.matches === 'tool_name');
