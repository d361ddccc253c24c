import { definePlugin, type Plugin } from 'pegboard';

import { sessionOptions, type SessionOptions } from './options.ts';
import { summarise } from './compaction.ts';
import { sessionFiles } from './session-files.ts';
import { Transcript } from './transcript.ts';

export { findSession, forkSession, listSessions, openSaved, readSession, removeSession } from './session-store.ts';
export type { KeptSession } from './session-store.ts';

/** The plugin "transcripts": conversations as JSON lines in the home's `sessions/<id>/`, so that they can be gone on with (M10). */
export function transcripts(): Plugin {
  return definePlugin({
    name: 'transcripts',
    options: sessionOptions,
    setup: (scope) => {
      scope.contribute('session.compactor', [summarise]);
      if (!(scope.options as SessionOptions).enabled) return;
      scope.contribute('session.journal', [
        ({ id, cwd, agent }) => new Transcript(sessionFiles(scope.home, id), { id, cwd, agent, at: scope.now() }, scope.now),
      ]);
    },
  });
}
