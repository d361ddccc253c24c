import { definePlugin, type Plugin } from 'pegboard';

import { cleanResults } from './clean-results.ts';
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
      const { enabled, results, summary } = scope.options as SessionOptions;
      scope.contribute('session.compactor', [summarise(summary)]);
      const { home, now } = scope;
      let cleaning: Promise<void> | undefined;
      scope.onClose(() => cleaning);
      scope.contribute('session.journal', [
        ({ id, cwd, agent }) => {
          // With the first session, not at the start: most commands have none.
          cleaning ??= cleanResults(home, results, now());
          return enabled ? new Transcript(sessionFiles(home, id), { id, cwd, agent, at: now() }, now) : undefined;
        },
      ]);
    },
  });
}
