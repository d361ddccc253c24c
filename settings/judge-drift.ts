import type { Judgement } from 'pegboard/kit';

import { driftOf, driftText, type Lock, type Observed } from './lock-file.ts';

/** May a tool be called as it is now? One that was locked otherwise is asked about, with every difference (permissions.md, statement 56). */
export function judgeDrift(lock: Lock, observed: Observed, tool: string): Judgement {
  const changed = Object.entries(lock.servers).flatMap(([server, { definition, tools }]) => {
    const locked = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    const now = Object.hasOwn(observed, server) ? observed[server] : undefined;
    if (locked === undefined || now === undefined) return [];
    const one = { servers: { [server]: { definition, tools: { [tool]: locked } } } };
    const drift = driftOf(one, { [server]: { ...now, tools: now.tools?.filter(({ name }) => name === tool) } });
    return drift.filter(({ kind }) => kind === 'part');
  });
  return changed.length === 0
    ? { kind: 'allow', why: 'it is not known to be another than was locked' }
    : { kind: 'ask', why: `it is not as pegboard.lock has it:\n${driftText(changed)}` };
}
