import type { Answer, Patience } from './link.ts';

interface Sending {
  readonly hold: (cancel: (reason: string) => void) => void;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly onprogress: ((report: unknown) => void) | undefined;
  readonly onwait: (waiting: boolean) => void;
}

/** A class, because of an accessor in a literal each object gets a shape of its own, which costs all that read it. */
class SendOptions implements Sending {
  readonly hold: Sending['hold'];
  readonly headers: Sending['headers'];
  readonly onprogress: Sending['onprogress'];
  readonly onwait: Sending['onwait'];
  readonly #signal: () => AbortSignal;

  constructor({ hold, headers, onprogress, onwait }: Sending, signal: () => AbortSignal) {
    this.hold = hold;
    this.headers = headers;
    this.onprogress = onprogress;
    this.onwait = onwait;
    this.#signal = signal;
  }

  /** For what is done beside the request. It is made when somebody looks at it, for it costs more than the rest of the waiting. */
  get signal(): AbortSignal {
    return this.#signal();
  }
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
    const hold: Sending['hold'] = (cancelRequest) => {
      cancelSent = cancelRequest;
      if (stopped) cancelRequest(stopped.told);
    };
    const signalOf = () => {
      stop ??= new AbortController();
      if (stopped) stop.abort(stopped.told);
      return stop.signal;
    };
    const result = await send(new SendOptions({ hold, headers, onprogress: progress && onprogress, onwait }, signalOf));
    return { kind: 'result', result };
  } catch (cause) {
    return stopped?.answer ?? answerOf(cause);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}
