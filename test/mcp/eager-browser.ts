import type { Browser } from 'pegboard/mcp';

/** A person who goes where they are sent and comes straight back. */
export function eagerBrowser(redirectUrl = 'http://127.0.0.1:39871/callback'): Browser {
  return {
    redirectUrl,
    visit: async (page: URL) => {
      const answer = await fetch(page, { redirect: 'manual' });
      const location = answer.headers.get('location');
      return location === null ? undefined : new URL(location).searchParams;
    },
  };
}
