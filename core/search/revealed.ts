import { defineState } from '../state.ts';

/** Names of deferred tools that a search has shown, oldest first. Pool assembly reads it at each turn. */
export const revealed = defineState('revealed tools', () => new Set<string>(), {
  write: (names) => [...names],
  read: (kept) => new Set((kept as unknown[]).filter((name) => typeof name === 'string')),
});
