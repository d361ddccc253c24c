import { expect, test } from 'vitest';
import { errorTable } from 'pegboard';

import { hookKinds } from '../../core/hooks.ts';
import { readRepositoryFile, sourceFiles } from './repository.ts';
import { tokensOf } from './source-text.ts';

/** What people may build on. A name that goes or changes is a break: it needs a word in CHANGELOG.md and a change here. */
const SURFACE: Readonly<Record<string, readonly string[]>> = {
  pegboard: [
    'Epoch',
    'HookBus',
    'MODES',
    'PegboardError',
    'Registry',
    'Session',
    'ToolIndex',
    'announce',
    'assemblePool',
    'bytesReadAgain',
    'causeText',
    'compareReceipts',
    'createHost',
    'definePlugin',
    'defineState',
    'defineTool',
    'errorResult',
    'errorTable',
    'estimateTokens',
    'firstSentence',
    'headlessAsker',
    'libraryAsker',
    'loadOrder',
    'matchHost',
    'matchRule',
    'matchWildcard',
    'nearest',
    'oneLine',
    'parseRule',
    'readHost',
    'reasonText',
    'restore',
    'revealed',
    'shadowedRules',
    'takeReceipt',
    'textOf',
    'textResult',
    'wireBytes',
    'wireTool',
  ],
  'pegboard/kit': [
    'ProcessGroups',
    'ProcessLedger',
    'expandPlaceholders',
    'guardedFetch',
    'isThisMachine',
    'isWithin',
    'jsonSchema',
    'maskText',
    'maskValue',
    'namesSecret',
    'judgeArchiveEntry',
    'judgeUrlToOpen',
    'openSecrets',
    'openUrl',
    'openWorkspace',
    'parseJsonc',
    'readRegularFile',
    'systemKeyring',
    'updateFile',
    'variableEffect',
    'writeFileAtomic',
  ],
  'pegboard/mcp': [
    'complaintAbout',
    'judgeCallback',
    'judgeName',
    'judgeRequest',
    'judgeSessionMessage',
    'judgeToken',
    'judgeVariable',
    'listedSources',
    'mcp',
    'nameServers',
    'readServerFile',
    'signInTo',
    'signOutOf',
  ],
  'pegboard/settings': [
    'changeSettings',
    'definitionHash',
    'driftOf',
    'driftText',
    'judgeConnect',
    'judgeDrift',
    'judgeSetting',
    'judgeTrust',
    'keyOf',
    'lockOf',
    'maskSecrets',
    'openApprovals',
    'openTrust',
    'pathOf',
    'placeText',
    'readLock',
    'readSettings',
    'settingsFile',
    'standIn',
    'stopsHeadless',
    'watchSettings',
    'writeLock',
  ],
  'pegboard/builtin-plugins': [
    'agents',
    'auditFolder',
    'builtinPlugins',
    'followRecords',
    'judgeInstallSource',
    'judgeSavedRule',
    'modelClassifier',
    'offlineModel',
    'presets',
    'readRecords',
    'searchHistory',
    'taskList',
    'taskPanel',
    'wasAsked',
  ],
  'pegboard/testing': [
    'fakeServer',
    'readRecord',
    'requestProblems',
    'scriptedModel',
    'startFakeHttpServer',
    'startHost',
    'startMessagesServer',
    'temporaryFolder',
    'wireProblems',
  ],
};
const VALUES_OF_PEGBOARD = 60;

test.each(Object.entries(SURFACE))('%s exports exactly these values', async (name, values) => {
  expect(Object.keys((await import(name)) as object).sort()).toEqual([...values].sort());
});

test('pegboard stays small', () => {
  expect(SURFACE['pegboard']?.length).toBeLessThanOrEqual(VALUES_OF_PEGBOARD);
});

test('every public name is pinned, and R8 holds for each: sources for those who work here, the build for everybody else', () => {
  const { exports } = JSON.parse(readRepositoryFile('package.json')) as { exports: Record<string, string | Record<string, string>> };
  const { './package.json': manifest, ...doors } = exports;
  expect(manifest).toBe('./package.json');
  expect(
    Object.keys(doors)
      .map((door) => door.replace(/^\./, 'pegboard'))
      .sort(),
  ).toEqual(Object.keys(SURFACE).sort());
  for (const conditions of Object.values(doors)) {
    const source = (conditions as Record<string, string>)['source'] ?? '';
    const built = source.replace(/^\.\/(.+)\.ts$/, './dist/$1');
    expect(conditions).toEqual({ source, types: `${built}.d.ts`, default: `${built}.js` });
    expect(Object.keys(conditions)[0]).toBe('source');
    expect(readRepositoryFile(source)).not.toBe('');
  }
});

test('hooks have these names and kinds', () => {
  expect(hookKinds).toEqual({
    'pool.changed': 'notify',
    'permission.denied': 'notify',
    'call.end': 'notify',
    'batch.end': 'notify',
    'session.end': 'notify',
    'tool.after': 'transform',
    'tool.failed': 'transform',
    'session.start': 'transform',
    'tool.before': 'decide',
    'permission.ask': 'decide',
    'prompt.submit': 'decide',
    'turn.end': 'decide',
  });
});

test('errors have these codes', () => {
  expect(Object.keys(errorTable).sort()).toMatchInlineSnapshot(`
    [
      "AUDIT_WRITE",
      "BATCH_CANCELLED",
      "CALL_REFUSED",
      "CALL_UNKNOWN",
      "CALL_UNSTARTED",
      "CLI_CWD",
      "CLI_INPUT",
      "CLI_KEY",
      "CLI_MODEL",
      "CLI_SERVER",
      "CLI_USAGE",
      "HOOK_ANSWER",
      "HOOK_TIME",
      "HOOK_UNKNOWN",
      "LOCK_DRIFT",
      "MCP_BROKEN",
      "MCP_CALL",
      "MCP_COMMAND",
      "MCP_CONFIG_READ",
      "MCP_CONFIG_SERVER",
      "MCP_CONFIG_SYNTAX",
      "MCP_CONNECT",
      "MCP_CWD",
      "MCP_DOWN",
      "MCP_EXIT",
      "MCP_HTTP",
      "MCP_LIST",
      "MCP_LOGIN",
      "MCP_LOGIN_NONE",
      "MCP_LOGIN_TERMINAL",
      "MCP_LOST",
      "MCP_NEVER",
      "MCP_NO_SERVER",
      "MCP_PAUSED",
      "MCP_POLICY",
      "MCP_PROOF",
      "MCP_SCOPE",
      "MCP_SIGN_IN",
      "MCP_SILENT",
      "MCP_TIMEOUT",
      "MCP_VARIABLE",
      "PLUGIN_CLOSED",
      "PLUGIN_COMMONJS",
      "PLUGIN_CYCLE",
      "PLUGIN_DOUBLE",
      "PLUGIN_FILE",
      "PLUGIN_FOLDER",
      "PLUGIN_FOLDER_DOUBLE",
      "PLUGIN_FOLDER_MISSING",
      "PLUGIN_MISSING",
      "PLUGIN_NAME",
      "PLUGIN_OPTIONS",
      "PLUGIN_OWN_COPY",
      "PLUGIN_PACKAGE",
      "PLUGIN_REQUIRED_DOWN",
      "PLUGIN_SETUP",
      "PLUGIN_SETUP_TIME",
      "PLUGIN_SOURCE",
      "PLUGIN_TOOL",
      "RESULT_PLACE",
      "RESULT_POINTER",
      "RESULT_UNKNOWN",
      "RULE_SYNTAX",
      "RUN_INTERRUPTED",
      "RUN_MODEL",
      "RUN_SUPERSEDED",
      "SEARCH_HISTORY",
      "SEARCH_QUERY",
      "SEARCH_RERANK",
      "SEARCH_RERANK_TIME",
      "SEARCH_TEST_FILE",
      "SEARCH_TEST_ROWS",
      "SESSION_BUSY",
      "SESSION_CLOSED",
      "SETTINGS_KEPT",
      "SETTINGS_KEY",
      "SETTINGS_MODE",
      "SETTINGS_OWNER",
      "SETTINGS_READ",
      "SETTINGS_RULE",
      "SETTINGS_RULE_NAME",
      "SETTINGS_SCRIPT",
      "SETTINGS_STATE",
      "SETTINGS_SYNTAX",
      "SETTINGS_VALUE",
      "SETTINGS_WATCH",
      "SETTINGS_WRITE",
      "SETTING_INVALID",
      "TASK_UNKNOWN",
      "TOOL_CANCELLED",
      "TOOL_FAILED",
      "TOOL_GONE",
      "TOOL_HIDDEN",
      "TOOL_INPUT",
      "TOOL_NAME",
      "TOOL_NESTED",
      "TOOL_RESULT",
      "TOOL_SCHEMA",
      "TOOL_UNKNOWN",
      "TRUST_HOME",
    ]
  `);
});

test('every code is used where something goes wrong', () => {
  const used = new Set(
    sourceFiles()
      .filter(({ path }) => !path.startsWith('test/') && path !== 'core/errors.ts' && path !== 'core/run-errors.data.ts')
      .flatMap(({ text }) => tokensOf(text).flatMap(({ kind, text: word }) => (kind === 'string' ? [word] : []))),
  );
  expect(Object.keys(errorTable).filter((code) => !used.has(code))).toEqual([]);
});
