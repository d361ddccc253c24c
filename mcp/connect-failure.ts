import { PegboardError, causeText, oneLine } from 'pegboard';
import type { ProcessEnd } from 'pegboard/kit';

import { refusedProof } from './auth/refused-proof.ts';
import type { ServerConfig, ServerTransport } from './config.ts';
import { Challenged } from './http-failure.ts';
import { ENDED, UNREACHED, type LikelyCause } from './likely-causes.data.ts';
import type { ServerLog } from './log.ts';
import { fetchedProgram } from './package-runner.ts';
import { NOT_PROTOCOL, endWords } from './stdio.ts';
import { shownUrl, withoutSecrets } from './without-secrets.ts';

/** A server has not answered within its time. */
export class Overdue extends Error {
  override readonly name = 'Overdue';
}

/** Why a server could not be connected, as one sentence with what to do. */
export function connectFailure(config: ServerConfig, cause: unknown, end: ProcessEnd | undefined, log: ServerLog): PegboardError {
  const { name: server, origin: file, transport, connectLimitMs: limit } = config;
  const options = { cause };
  if (cause instanceof PegboardError) return cause;
  if (end?.kind === 'notStarted' && end.code === 'ENOENT' && transport.kind === 'stdio')
    return new PegboardError('MCP_COMMAND', { server, command: transport.command, file }, options);
  if (end?.kind === 'notStarted')
    return new PegboardError('MCP_CONNECT', { server, cause: withoutSecrets(endWords(end), transport) }, options);
  if (end)
    return new PegboardError(
      'MCP_EXIT',
      { server, end: endWords(end), said: `${said(log)}${likely(ENDED, log.lastLine() ?? '')}`, log: log.path },
      options,
    );
  if (cause instanceof Overdue && transport.kind === 'http')
    return new PegboardError('MCP_HTTP', { server, url: shownUrl(transport), cause: silence(limit), file }, options);
  if (cause instanceof Overdue)
    return new PegboardError(
      'MCP_SILENT',
      { server, request: 'initialize', limit, said: `${said(log)}${fetchWords(transport)}`, log: log.path },
      options,
    );
  if (cause instanceof Challenged && transport.kind === 'http') return refusedProof(server, transport, cause.challenge);
  if (transport.kind === 'http')
    return new PegboardError('MCP_HTTP', { server, url: shownUrl(transport), cause: httpCause(cause, transport), file }, options);
  return new PegboardError('MCP_CONNECT', { server, cause: oneLine(withoutSecrets(causeText(cause), transport), CAUSE_CHARS) }, options);
}

function fetchWords(transport: ServerTransport): string {
  const runner = fetchedProgram(transport);
  if (runner === undefined) return '';
  return ` The first time ${runner.words.join(' ')} fetches the ${runner.fetches}, which may take longer: fetch it by hand, or raise \`fetchTimeout\` (ms).`;
}

const CAUSE_CHARS = 300;
const CONTENT_LENGTH = /Content-Length: ?\d+/i;

/** The last line a server wrote outside the protocol, in a sentence. */
export function said(log: ServerLog): string {
  const last = oneLine(log.lastLine() ?? '', CAUSE_CHARS);
  if (CONTENT_LENGTH.test(last)) return 'It puts Content-Length before each message, as language servers do; MCP has one message a line.';
  if (last.startsWith(NOT_PROTOCOL)) return `It printed on stdout what is not MCP: "${last.slice(NOT_PROTOCOL.length)}".`;
  return last === '' ? 'It printed nothing.' : `It last printed: "${last}".`;
}

function silence(limitMs: number): string {
  return `it did not answer within ${limitMs} ms. Raise \`connectTimeout\` (ms) if it needs longer`;
}

/** What a failure probably comes from and what mends it, as a sentence after others. */
function likely(causes: readonly LikelyCause[], text: string): string {
  const found = causes.find(({ looks }) => looks.test(text));
  return found === undefined ? '' : ` ${found.words}`;
}

function httpCause(cause: unknown, transport: ServerTransport & { readonly kind: 'http' }): string {
  const inner =
    cause instanceof Error && cause.cause instanceof Error ? `${causeText(cause)}: ${causeText(cause.cause)}` : causeText(cause);
  const words = oneLine(withoutSecrets(inner, transport), CAUSE_CHARS);
  const probably = likely(UNREACHED, inner).replace(/\.$/, '');
  return probably === '' ? words : `${words}.${probably}`;
}
