/** What a piece of work gives, or the error of `late` once it took longer than `limitMs`. The work itself is not stopped: whoever started it can be told. */
export async function withLimit<Value>(work: Value | Promise<Value>, limitMs: number, late: () => Error): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
