import { oneLine } from 'pegboard';

import type { Greeting } from './handshake.ts';
import { isObject, jsonText } from './json.ts';
import type { Params } from './link.ts';
import type { Peer } from './peer.ts';

/** How much a server is asked to tell, from most to least. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LINE_CHARS = 2_000;
const LEVEL_META = 'io.modelcontextprotocol/logLevel';

/** A log message of a server as a line of its log. */
export function logLine({ level, logger, data }: Params): string {
  const from = typeof logger === 'string' && logger !== '' ? ` ${logger}` : '';
  const text = typeof data === 'string' ? data : (jsonText(data) ?? '');
  return oneLine(`[${typeof level === 'string' ? level : 'log'}${from}] ${text}`, LINE_CHARS);
}

/** Asks a server that logs for messages from a level on: once, or with every message where nothing is remembered. */
export function setLogLevel(peer: Peer, { era, capabilities }: Greeting, level: LogLevel): void {
  if (!isObject(capabilities['logging'])) return;
  if (era === 'modern') peer.meta = { ...peer.meta, [LEVEL_META]: level };
  else peer.request('logging/setLevel', { level }).catch(() => undefined);
}
