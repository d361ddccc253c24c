import type { Answer, Patience } from './link.ts';

interface SendOptions {
  /** For what is done beside the request. It is made when somebody looks at it, for it costs more than the rest of the waiting. */
  readonly signal: AbortSignal;
  readonly hold: (cancel: (reason: string) => void) => void;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly onprogress: ((report: unknown) => void) | undefined;
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
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  if (signal.aborted) return { kind: 'cancelled' };
  let stop: AbortController | undefined;
  let cancelSent: ((reason: string) => void) | undefined;
  let stopped: { readonly answer: Answer; readonly told: string } | undefined;
  const end = (answer: Answer, told: string) => {
    if (stopped) return;
    stopped = { answer, told };
    stop?.abort(told);
    cancelSent?.(told);
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
    const result = await send({
      headers,
      onwait,
      onprogress: progress && onprogress,
      hold: (cancelRequest) => {
        cancelSent = cancelRequest;
        if (stopped) cancelRequest(stopped.told);
      },
      get signal() {
        stop ??= new AbortController();
        if (stopped) stop.abort(stopped.told);
        return stop.signal;
      },
    });
    return { kind: 'result', result };
  } catch (cause) {
    return stopped?.answer ?? answerOf(cause);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
