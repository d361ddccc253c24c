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

/** Hashes a request segment by segment, as it is serialised. `builtins` of its tools, from the first, are one segment. */
export function takeReceipt(request: ModelRequest, builtins: number): Receipt {
  return [
    segment('built-ins', request.tools.slice(0, builtins)),
    ...request.tools.slice(builtins).map((tool) => segment(`tool ${tool.name}`, tool, tool.defer_loading !== true)),
    segment('system', request.system),
    ...request.messages.map(messageSegment),
  ];
}

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
  const was = before.filter(({ prefix }) => prefix);
  const is = now.filter(({ prefix }) => prefix);
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

/** A message that was sent is never edited, so it is measured once: a long history would be read anew at each request. */
function messageSegment(message: Message, at: number): Segment {
  const known = measured.get(message);
  if (known?.at === at) return known.segment;
  const fresh = segment(`message ${at + 1}`, message);
  measured.set(message, { at, segment: fresh });
  return fresh;
}

// A memo of a pure function over values that nobody changes, not state: an entry goes when its message goes.
const measured = new WeakMap<Message, { readonly at: number; readonly segment: Segment }>();
