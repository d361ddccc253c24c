/** `undefined` when the signal comes first. Nothing stays behind on the signal, which outlives many calls. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  let leave: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
