/** Every event of the format. */
export const HOOK_EVENTS: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
  'PreSkillShellCommand',
];

/** Events whose hooks can keep something from happening that nobody else is asked about. */
export const GUARD_EVENTS: readonly string[] = ['PreToolUse', 'PermissionRequest', 'PreSkillShellCommand'];

/** Handlers by their kind, and the field without which one is none. */
export const HANDLER_FIELDS: Readonly<Record<string, string>> = {
  command: 'command',
  http: 'url',
  mcp_tool: 'tool',
  prompt: 'prompt',
  agent: 'prompt',
};
