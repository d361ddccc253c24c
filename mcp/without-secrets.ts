import type { ServerTransport } from './config.ts';

const SHORTEST_SECRET = 6;

/** A text for logs and messages without what a definition keeps secret: whatever complains of a header or an address quotes it, key and all. */
export function withoutSecrets(text: string, transport: ServerTransport): string {
  if (transport.kind !== 'http') return text;
  const { search, username, password } = new URL(transport.url);
  const values = [...Object.values(transport.headers), search, username, password].flatMap((value) => [value, value.trim()]);
  return values.filter((value) => value.length >= SHORTEST_SECRET).reduce((rest, value) => rest.replaceAll(value, '…'), text);
}

/** Without user, password and query, where keys are often kept. */
export function shownUrl({ url }: ServerTransport & { readonly kind: 'http' }): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
