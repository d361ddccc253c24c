import type { SavedSession } from 'pegboard';
import { openSaved } from 'pegboard/builtin-plugins';

import type { Desk } from './run-command.ts';
import type { Resumed } from './session-args.ts';
import { counted } from './render/counted.ts';

/** A kept session, and what people must know before it goes on. */
export async function savedOf(resumed: Resumed, { host, screen }: Desk): Promise<SavedSession> {
  const { resumedSession } = await import('./commands/sessions.ts');
  const { id, cwd } = await resumedSession(resumed, host);
  const saved = await openSaved(host.home, id);
  if (cwd !== host.cwd) screen.tell([{ text: `session ${id} was begun in ${cwd} and goes on in ${host.cwd}`, style: 'yellow' }]);
  if (saved.broken > 0)
    screen.warn(`${counted(saved.broken, 'line')} of session ${id} cannot be read; it goes on without what stood there`);
  return saved;
}
