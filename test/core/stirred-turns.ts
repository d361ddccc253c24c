import { onTestFinished } from 'vitest';
import { definePlugin, revealed, type Model, type Plugin, type PluginScope, type RunEvent, type Session } from 'pegboard';
import { startHost, type ScriptedResponse } from 'pegboard/testing';

import { probeTool } from './probe-tool.ts';
import { serverTool } from '../support/fake-tools.ts';

const SAFE = { isConcurrencySafe: () => true, isReadOnly: () => true } as const;
export const TURNS = 40;

const running = probeTool('Wait', { ...SAFE, interruptBehavior: () => 'cancel' }, async (_input, { signal, report }) => {
  report('running');
  return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));
});
const holds = probeTool('Hold', SAFE, async (_input, { report }) => {
  report('running');
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return 'held';
});
const spills = probeTool('Spill', SAFE, ({ count = 0 }) => `${count} `.repeat(30_000));
const reveals = probeTool('Reveal', SAFE, ({ text = '' }, { state }) => {
  state(revealed).add(text);
  return `${text} can be called now`;
});

/** Servers that come late, announce changes all the time, and go for a while. */
function servers() {
  let scope: PluginScope | undefined;
  const put = (server: string, count: number, round: number) =>
    scope?.provideFrom(server, {
      tools: Array.from({ length: count }, (_, i) => serverTool(server, `tool_${(i * 7 + round) % count}`)),
      namespace: `mcp__${server}__`,
      status: { kind: count === 0 ? 'connecting' : 'ready' },
    });
  return {
    plugin: definePlugin({ name: 'servers', setup: (given) => void (scope = given) }),
    /** What happens between two turns. */
    stir: (turn: number) => {
      for (let again = 0; again < 5; again++) put('early', 12, turn + again);
      if (turn >= 10) put('late', turn % 9 === 0 ? 0 : 20, turn);
      if (turn === 20) scope?.provideFrom('early', undefined);
    },
  };
}

type Call = NonNullable<ScriptedResponse['calls']>[number];

/** What a model does at a turn: searches, long results, calls at once, and calls that are stopped. `reveal` asks for a tool by name. */
export function stirredTurn(turn: number, reveal: (name: string) => Call): Pick<ScriptedResponse, 'text' | 'calls'> {
  if (turn % 10 === 3) return { calls: [reveal(`mcp__early__tool_${turn % 12}`)] };
  if (turn % 10 === 6)
    return {
      calls: [
        { name: 'Spill', input: { count: turn } },
        { name: 'Spill', input: { count: turn } },
      ],
    };
  if (turn % 10 === 8) return { calls: [{ name: 'Hold' }, { name: 'Wait' }] };
  if (turn % 10 === 9) return { calls: [{ name: 'Wait' }] };
  return { text: `turn ${turn}`, calls: [{ name: 'Hold' }] };
}

/** A host on which forty turns can be played, and what happens on it between two of them. */
export async function stirredHost(builtins: readonly Plugin[] = []) {
  const { plugin, stir } = servers();
  const tools = [running, holds, spills, reveals, probeTool('CallIt', { provides: ['tool-call'] })];
  const { host, stop } = await startHost({
    builtins: [definePlugin({ name: 'own', tools }), ...builtins],
    plugins: [plugin],
    rules: { allow: tools.map(({ name }) => name) },
  });
  onTestFinished(stop);
  return { host, stir };
}

/** Forty turns in as many runs as the stops make of them: three hard stops, three messages that end a query, three that wait. */
export async function playStirred(session: Session, model: Model, asked: () => number) {
  const events: RunEvent[] = [];
  const done = { interrupt: 0, supersede: 0, wait: 0 };
  let alone = false;
  while (asked() < TURNS) {
    for await (const event of session.run(`go on from ${asked()}`, { model, maxTurns: TURNS - asked(), system: 'Be brief.' })) {
      events.push(event);
      if (event.kind === 'receipt') alone = true;
      if (event.kind === 'tool_use' && event.call.tool === 'Hold') alone = false;
      if (event.kind === 'progress') stopOne(session, event.call.tool, alone, done);
    }
  }
  return { events, done };
}

function stopOne(session: Session, tool: string, alone: boolean, done: Record<'interrupt' | 'supersede' | 'wait', number>): void {
  if (tool === 'Hold' && done.wait < 3) {
    done.wait++;
    session.submit(`waiting ${done.wait}`);
  } else if (tool === 'Wait' && alone) {
    done.supersede++;
    session.submit(`instead ${done.supersede}`);
  } else if (tool === 'Wait') {
    done.interrupt++;
    session.interrupt();
  }
}
