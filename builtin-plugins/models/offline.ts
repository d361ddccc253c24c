import type { Model } from 'pegboard';

import { NOTICE } from './offline/notice.ts';

/**
 * A model that is none: it searches tools by the words of the request, takes the best, fills its input by names, types and formats,
 * and says what came of it. It works without network and key, and says in every answer what it is.
 */
export function offlineModel(): Model {
  return {
    name: 'offline',
    strategy: 'append',
    // It reads no text, so none is too long for it, and it could not summarise one.
    contextTokens: Number.MAX_SAFE_INTEGER,
    notice: NOTICE,
    async *stream(request, signal) {
      signal.throwIfAborted();
      const { answerTo } = await import('./offline/answer.ts');
      const blocks = answerTo(request);
      for (const block of blocks) yield { kind: 'block', block };
      yield { kind: 'stop', reason: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn' };
    },
  };
}
