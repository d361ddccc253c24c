import { PegboardError } from 'pegboard';
import { signOutOf } from 'pegboard/mcp';
import { placeText } from 'pegboard/settings';

import { exitCode } from '../exit-code.ts';
import type { SettingsCommand } from '../run-command.ts';
import { signInSecrets } from '../secrets.ts';

/** `mcp logout`: gives the tokens of a server back where that is offered, and forgets them. */
export function mcpLogout(name: string): SettingsCommand {
  return async ({ configuration: { settings, home, cwd }, screen }) => {
    const servers = settings.servers.filter((server) => server.name === name);
    const server = servers.find(({ state }) => state.kind === 'ready') ?? servers[0];
    const known = [...new Set(settings.servers.map((each) => each.name))].join(', ') || 'none';
    if (server === undefined) throw new PegboardError('MCP_NO_SERVER', { server: name, known });
    const { state, definition, place } = server;
    const offer = state.kind === 'ready' ? state.offer : { name, definition, origin: placeText(place), folder: cwd };
    const outcome = await signOutOf(offer, { secrets: signInSecrets(home), environment: process.env });
    if (outcome.kind === 'failed') throw outcome.error;
    if (screen.json) screen.value({ name, ...outcome });
    else if (outcome.kind === 'nothing') screen.print([`nobody was signed in to server "${name}"`]);
    else screen.print([`signed out of server "${name}"`]);
    if (outcome.kind === 'signed-out' && outcome.offered && !outcome.revoked)
      screen.warn(
        'pegboard: the authorization server could not be told; its tokens end by themselves, or where you manage your account there',
      );
    return exitCode.done;
  };
}
