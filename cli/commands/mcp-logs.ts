import { readRegularFile } from 'pegboard/kit';

import { allServers, noServer } from '../all-servers.ts';
import { exitCode } from '../exit-code.ts';
import { shownText } from '../render/shown.ts';
import type { SettingsCommand } from '../run-command.ts';

/** What fits a terminal's memory and still says how it came to that. */
const MOST_LINES = 1_000;

/** `mcp get NAME --logs`: what the server has written beside the protocol, the newest last. */
export function mcpLogs(name: string): SettingsCommand {
  return async (desk) => {
    const { screen } = desk;
    const all = await allServers(desk);
    if (!all.some((server) => server.name === name)) throw noServer(name, all);
    const { logFiles } = await import('pegboard/mcp');
    const files = logFiles(
      all.flatMap(({ name: each, state }) => (state.kind === 'ready' || each === name ? [each] : [])),
      desk.configuration.home,
    ).get(name);
    const texts = await Promise.all((files ?? []).map(async (file) => ({ file, text: (await readRegularFile(file)) ?? '' })));
    const written = texts.filter(({ text }) => text !== '');
    if (screen.json) screen.value({ name, logs: written });
    else if (written.length === 0) screen.print([`server "${name}" has written nothing yet; it would be in ${files?.at(-1)}`]);
    else {
      const lines = written.flatMap(({ text }) => text.replace(/\n$/, '').split(/\r?\n/));
      if (lines.length > MOST_LINES)
        screen.tell(`${lines.length - MOST_LINES} older lines are in ${written.map(({ file }) => file).join(' and ')}`);
      screen.text(`${shownText(lines.slice(-MOST_LINES).join('\n'))}\n`);
    }
    return exitCode.done;
  };
}
