import { createHash } from 'node:crypto';

import type { Message } from './message.ts';
import type { ModelRequest } from './model.ts';

/** One stretch of a request: its name, its hash and its size in UTF-8 bytes. */
export interface Segment {
  readonly name: string;
  /** Does it stand in the prefix that endpoints cache? Deferred definitions do not. */
  readonly prefix: boolean;
  readonly hash: string;
  readonly bytes: number;
}

/** What a request was made of, in order: built-ins, each other tool, system, each message. */
export type Receipt = readonly Segment[];

/** What is not as it was in the request before. Everything behind the first of them is read anew by the endpoint. */
export interface ReceiptChange {
  readonly kind: 'changed' | 'added' | 'gone';
  readonly segment: string;
  readonly bytes: number;
}

/**
 * Hashes a request segment by segment, as it is serialised. `builtins` of its tools, from the first, are one segment. A message that was
 * sent is never edited, so those that the request of `before` began with as well are not measured anew.
 */
export function takeReceipt({ system, tools, messages }: ModelRequest, builtins: number, before: Receipt = []): Receipt {
  const head = [
    segment('built-ins', tools.slice(0, builtins)),
    ...tools.slice(builtins).map((tool) => segment(`tool ${tool.name}`, tool, tool.defer_loading !== true)),
    segment('system', system),
  ];
  const { messages: earlier, from } = measured.get(before) ?? { messages: [], from: 0 };
  const differs = earlier.findIndex((message, at) => message !== messages[at]);
  const same = differs === -1 ? earlier.length : differs;
  const fresh = messages.slice(same).map((message, at) => segment(`message ${same + at + 1}`, message));
  // Not spread: in a long conversation that is the dearest part of a turn.
  const receipt = head.concat(before.slice(from, from + same), fresh);
  measured.set(receipt, { messages, from: head.length });
  return receipt;
}

// Of what a receipt was taken: a memo of values that nobody changes, not state. An entry goes when its receipt goes.
const measured = new WeakMap<Receipt, { readonly messages: readonly Message[]; readonly from: number }>();

/** What changed since the request before, apart from new messages at the end. */
export function compareReceipts(before: Receipt, now: Receipt): readonly ReceiptChange[] {
  const same = sameLength(before, now);
  const was = before.slice(same);
  const is = now.slice(same);
  const old = new Map(was.map((each) => [each.name, each]));
  const fresh = new Set(is.map(({ name }) => name));
  const changes: ReceiptChange[] = [];
  for (const { name, hash, bytes } of is) {
    const earlier = old.get(name);
    if (earlier === undefined && !name.startsWith('message ')) changes.push({ kind: 'added', segment: name, bytes });
    if (earlier !== undefined && earlier.hash !== hash) changes.push({ kind: 'changed', segment: name, bytes });
  }
  return [
    ...changes,
    ...was.filter(({ name }) => !fresh.has(name)).map(({ name, bytes }) => ({ kind: 'gone' as const, segment: name, bytes })),
  ];
}

/**
 * How many bytes an endpoint that caches prefixes reads a second time: what stands unchanged in both requests, but behind the
 * first difference. Deferred definitions lie outside the prefix and cost nothing here.
 */
export function bytesReadAgain(before: Receipt, now: Receipt): number {
  const begins = sameLength(before, now);
  const was = before.slice(begins).filter(({ prefix }) => prefix);
  const is = now.slice(begins).filter(({ prefix }) => prefix);
  const key = ({ name, hash }: Segment) => `${name} ${hash}`;
  const same = sameLength(was, is);
  const known = new Set(was.slice(same).map(key));
  return is
    .slice(same)
    .filter((each) => known.has(key(each)))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How many segments, from the first, are the same in both: all but the newest in a long conversation. */
export function sameLength(a: Receipt, b: Receipt): number {
  const differs = a.findIndex((one, at) => one !== b[at] && (one.hash !== b[at]?.hash || one.name !== b[at].name));
  return differs === -1 ? a.length : differs;
}

function segment(name: string, value: unknown, prefix = true): Segment {
  const text = JSON.stringify(value);
  return { name, prefix, hash: createHash('sha256').update(text).digest('hex').slice(0, 16), bytes: Buffer.byteLength(text) };
}
