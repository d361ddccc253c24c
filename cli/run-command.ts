import { resolve } from 'node:path';

import type { GlobalOptions, Request } from './args.ts';
import type { ExitCode } from './exit-code.ts';
import { openHost, type OpenHost, type Surroundings, type Use } from './open-host.ts';
import { listProblems, overConfiguration } from './problems.ts';
import { readConfiguration, type Configuration, type ConfigurationOptions } from './read-configuration.ts';
import type { Screen } from './screen.ts';
import type { Stop } from './stop.ts';
import { tellSettings } from './tell-settings.ts';

/** What a command that only looks at files has to work with. */
export interface SettingsDesk extends Surroundings {
  readonly configuration: Configuration;
}
/** What a command with a started host has to work with. */
export interface Desk extends SettingsDesk, Omit<OpenHost, 'close'> {}

export type SettingsCommand = (desk: SettingsDesk) => Promise<ExitCode>;
export type Command = (desk: Desk) => Promise<ExitCode>;

/** A command, and what it needs. */
type Chosen =
  | { readonly needs: 'host'; readonly use: Use; readonly command: Command }
  | { readonly needs: 'settings'; readonly purpose: Purpose; readonly command: SettingsCommand };

/** A change that went well has gone well, whatever else is wrong; `trust` tells by itself what waits. */
type Purpose = 'look' | 'change' | 'trust';

/** Reads the configuration, opens a host where the command needs one, runs it and closes the host. */
export async function runCommand(request: Request, options: ConfigurationOptions, screen: Screen, stop: Stop): Promise<ExitCode> {
  const chosen = await commandOf(request);
  const listed = listProblems(tellsProblems(request) && !options.json ? () => undefined : (line) => screen.warn(line));
  const around: Surroundings = { options, screen, stop, ...listed, tell: tellSettings(screen, listed) };
  const configuration = await readConfiguration({ ...options, cwd: folderOf(request, options) }, around);
  if (chosen.needs === 'settings') {
    if (chosen.purpose !== 'trust') around.tell(configuration.settings);
    const code = await chosen.command({ ...around, configuration });
    return chosen.purpose === 'look' ? overConfiguration(code, around) : code;
  }
  const opened = await openHost(configuration, chosen.use, around);
  try {
    const code = await chosen.command({ ...around, ...opened });
    // What calls tools ends as that went.
    return chosen.use.calls ? code : overConfiguration(code, around);
  } finally {
    await opened.close();
  }
}

/** Whose answer holds all problems: saying each once is enough. */
function tellsProblems(request: Request): boolean {
  return request.kind === 'doctor' || (request.kind === 'mcp list' && request.check);
}

function folderOf(request: Request, { cwd }: GlobalOptions): string | undefined {
  return request.kind === 'trust' && request.folder !== undefined ? resolve(cwd ?? '.', request.folder) : cwd;
}

const LOOKS: Use = { calls: false, live: false };
const hosted = (command: Command, use: Use = LOOKS): Chosen => ({ needs: 'host', use, command });
const plain = (purpose: Purpose, command: SettingsCommand): Chosen => ({ needs: 'settings', purpose, command });

/** The command of a request; what is wrong with the request itself is thrown before anything is started. */
async function commandOf(request: Request): Promise<Chosen> {
  switch (request.kind) {
    case 'tools list':
      return hosted((await import('./commands/tools-list.ts')).toolsList);
    case 'tools search':
      return hosted((await import('./commands/tools-search.ts')).toolsSearch(request));
    case 'tools show':
      return hosted((await import('./commands/tools-show.ts')).toolsShow(request.name));
    case 'tools call':
      return hosted((await import('./commands/tools-call.ts')).toolsCall(request), { calls: true, live: false });
    case 'run':
      return hosted(await (await import('./commands/run.ts')).run(request), { calls: true, live: true });
    case 'chat': {
      const { asker, command } = (await import('./commands/chat.ts')).chat(request);
      return hosted(command, { calls: true, live: true, asker });
    }
    case 'search-test': {
      const { searchTestCatalogue, searchTestPool } = await import('./commands/search-test.ts');
      const { catalogue } = request;
      return catalogue === undefined ? hosted(searchTestPool(request)) : plain('look', searchTestCatalogue({ ...request, catalogue }));
    }
    case 'search-history export':
      return plain('look', (await import('./commands/search-history.ts')).searchHistoryExport);
    case 'search-history clear':
      return plain('change', (await import('./commands/search-history.ts')).searchHistoryClear);
    case 'doctor':
      return request.session === undefined
        ? hosted((await import('./commands/doctor.ts')).doctor)
        : plain('look', (await import('./commands/session-health.ts')).sessionHealth(request.session));
    case 'mcp lock':
      return hosted((await import('./commands/mcp-lock.ts')).mcpLock);
    case 'audit list':
      return plain('look', (await import('./commands/audit-list.ts')).auditList(request.filter, request.last));
    case 'audit follow':
      return plain('look', (await import('./commands/audit-follow.ts')).auditFollow(request.filter));
    case 'audit export':
      return plain('look', (await import('./commands/audit-export.ts')).auditExport(request.filter, request.file));
    case 'audit replay':
      return hosted(await (await import('./commands/audit-replay.ts')).auditReplay(request.filter, request.rules));
    case 'sessions list':
      return plain('look', (await import('./commands/sessions.ts')).sessionsList(request.all));
    case 'sessions show':
      return plain('look', (await import('./commands/sessions.ts')).sessionsShow(request.id));
    case 'sessions fork':
      return plain('change', (await import('./commands/sessions.ts')).sessionsFork(request.id));
    case 'sessions remove':
      return plain('change', (await import('./commands/sessions.ts')).sessionsRemove(request.ids));
    case 'permissions explain':
      return hosted((await import('./commands/permissions-explain.ts')).permissionsExplain(request));
    case 'permissions test':
      return hosted((await import('./commands/permissions-test.ts')).permissionsTest(request.file));
    case 'permissions list':
      return plain('look', (await import('./commands/permissions-list.ts')).permissionsList(request.scope));
    case 'permissions add':
    case 'permissions remove':
      return plain('change', (await import('./commands/permissions-change.ts')).permissionsChange(request));
    case 'skills list':
      return hosted((await import('./commands/skills-list.ts')).skillsList);
    case 'skills show':
      return hosted((await import('./commands/skills-list.ts')).skillsShow(request.name));
    case 'agents list':
      return hosted((await import('./commands/agents-list.ts')).agentsList);
    case 'hooks list':
      return hosted((await import('./commands/hooks-list.ts')).hooksList);
    case 'hooks test':
      return hosted((await import('./commands/hooks-test.ts')).hooksTest(request.event, request.input));
    case 'config show':
      return plain('look', (await import('./commands/config-show.ts')).configShow(request.key));
    case 'config path':
      return plain('look', (await import('./commands/config-path.ts')).configPath);
    case 'config set':
      return plain('change', (await import('./commands/config-set.ts')).configSet(request));
    case 'trust':
      return plain('trust', (await import('./commands/trust.ts')).trust(request.forget));
    case 'plugin list':
      return plain('look', (await import('./commands/plugin-list.ts')).pluginList(request.all));
    case 'plugin details':
      return hosted((await import('./commands/plugin-details.ts')).pluginDetails(request.name));
    case 'plugin add':
      return plain('change', (await import('./commands/plugin-add.ts')).pluginAdd(request));
    case 'plugin remove':
      return plain('change', (await import('./commands/plugin-remove.ts')).pluginRemove(request.name));
    case 'plugin enable':
      return plain('change', (await import('./commands/plugin-enable.ts')).pluginEnable(request));
    case 'plugin disable':
      return plain('change', (await import('./commands/plugin-enable.ts')).pluginDisable(request));
    case 'plugin marketplace add':
      return plain('change', (await import('./commands/plugin-marketplace.ts')).marketplaceAdd(request));
    case 'plugin marketplace list':
      return plain('look', (await import('./commands/plugin-marketplace.ts')).marketplaceList);
    case 'plugin marketplace remove':
      return plain('change', (await import('./commands/plugin-marketplace.ts')).marketplaceRemove(request));
    case 'mcp add':
      return plain('change', (await import('./commands/mcp-add.ts')).mcpAdd(request));
    case 'mcp add-json':
      return plain('change', (await import('./commands/mcp-add.ts')).mcpAddJson(request));
    case 'mcp import':
      return plain('change', (await import('./commands/mcp-import.ts')).mcpImport(request));
    case 'mcp remove':
      return plain('change', (await import('./commands/mcp-remove.ts')).mcpRemove(request));
    case 'mcp list':
      return request.check
        ? hosted((await import('./commands/mcp-list.ts')).mcpListChecked, { ...LOOKS, afresh: true })
        : plain('look', (await import('./commands/mcp-list.ts')).mcpList);
    case 'mcp get':
      return plain(
        'look',
        request.logs
          ? (await import('./commands/mcp-logs.ts')).mcpLogs(request.name)
          : (await import('./commands/mcp-list.ts')).mcpGet(request.name),
      );
    case 'mcp tools':
      return hosted((await import('./commands/mcp-tools.ts')).mcpTools(request));
    case 'mcp login':
      return plain('change', (await import('./commands/mcp-login.ts')).mcpLogin(request));
    case 'mcp logout':
      return plain('change', (await import('./commands/mcp-logout.ts')).mcpLogout(request.name));
    case 'mcp approve':
      return plain('change', (await import('./commands/mcp-approve.ts')).mcpApprove(request.names));
  }
}
