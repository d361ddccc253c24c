import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

import type { Message, SessionRecord } from 'pegboard';

/** The id of the session that is written. */
export const WRITTEN = 'written-session';
/** So long is the result of each call. */
const RESULT_CHARS = 400;

/** Writes the transcript of a conversation of so many turns, each with one call, as a session would have left it. */
export async function writeSession(home: string, turns: number): Promise<void> {
  const folder = join(home, 'sessions', WRITTEN);
  await mkdir(folder, { recursive: true });
  const file = createWriteStream(join(folder, 'transcript.jsonl'));
  file.write(`${JSON.stringify({ kind: 'session', version: 1, id: WRITTEN, cwd: home, agent: 'main', at: 0 })}\n`);
  for (const record of recordsOf(turns)) file.write(`${JSON.stringify({ at: 0, ...record })}\n`);
  file.end();
  await finished(file);
}

function* recordsOf(turns: number): Generator<SessionRecord> {
  yield said({ role: 'user', content: [{ type: 'text', text: 'Go on until it is done.' }] });
  for (let turn = 1; turn <= turns; turn++) {
    const call = { callId: `call_${turn}`, tool: 'Nothing', input: { turn } };
    const block = { type: 'tool_use', id: call.callId, name: call.tool, input: call.input } as const;
    const content = [{ type: 'text', text: `${turn} `.repeat(RESULT_CHARS).slice(0, RESULT_CHARS) }] as const;
    yield { kind: 'call', call, blocks: [block] };
    yield { kind: 'settled', callId: call.callId, result: { content } };
    yield said({ role: 'assistant', content: [block] });
    yield said({ role: 'user', content: [{ type: 'tool_result', tool_use_id: call.callId, content }] });
  }
}

function said(message: Message): SessionRecord {
  return { kind: 'message', message };
}
