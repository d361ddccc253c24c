import type { SessionRecord } from 'pegboard';
import { findSession, readSession } from 'pegboard/builtin-plugins';

import { exitCode } from '../exit-code.ts';
import type { SettingsCommand } from '../run-command.ts';
import { addUsage, NO_USAGE } from '../run-story.ts';

/** `doctor --session`: how well the cache of a kept session's requests held, what broke it, and what it cost. */
export function sessionHealth(given: string): SettingsCommand {
  return async ({ configuration: { home }, screen }) => {
    const { id } = await findSession(home, given);
    const health = healthOf(await readSession(home, id));
    if (screen.json) screen.value({ id, ...health });
    else screen.print([`session ${id}`, ...linesOf(health)]);
    return exitCode.done;
  };
}

function healthOf(records: readonly SessionRecord[]) {
  const requests = records.filter((record) => record.kind === 'request');
  const used = records.filter((record) => record.kind === 'usage');
  const usage = used.reduce((sum, { usage: one, usd }) => addUsage(sum, { kind: 'usage', usage: one, usd }), NO_USAGE);
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  // A change that costs nothing, like a deferred definition, breaks nothing.
  const breaks = requests.flatMap(({ changes, readAgain }, at) => (readAgain > 0 ? [{ request: at + 1, readAgain, changes }] : []));
  return {
    requests: requests.length,
    summaries: used.filter((record) => record.for === 'summary').length,
    breaks,
    readAgain: breaks.reduce((sum, { readAgain }) => sum + readAgain, 0),
    usage,
    /** Nothing where the endpoint counts no tokens. */
    fromCache: input === 0 ? undefined : usage.cache_read_input_tokens / input,
  };
}

function linesOf({ requests, summaries, breaks, readAgain, usage, fromCache }: ReturnType<typeof healthOf>): readonly string[] {
  const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read, cache_creation_input_tokens: written, usd } = usage;
  return [
    `${requests} requests, ${summaries} summaries; the prefix broke ${breaks.length} times, ${readAgain} bytes were read again`,
    ...breaks.map(
      ({ request, readAgain: bytes, changes }) =>
        `- request ${request}, ${bytes} bytes: ${changes.map(({ kind, segment, bytes: size }) => `${segment} ${kind} (${size} bytes)`).join(', ')}`,
    ),
    `tokens: ${input} in, ${output} out, ${read} from the cache, ${written} into it`,
    fromCache === undefined ? 'the endpoint counted no tokens' : `${Math.round(fromCache * 100)} % of the input came from the cache`,
    usd === undefined ? 'what it cost is not known' : `it cost $${usd.toFixed(4)}`,
  ];
}
