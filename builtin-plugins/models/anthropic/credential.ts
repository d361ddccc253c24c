/** What a request is signed with, and where it was found, for sentences; the value itself is in none of them. */
export interface Credential {
  readonly kind: 'key' | 'token' | 'none';
  readonly value: string;
  readonly from: string;
}

/** The credential of an environment: the key first, as the API's own tools have it. An endpoint on this machine needs none. */
export function credentialFrom(env: Readonly<Record<string, string | undefined>>): Credential | undefined {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_BASE_URL: address } = env;
  if (key) return { kind: 'key', value: key, from: 'ANTHROPIC_API_KEY' };
  if (token) return { kind: 'token', value: token, from: 'ANTHROPIC_AUTH_TOKEN' };
  return address !== undefined && isHere(address) ? { kind: 'none', value: 'none', from: 'no credential' } : undefined;
}

/** Whether an address leads to this machine. */
export function isHere(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
