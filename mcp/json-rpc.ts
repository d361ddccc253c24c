import { isObject, jsonText, type JsonObject } from './json.ts';

const SHOWN_CHARS = 300;
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** What a side has answered instead of a result. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The error of an answer, in whatever form it was put; `undefined` where there is none. Many write one of `null` beside a result. */
export function errorIn({ error, result }: JsonObject): RpcError | undefined {
  if (error === undefined || ((error === null || error === false) && result !== undefined)) return undefined;
  const { code, message, data } = isObject(error) ? error : { message: error };
  const words = typeof message === 'string' && message !== '' ? message : shown(message ?? data);
  return { code: typeof code === 'number' ? code : 0, message: words, ...(data === undefined ? {} : { data }) };
}

function shown(value: unknown): string {
  return (value ?? undefined) === undefined ? 'it gave no reason' : (jsonText(value) ?? 'it gave no reason').slice(0, SHOWN_CHARS);
}

/**
 * A text of messages as a strict reader takes it: without members of their own or of `null`, every error in its form. An answer without
 * an id is one to `asked`. Text of anything else, and of sound messages, comes back as it is.
 */
export function strictMessages(text: string, asked: () => unknown): string {
  const value = parsed(text);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (messages.every(isStrict) || !messages.some(isMessage)) return text;
  const strict = messages.filter(isMessage).map((each) => strictMessage(each, asked));
  return JSON.stringify(Array.isArray(value) ? strict : strict[0]);
}

/** Whether a text is messages of the protocol and nothing else. */
export function holdsMessages(text: string): boolean {
  const value = parsed(text);
  return Array.isArray(value) ? value.length > 0 && value.every(isMessage) : isMessage(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JsonObject {
  return isObject(value) && value['jsonrpc'] === '2.0';
}

function isStrict(value: unknown): boolean {
  if (!isMessage(value) || value['id'] === null || !Object.keys(value).every((key) => MEMBERS.has(key))) return false;
  if (typeof value['method'] === 'string') return value['params'] === undefined || isObject(value['params']);
  return value['id'] !== undefined && value['error'] === undefined && isObject(value['result']);
}

function strictMessage(message: JsonObject, asked: () => unknown): JsonObject {
  const { jsonrpc, id, method, params, result } = message;
  const head = { jsonrpc, ...((id ?? undefined) === undefined ? {} : { id }) };
  if (typeof method === 'string') return { ...head, method, ...(isObject(params) ? { params } : {}) };
  const error =
    errorIn(message) ??
    (isObject(result)
      ? undefined
      : { code: 0, message: `it answered without a result: ${jsonText(result ?? null)?.slice(0, SHOWN_CHARS) ?? ''}` });
  return { ...head, id: id ?? asked(), ...(error ? { error } : { result }) };
}
