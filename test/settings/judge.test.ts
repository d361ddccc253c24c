import { judgeConnect, judgeSetting, type ConnectFacts, type SettingFacts } from 'pegboard/settings';
import { describe, expect, test } from 'vitest';

describe('a value of a layer', () => {
  const cases: readonly (readonly [string, SettingFacts, 'allow' | 'deny'])[] = [
    ['a deny from anybody', { key: 'permissions.deny', source: 'project' }, 'allow'],
    ['an ask from anybody', { key: 'permissions.ask', source: 'local', trackedInGit: true }, 'allow'],
    ['an allow of a folder', { key: 'permissions.allow', source: 'project' }, 'deny'],
    ['an allow of a trusted folder', { key: 'permissions.allow', source: 'project', trusted: true }, 'allow'],
    ['an allow in an own local file', { key: 'permissions.allow', source: 'local', trusted: true }, 'allow'],
    ['one of a folder nobody trusts', { key: 'permissions.allow', source: 'local', trackedInGit: false }, 'deny'],
    ['a server in one', { key: 'mcpServers.x', source: 'local' }, 'deny'],
    ['an allow in a local file the repository brought', { key: 'permissions.allow', source: 'local', trackedInGit: true }, 'deny'],
    ['an allow in a linked folder', { key: 'permissions.allow', source: 'local', configDirIsSymlink: true }, 'deny'],
    ['a mode of a folder', { key: 'permissions.defaultMode', value: 'acceptEdits', source: 'project' }, 'deny'],
    ['a strict mode of a trusted folder', { key: 'permissions.defaultMode', value: 'dontAsk', source: 'project', trusted: true }, 'allow'],
    ['a mode without questions from a trusted folder', mode('bypassPermissions', 'project'), 'deny'],
    ['one from a tracked local file', { ...mode('bypassPermissions', 'local'), trackedInGit: true }, 'deny'],
    ['one from the person', mode('bypassPermissions', 'user'), 'allow'],
    [
      'one a policy forbids',
      { ...mode('bypassPermissions', 'cli'), managed: { permissions: { disableBypassPermissionsMode: 'disable' } } },
      'deny',
    ],
    ['another one a policy forbids', { ...mode('auto', 'user'), managed: { permissions: { disabledModes: ['auto'] } } }, 'deny'],
    ['a variable of a folder', { key: 'env.COLOUR', value: '1', source: 'project' }, 'deny'],
    ['a variable of a trusted folder', { key: 'env.COLOUR', value: '1', source: 'project', trusted: true }, 'allow'],
    ['an endpoint of a trusted folder', { key: 'env.ANTHROPIC_BASE_URL', value: 'https://x', source: 'project', trusted: true }, 'deny'],
    ...['PATH', 'pythonpath', 'GIT_SSH_COMMAND', 'HOME', 'npm_config_registry', 'PEGBOARD_TOKEN', 'AUTH_PROXY', 'CLAUDE_CONFIG_DIR'].map(
      (name) => [`${name} of a trusted folder`, { key: `env.${name}`, value: 'x', source: 'project', trusted: true }, 'deny'] as const,
    ),
    ...['NODE_ENV', 'DEBUG', 'DATABASE_URL', 'TZ'].map(
      (name) => [`${name} of a trusted folder`, { key: `env.${name}`, value: 'x', source: 'project', trusted: true }, 'allow'] as const,
    ),
    ['a proxy of a trusted folder', { key: 'env.https_proxy', value: 'https://x', source: 'project', trusted: true }, 'deny'],
    [
      'a library to load, of a trusted folder',
      { key: 'env', value: { A: '1', LD_PRELOAD: 'x' }, source: 'project', trusted: true },
      'deny',
    ],
    ['an endpoint of the person', { key: 'env.ANTHROPIC_BASE_URL', value: 'https://x', source: 'user' }, 'allow'],
    ['a program of a folder', { key: 'statusLine', value: './x', source: 'project' }, 'deny'],
    ['a program of a trusted folder', { key: 'statusLine', value: './x', source: 'project', trusted: true }, 'allow'],
    [
      'the record of calls, of a trusted folder',
      { key: 'pluginOptions.audit.enabled', value: false, source: 'project', trusted: true },
      'deny',
    ],
    ['the record of calls, of the person', { key: 'pluginOptions.audit.enabled', value: false, source: 'user' }, 'allow'],
    [
      'other options of a trusted folder',
      { key: 'pluginOptions.auditor.enabled', value: false, source: 'project', trusted: true },
      'allow',
    ],
    ['a sandbox loosened', { key: 'sandbox.network.allowedDomains', value: ['*'], source: 'project', trusted: true }, 'deny'],
    ['a sandbox tightened', { key: 'sandbox', value: { enabled: true }, source: 'project', trusted: true }, 'allow'],
    [
      'a sandbox loosened beside that',
      { key: 'sandbox', value: { enabled: true, bwrap: './b' }, source: 'project', trusted: true },
      'deny',
    ],
    ['approval of its own servers', { key: 'enabledMcpjsonServers', value: ['x'], source: 'project', trusted: true }, 'deny'],
    ['what only a policy sets', { key: 'allowManagedPermissionRulesOnly', value: true, source: 'user' }, 'deny'],
    ['a policy file of the administrator', { key: 'permissions.allow', source: 'managed', ownerIsAdmin: true }, 'allow'],
    ['a policy file of somebody', { key: 'permissions.allow', source: 'managed' }, 'deny'],
    [
      'a rule beside a policy that wants only its own',
      { key: 'permissions.deny', source: 'cli', managed: { allowManagedPermissionRulesOnly: true } },
      'deny',
    ],
    ['a denied server from a folder', { key: 'deniedMcpServers', source: 'project' }, 'allow'],
    ['an allowed server from a trusted folder', { key: 'allowedMcpServers', source: 'project', trusted: true }, 'deny'],
  ];
  test.each(cases)('%s', (_what, facts, kind) => {
    const judgement = judgeSetting(facts);
    expect(judgement.kind).toBe(kind);
    expect(judgement.why).not.toBe('');
  });

  function mode(value: string, source: SettingFacts['source']): SettingFacts {
    return { key: 'permissions.defaultMode', value, source, trusted: true };
  }
});

describe('a server', () => {
  const project = { server: 'x', scope: 'project', workspaceTrusted: true, approved: true, approvalSource: 'user' } as const;
  const cases: readonly (readonly [string, ConnectFacts, 'allow' | 'ask' | 'deny'])[] = [
    ['of the person', { server: 'x', scope: 'user' }, 'allow'],
    ['of a plugin', { server: 'x', scope: 'plugin' }, 'allow'],
    ['of a project, approved as it is', { ...project, approvedConfigHash: 'a', configHash: 'a' }, 'allow'],
    ['approved as it was', { ...project, approvedConfigHash: 'a', configHash: 'b' }, 'ask'],
    ['approved by name only', { ...project, configHash: 'b' }, 'ask'],
    ['approved by the repository', { ...project, approvalSource: 'repo', approvedConfigHash: 'a', configHash: 'a' }, 'ask'],
    ['not approved', { ...project, approved: false }, 'ask'],
    ['not approved, without a person', { ...project, approved: false, headless: true }, 'deny'],
    ['of a folder nobody trusts', { ...project, workspaceTrusted: false, approvedConfigHash: 'a', configHash: 'a' }, 'ask'],
    ['the same without a person', { ...project, workspaceTrusted: false, headless: true }, 'deny'],
    [
      'whose tools have changed',
      { server: 'x', scope: 'user', approvedToolsHash: 'a', toolsHash: 'b', changed: ['query.description'] },
      'ask',
    ],
    ['whose tools have changed, without a person', { server: 'x', scope: 'plugin', changed: ['query'], headless: true }, 'deny'],
    ['that a policy forbids', { ...project, disabledByManaged: true }, 'deny'],
  ];
  test.each(cases)('%s', (_what, facts, kind) => {
    expect(judgeConnect(facts).kind).toBe(kind);
  });
});
