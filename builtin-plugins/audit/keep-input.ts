import { createHash } from 'node:crypto';

import { maskRecord } from './mask-record.ts';

/** An input as it is kept: the same digest is the same input, as far as it is kept. Nothing in it is secret. */
export type AuditInput = {
  /** sha256 of what is kept, as JSON, secrets masked. */
  readonly digest: string;
  /** About how long it was, in characters. */
  readonly chars: number;
  /** Its beginning as JSON, secrets masked. */
  readonly preview: string;
} & (
  | { readonly kind: 'whole'; readonly value: unknown }
  /** It cannot be judged again. */
  | { readonly kind: 'part'; readonly why: 'it holds secrets' | 'it is too large' | 'it is not JSON' }
);

const PREVIEW_CHARS = 300;
const WHOLE_CHARS = 8_000;
/** Longer than a preview, so that the cut end of a text, where half a secret may stand, is never shown. */
const TEXT_CHARS = 4_000;
/** A secret that a cut has gone through is not known by its form any more, so this much before a cut goes as well. */
const SECRET_CHARS = 1_000;
const ALL_CHARS = 20_000;
const MOST_VALUES = 1_000;
const DEEPEST = 20;

/** Keeps an input whole where it is small and has no secret in it, and of any other its digest and beginning. */
export function keepInput(input: unknown): AuditInput {
  const cut = cutDown(input);
  const text = jsonOf(cut.value);
  const kept = jsonOf(maskRecord(cut.value));
  const about = {
    digest: createHash('sha256')
      .update(kept ?? '')
      .digest('hex'),
    chars: cut.chars,
    preview: (kept ?? '').slice(0, PREVIEW_CHARS),
  };
  if (text === undefined || kept === undefined) return { kind: 'part', why: 'it is not JSON', ...about };
  if (kept !== text) return { kind: 'part', why: 'it holds secrets', ...about };
  if (cut.some || text.length > WHOLE_CHARS) return { kind: 'part', why: 'it is too large', ...about };
  return { kind: 'whole', ...about, value: cut.value };
}

/** Any value of a record without its secrets, and not longer than a record should be. */
export function withoutSecrets(value: unknown): unknown {
  return maskRecord(cutDown(value).value);
}

/** The same for a text that stands in a record: what follows a cut is said to be missing. */
export function textWithoutSecrets(text: string, most: number): string {
  const masked = String(withoutSecrets(text));
  return masked.length > most ? `${masked.slice(0, most)}…` : masked;
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return undefined;
  }
}

/** A text that goes on after its end, without the word that may stand there in part. */
function cutAtSpace(text: string): string {
  let end = text.length;
  while (end > 0 && text.length - end < SECRET_CHARS && /\S/.test(text.charAt(end - 1))) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** One after the other, so that nothing is made of those that nobody looks at. */
function* membersOf(value: object): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) yield [String(at), value[at]];
    return;
  }
  for (const name in value) if (Object.hasOwn(value, name)) yield [name, (value as Readonly<Record<string, unknown>>)[name]];
}

/** A copy of bounded size: a call must not wait while a text of megabytes is searched for secrets. */
function cutDown(value: unknown): { readonly value: unknown; readonly chars: number; readonly some: boolean } {
  const room = { values: MOST_VALUES, chars: 0, cut: false };
  const copy = (each: unknown, depth: number): unknown => {
    room.values -= 1;
    if (typeof each === 'string') {
      const most = Math.min(TEXT_CHARS, Math.max(0, ALL_CHARS - room.chars));
      room.chars += each.length;
      room.cut ||= each.length > most;
      return each.length > most ? cutAtSpace(each.slice(0, most)) : each;
    }
    if (typeof each !== 'object' || each === null) return each;
    if (depth > DEEPEST) {
      room.cut = true;
      return '…';
    }
    const members: (readonly [string, unknown])[] = [];
    for (const [name, member] of membersOf(each)) {
      if (room.values <= 0) {
        room.cut = true;
        break;
      }
      members.push([String(copy(name, depth)), copy(member, depth + 1)]);
    }
    return Array.isArray(each) ? members.map(([, member]) => member) : Object.fromEntries(members);
  };
  const copied = copy(value, 0);
  return { value: copied, chars: room.chars, some: room.cut };
}
