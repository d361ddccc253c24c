import { PegboardError, textOf, type SessionRecord } from 'pegboard';
import { findSession, forkSession, listSessions, readSession, removeSession, type KeptSession } from 'pegboard/builtin-plugins';

import { exitCode } from '../exit-code.ts';
import { shownLines } from '../render/shown.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { SettingsCommand } from '../run-command.ts';
import type { Resumed } from '../session-args.ts';
import type { Line, Style } from '../screen.ts';

const COLUMNS: readonly Column[] = [
  { title: 'id', holds: 'always' },
  { title: 'last written', holds: 'longest', leaves: { turn: 2, to: 'below' } },
  { title: 'KB', align: 'right', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'begins with' },
];
const TEXT_CHARS = 2_000;

/** `sessions list`: the kept sessions of this folder, or of all. */
export function sessionsList(all: boolean): SettingsCommand {
  return async ({ configuration: { home, cwd }, screen }) => {
    const kept = (await listSessions(home)).filter((session) => all || session.cwd === cwd);
    if (screen.json) screen.value(kept.map(jsonOf));
    else if (kept.length > 0) screen.print(tableLines(COLUMNS, kept.map(rowOf), screen.width));
    else screen.print([all ? 'no session is kept' : 'no session of this folder is kept; --all shows those of other folders']);
    return exitCode.done;
  };
}

/** `sessions show`: a conversation from its transcript. */
export function sessionsShow(given: string): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    const session = await findSession(home, given);
    const records = await readSession(home, session.id);
    if (screen.json) screen.value({ ...jsonOf(session), records });
    else screen.print([[{ text: `${session.id} in ${session.cwd}`, style: 'dim' }], ...records.flatMap(linesOf)]);
    return exitCode.done;
  };
}

/** `sessions fork`: a copy to go on with. */
export function sessionsFork(given: string): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    const session = await findSession(home, given);
    const id = await forkSession(home, session, Date.now());
    if (screen.json) screen.value({ id, from: session.id });
    else screen.print([`${id} is a copy of ${session.id}; go on with: pegboard run --resume ${id} "…"`]);
    return exitCode.done;
  };
}

/** `sessions remove`: every id must be one before anything is taken away. */
export function sessionsRemove(given: readonly string[]): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    const found = await Promise.all(given.map((id) => findSession(home, id)));
    const ids = [...new Set(found.map(({ id }) => id))];
    for (const id of ids) await removeSession(home, id);
    if (screen.json) screen.value({ removed: ids });
    else screen.print(ids.map((id) => `removed ${id}`));
    return exitCode.done;
  };
}

/** The session a run goes on with: by its id, or the one of this folder that was written last. Throws SESSION_UNKNOWN. */
export async function resumedSession(
  resumed: Resumed,
  { home, cwd }: { readonly home: string; readonly cwd: string },
): Promise<KeptSession> {
  if (resumed.kind === 'id') return findSession(home, resumed.id);
  const last = (await listSessions(home)).find((session) => session.cwd === cwd && session.agent === 'main');
  if (last !== undefined) return last;
  throw new PegboardError('SESSION_UNKNOWN', { session: 'last', hint: `None of ${cwd} is kept; begin one with \`pegboard run\`.` });
}

function rowOf({ id, changed, bytes, title }: KeptSession): readonly string[] {
  return [id, new Date(changed).toISOString().slice(0, 16).replace('T', ' '), String(Math.ceil(bytes / 1024)), title];
}

function jsonOf({ id, cwd, agent, title, at, changed, bytes }: KeptSession) {
  return { id, cwd, agent, title, begun: new Date(at).toISOString(), changed: new Date(changed).toISOString(), bytes };
}

function linesOf(record: SessionRecord): readonly Line[] {
  if (record.kind !== 'message') return [];
  const { role, content } = record.message;
  return content.flatMap((block): readonly Line[] => {
    switch (block.type) {
      case 'text':
        return saidLines(role === 'user' ? '> ' : '', 'text' in block ? block.text : '');
      case 'tool_use':
        return saidLines('· ', `${block['name']} ${JSON.stringify(block['input'])}`, 'dim');
      case 'tool_result':
        return saidLines('  ', 'content' in block && Array.isArray(block.content) ? textOf(block.content) : '', 'dim');
      default:
        return [[{ text: `(${block.type})`, style: 'dim' }]];
    }
  });
}

function saidLines(mark: string, text: string, style?: Style): readonly Line[] {
  const cut = text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS)}… (${text.length - TEXT_CHARS} more characters)`;
  const lines = shownLines(cut).map((line, at) => (at === 0 ? mark + line : line));
  return style === undefined ? lines : lines.map((line) => [{ text: line, style }]);
}
