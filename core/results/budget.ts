import { textOf } from '../message.ts';
import type { ToolResult } from '../tool.ts';
import type { ResultStore } from './store.ts';

/** What the results of one message may have together, in UTF-16 code units. */
const MESSAGE_CHARS = 200_000;

/** A result that is about to enter the history. */
export interface Given {
  readonly callId: string;
  readonly result: ToolResult;
  /** Its tool bounds it by itself: it is shortened like any other, but never kept in a file (M8.1). */
  readonly bounded: boolean;
}

/** Results of one message that fit together: the largest are shortened first, until all have room (M8.2). In the order they were given. */
export async function fitResults(given: readonly Given[], store: ResultStore, budget = MESSAGE_CHARS): Promise<readonly Given[]> {
  const sizes = new Map(given.map((each) => [each, textOf(each.result.content).length]));
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const fitted = new Map<Given, Given>();
  // Notes are as long as some hundred characters, so that many results need a smaller share each.
  const share = Math.max(0, Math.floor(budget / given.length) - NOTE_CHARS);
  for (const [each, size] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (total <= budget) break;
    const result = await store.shorten(each.callId, each.result, share, each.bounded);
    total += textOf(result.content).length - size;
    fitted.set(each, { ...each, result });
  }
  return given.map((each) => fitted.get(each) ?? each);
}

const NOTE_CHARS = 300;
