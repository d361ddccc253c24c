import { createInterface } from 'node:readline';

import { PegboardError } from 'pegboard';
import { signInTo } from 'pegboard/mcp';

import type { ConfigRequest } from '../config-args.ts';
import { exitCode } from '../exit-code.ts';
import { openUrl } from '../open-url.ts';
import { shellWord } from '../render/shell-word.ts';
import type { SettingsCommand, SettingsDesk } from '../run-command.ts';
import { signInSecrets } from '../secrets.ts';

/** `mcp login`: lets a person sign in to a server in their browser. What comes of it is kept for all later commands. */
export function mcpLogin({ name, browser }: ConfigRequest & { readonly kind: 'mcp login' }): SettingsCommand {
  return async (desk) => {
    const { configuration, screen, stop } = desk;
    const offer = readyServer(name, desk);
    const person = process.stdin.isTTY && process.stderr.isTTY;
    const byItself = Object(Object(offer.definition).oauth).grant === 'client_credentials';
    if (browser && !person && !byItself) throw new PegboardError('MCP_LOGIN_TERMINAL', { server: name, name: shellWord(name) });
    const outcome = await signInTo(offer, {
      secrets: signInSecrets(configuration.home),
      environment: process.env,
      signal: stop.signal,
      show: async (url) => {
        screen.warn(`To sign in to server "${name}", open this address in a browser:`);
        screen.warn(url.href);
        const opened = browser && (await openUrl(url, process.platform)).kind === 'opened';
        if (browser && !opened) screen.warn('No browser could be opened from here.');
        const when = opened ? 'If the browser cannot come back here, paste' : 'Then paste';
        if (person || !browser) screen.warn(`${when} the address the browser ended on, even if it shows an error, and press Enter:`);
      },
      ...(person || !browser ? { pasted: (signal) => readLine(signal, !browser) } : {}),
    });
    if (outcome.kind === 'failed') throw outcome.error;
    if (screen.json) screen.value({ name, ...outcome });
    else if (outcome.kind === 'not-needed') screen.print([`server "${name}" does not ask for a sign-in`]);
    else screen.print([`signed in to server "${name}" at ${outcome.issuer}${outcome.scope === undefined ? '' : ` (${outcome.scope})`}`]);
    return exitCode.done;
  };
}

/** A server that may be used as it is defined. Throws with the reason for one that may not. */
function readyServer(name: string, { configuration: { settings } }: SettingsDesk) {
  const found = settings.servers.filter((server) => server.name === name);
  const known = [...new Set(settings.servers.map((server) => server.name))].join(', ') || 'none';
  if (found.length === 0) throw new PegboardError('MCP_NO_SERVER', { server: name, known });
  for (const { state } of found) if (state.kind === 'ready') return state.offer;
  const [first] = found;
  const why = first && 'why' in first.state ? first.state.why : 'it is disabled';
  const mend =
    first?.state.kind === 'waiting'
      ? `; \`pegboard ${first.state.on === 'trust' ? 'trust' : `mcp approve ${shellWord(name)}`}\` lets it be used`
      : '';
  throw new PegboardError('MCP_LOGIN_NONE', { server: name, why: `${why}${mend}` });
}

/** The next line of stdin; `undefined` when there is none. Where no line is `due` for another answer may come, an empty one and the end are none. */
function readLine(signal: AbortSignal, due: boolean): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    const settle = (line: string | undefined) => {
      // First: closing ends it without a line.
      resolve(line);
      reader.close();
    };
    reader.on('line', (line) => {
      if (due || line.trim() !== '') settle(line);
    });
    if (due) reader.once('close', () => settle(undefined));
    signal.addEventListener('abort', () => settle(undefined), { once: true });
  });
}
