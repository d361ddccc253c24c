import { causeText, oneLine } from 'pegboard';

/** Why a sign-in did not come about, as part of a sentence. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
}

const SAID_CHARS = 300;

/** The error code an authorization server has answered with, if that is what went wrong. */
export function oauthCode(cause: unknown): string | undefined {
  return cause instanceof Error && cause.name === 'OAuthError' && 'code' in cause ? String(cause.code) : undefined;
}

/** What went wrong, in one line, whoever said it. */
export function failureWords(cause: unknown): string {
  const code = oauthCode(cause);
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${causeText(cause.cause)}` : '';
  // What an answer was that is of no known form says nobody anything.
  const text = causeText(cause).replace(/: Invalid OAuth error response:[^]*$/, '');
  // A schema library lists what it found wrong; nobody signs in by reading that.
  if (text.startsWith('[')) return 'the metadata for signing in is not of the form it should have';
  return oneLine(code === undefined || text.includes(code) ? `${text}${inner}` : `${code}: ${text}`, SAID_CHARS);
}
