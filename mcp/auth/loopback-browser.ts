import { timeSignal } from 'pegboard/kit';

import { openCallback } from './callback-server.ts';
import type { Browser } from './consent.ts';
import { SignInFailure } from './sign-in-failure.ts';
import type { SignInDesk } from './sign-in.ts';

const LIMIT_MS = 300_000;

/** A person's own browser, which comes back to a free port of this machine; or whatever the person pastes instead. */
export async function openLoopbackBrowser(desk: SignInDesk, port: number | undefined): Promise<Browser & { close(): Promise<void> }> {
  const callback = await openCallback(port).catch((cause: NodeJS.ErrnoException) => {
    throw new SignInFailure(`nobody can be sent back to port ${port} of this machine (${cause.code}); end what uses it`, { cause });
  });
  return {
    redirectUrl: callback.redirectUrl,
    visit: async (url, given) => {
      const done = new AbortController();
      const time = timeSignal(given, LIMIT_MS);
      const signal = AbortSignal.any([time.signal, done.signal]);
      const state = url.searchParams.get('state') ?? '';
      const answered = Promise.race([callback.answer(state, signal), ...(desk.pasted ? [readPasted(desk.pasted, state, signal)] : [])]);
      // Awaited below; without this a person who cannot be shown the address would leave an unhandled rejection.
      answered.catch(() => undefined);
      try {
        await desk.show(url);
        return await answered;
      } finally {
        time.done();
        done.abort();
      }
    },
    close: () => callback.close(),
  };
}

/** A whole address, what follows its question mark, or only a code: that comes from the person who was asked for it. */
async function readPasted(
  pasted: NonNullable<SignInDesk['pasted']>,
  state: string,
  signal: AbortSignal,
): Promise<URLSearchParams | undefined> {
  const line = (await pasted(signal))?.trim();
  if (line === undefined || line === '') return undefined;
  if (URL.canParse(line)) return new URL(line).searchParams;
  return line.includes('=') ? new URLSearchParams(line.replace(/^\?/, '')) : new URLSearchParams({ code: line, state });
}
