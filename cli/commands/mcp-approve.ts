import { PegboardError } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { readAgain } from '../read-configuration.ts';
import { shellWord } from '../render/shell-word.ts';
import { factLines, serverFacts } from '../render/server-text.ts';
import type { SettingsCommand } from '../run-command.ts';

/** `mcp approve`: a person's yes to servers of the project, bound to their definitions as they are now. */
export function mcpApprove(names: readonly string[]): SettingsCommand {
  return async ({ configuration, screen }) => {
    const { settings, approvals } = configuration;
    for (const name of names)
      if (!settings.servers.some((server) => server.name === name))
        throw new PegboardError('MCP_NO_SERVER', {
          server: name,
          known: settings.servers.map((server) => server.name).join(', ') || 'none',
        });
    const waits = (name: string) => settings.servers.find((server) => server.name === name && server.state.kind === 'waiting');
    const servers = [...new Set(names)].flatMap((name) => waits(name) ?? []);
    for (const server of servers) {
      const { name, hash } = server;
      for (const line of factLines(`${shellWord(name)} may start: `, serverFacts(server, settings))) screen.tell(line);
      const error = await approvals.approve(settings.project.folder, name, hash);
      if (error) throw error;
    }
    const now = (await readAgain(configuration)).settings;
    const left = now.servers.flatMap(({ name, state }) =>
      names.includes(name) && state.kind === 'waiting' ? [{ name, why: state.why }] : [],
    );
    const approved = servers.map(({ name }) => name);
    if (screen.json) screen.value({ approved, waiting: left });
    else screen.print(approved.length > 0 ? approved.map((name) => `approved: server "${name}"`) : ['nothing waited for an approval']);
    for (const { name, why } of left) screen.warn(`pegboard: server "${name}" still waits: ${why}; \`pegboard trust\` lets it count`);
    return exitCode.done;
  };
}
