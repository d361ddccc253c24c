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
  const begun = performance.now();
  /** Since when the server has been silent; nothing while it waits for this side. */
  let silent: number | undefined = begun;
  // One timer for both limits, which only looks whether one is over: progress comes in floods, and most calls have none.
  const look = (): void => {
    const now = performance.now();
    const total = begun + totalMs - now;
    const idle = silent === undefined ? Infinity : silent + idleMs - now;
    const limitMs = idle < total ? idleMs : totalMs;
    if (Math.min(total, idle) <= 0) return end({ kind: 'late', limitMs }, `no answer within ${limitMs} ms`);
    timer = setTimeout(look, Math.ceil(Math.min(total, idle, silent === undefined ? idleMs : Infinity)));
  };
  let timer = setTimeout(look, Math.min(idleMs, totalMs));
  const onwait = (waiting: boolean) => {
    silent = waiting ? undefined : performance.now();
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
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
