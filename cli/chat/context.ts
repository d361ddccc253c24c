import { estimateTokens, wireBytes, type Receipt, type Session } from 'pegboard';
import { systemPrompt } from 'pegboard/builtin-plugins';

import { tableLines } from '../render/table.ts';
import type { Line } from '../screen.ts';
import type { Chat } from './chat.ts';

/** What a request is made of, in UTF-8 bytes. */
interface Part {
  readonly what: string;
  readonly bytes: number;
}

/** What fills the context of the model: all of it as the endpoint counted the last request with its answer, where it counts; its parts are estimated by their bytes. */
export function contextLines({ session, model, desk: { screen } }: Chat): readonly Line[] {
  const parts = partsOf(session);
  const estimated = parts.map(({ bytes }) => estimateTokens(bytes));
  const sum = estimated.reduce((all, tokens) => all + tokens, 0);
  const counted = session.usedTokens > 0;
  const used = counted ? session.usedTokens : sum;
  const scale = sum === 0 ? 0 : used / sum;
  const { contextTokens: most } = model;
  const bounded = most < Number.MAX_SAFE_INTEGER;
  const share = (tokens: number) => (bounded ? `${((100 * tokens) / most).toFixed(1)} %` : '');
  const rows = parts.map(({ what }, at) => {
    const tokens = Math.round((estimated[at] ?? 0) * scale);
    return [what, `~${numbered(tokens)}`, share(tokens)];
  });
  const free = Math.max(0, most - used);
  const waiting = session.pool().deferred.length;
  return [
    `${counted ? '' : '~'}${numbered(used)} of ${bounded ? numbered(most) : 'any number of'} tokens (${model.name})`,
    ...tableLines(
      [
        { title: '', holds: 'longest' },
        { title: 'tokens', align: 'right' },
        { title: '', align: 'right' },
      ],
      bounded ? [...rows, ['free', numbered(free), share(free)]] : rows,
      screen.width,
    ),
    ...(waiting === 0 ? [] : [[{ text: `${numbered(waiting)} tools wait behind the search`, style: 'dim' as const }]]),
  ];
}

/** Definitions and prompt as they were sent last, before that as they would be; the conversation as it is. */
function partsOf(session: Session): readonly Part[] {
  const { receipt, messages } = session;
  const conversation = { what: 'conversation', bytes: messages.length === 0 ? 0 : bytesOf(messages) };
  if (receipt === undefined) {
    const { places } = session.pool();
    const loaded = (builtin: boolean) =>
      places.reduce((sum, { tool, state, source }) => sum + (state === 'loaded' && source.builtin === builtin ? wireBytes(tool) : 0), 0);
    return [
      { what: 'system prompt', bytes: bytesOf(systemPrompt) },
      { what: 'built-in tools', bytes: loaded(true) },
      { what: 'other tools', bytes: loaded(false) },
      conversation,
    ];
  }
  const sum = (wanted: (segment: Receipt[number]) => boolean) => receipt.reduce((all, each) => all + (wanted(each) ? each.bytes : 0), 0);
  return [
    { what: 'system prompt', bytes: sum(({ name }) => name === 'system') },
    { what: 'built-in tools', bytes: sum(({ name }) => name === 'built-ins') },
    { what: 'other tools', bytes: sum(({ name }) => name.startsWith('tool ')) },
    conversation,
  ];
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function numbered(count: number): string {
  return count.toLocaleString('en-US');
}
