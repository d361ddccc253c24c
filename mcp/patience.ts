import type { Answer, Patience } from './link.ts';

interface SendOptions {
  readonly signal: AbortSignal;
  readonly onprogress?: (report: unknown) => void;
  readonly onwait: (waiting: boolean) => void;
}

/**
 * Waits for one request as long as its patience says. While the server waits for this side, it is not silent. When that ends the request is aborted with a reason for the server, and the
 * answer says why. Never rejects: what `send` throws becomes an answer by `answerOf`.
 */
export async function waitPatiently(
  send: (options: SendOptions) => Promise<unknown>,
  { signal, idleMs, totalMs, progress }: Patience,
  answerOf: (cause: unknown) => Answer,
): Promise<Answer> {
  if (signal.aborted) return { kind: 'cancelled' };
  const stop = new AbortController();
  let stopped: Answer | undefined;
  const end = (as: Answer, told: string) => {
    stopped ??= as;
    stop.abort(told);
  };
  const cancel = () => end({ kind: 'cancelled' }, 'nobody waits for the answer any more');
  const late = (limitMs: number) => setTimeout(() => end({ kind: 'late', limitMs }, `no answer within ${limitMs} ms`), limitMs);
  const total = late(totalMs);
  let idle = late(idleMs);
  const onwait = (waiting: boolean) => {
    clearTimeout(idle);
    if (!waiting && !stop.signal.aborted) idle = late(idleMs);
  };
  const onprogress = (report: unknown) => {
    onwait(false);
    progress?.(report);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return { kind: 'result', result: await send({ signal: stop.signal, onwait, ...(progress ? { onprogress } : {}) }) };
  } catch (cause) {
    return stopped ?? answerOf(cause);
  } finally {
    clearTimeout(total);
    clearTimeout(idle);
    signal.removeEventListener('abort', cancel);
  }
}
