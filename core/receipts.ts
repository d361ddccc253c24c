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
    ...request.messages.map((message, at) => ({ name: `message ${at + 1}`, prefix: true, ...measured(message) })),
  ];
}

/** What changed since the request before, apart from new messages at the end. */
export function compareReceipts(before: Receipt, now: Receipt): readonly ReceiptChange[] {
  const old = new Map(before.map((each) => [each.name, each]));
  const fresh = new Set(now.map(({ name }) => name));
  const changes: ReceiptChange[] = [];
  for (const { name, hash, bytes } of now) {
    const was = old.get(name);
    if (was === undefined && !name.startsWith('message ')) changes.push({ kind: 'added', segment: name, bytes });
    if (was !== undefined && was.hash !== hash) changes.push({ kind: 'changed', segment: name, bytes });
  }
  return [
    ...changes,
    ...before.filter(({ name }) => !fresh.has(name)).map(({ name, bytes }) => ({ kind: 'gone' as const, segment: name, bytes })),
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
  const known = new Set(was.map(key));
  const same = is.findIndex((each, at) => key(each) !== (was[at] && key(was[at])));
  return same === -1
    ? 0
    : is
        .slice(same)
        .filter((each) => known.has(key(each)))
        .reduce((sum, { bytes }) => sum + bytes, 0);
}

function segment(name: string, value: unknown, prefix = true): Segment {
  return { name, prefix, ...measure(value) };
}

type Measure = Pick<Segment, 'hash' | 'bytes'>;

function measure(value: unknown): Measure {
  const text = JSON.stringify(value);
  return { hash: createHash('sha256').update(text).digest('hex').slice(0, 16), bytes: Buffer.byteLength(text) };
}

/** A message that was sent is never edited, so it is measured once: a long history would be read anew at each request. */
function measured(message: Message): Measure {
  const known = measures.get(message) ?? measure(message);
  measures.set(message, known);
  return known;
}

// A memo of a pure function over values that nobody changes, not state: an entry goes when its message goes.
const measures = new WeakMap<Message, Measure>();
