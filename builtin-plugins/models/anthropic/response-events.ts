import type { Stream } from '@anthropic-ai/sdk/streaming';

import { BrokenStream } from './read-stream.ts';
import type { Fields } from './request-body.ts';

/** An error that came within an answer, after the endpoint had begun it. */
export class StreamedError extends Error {
  /** In the words of the API. */
  readonly type: string | undefined;

  constructor(type: unknown, message: unknown) {
    super(typeof message === 'string' && message !== '' ? message : String(type ?? 'the endpoint reports an error'));
    this.type = typeof type === 'string' ? type : undefined;
  }
}

/** What answered speaks something else, so nothing is gained by asking again. */
export class OtherAnswer extends Error {}

/** Some end a stream like this, as another API does. */
const DONE = '[DONE]';

/**
 * The events of an answer, by what they say themselves: endpoints that imitate the API may leave their names out, or answer whole where
 * a stream was asked for. Throws StreamedError for an error among them, OtherAnswer for a page or a value that is no message.
 */
export async function* responseEvents(response: Response, stream: typeof Stream): AsyncGenerator<Fields, void, undefined> {
  const type = response.headers.get('content-type') ?? '';
  if (/\bjson\b/.test(type)) return yield* wholeEvents(parsed(await response.text()));
  if (/\bhtml\b/.test(type)) throw new OtherAnswer('a web page');
  for await (const { data } of stream.rawEvents(response)) {
    if (data === '') continue;
    if (data === DONE) return yield { type: 'message_stop' };
    yield said(parsed(data));
  }
}

/** A message that came whole, as the events it would have been. */
function* wholeEvents(message: Fields): Generator<Fields, void, undefined> {
  const { content, stop_reason: reason, usage } = said(message);
  if (!Array.isArray(content)) throw new OtherAnswer('JSON that is no message');
  yield { type: 'message_start', message: { usage } };
  for (const [index, block] of (content as readonly Fields[]).entries()) {
    yield { type: 'content_block_start', index, content_block: block };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason: reason }, usage };
  yield { type: 'message_stop' };
}

function said(event: Fields): Fields {
  if (event['type'] !== 'error' && event['error'] === undefined) return event;
  const { type, message } = (
    typeof event['error'] === 'object' && event['error'] !== null ? event['error'] : { message: event['error'] }
  ) as Fields;
  throw new StreamedError(type, message);
}

function parsed(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Fields;
  } catch {
    // What cannot be read is as good as broken off.
  }
  throw new BrokenStream('a part of the answer was no JSON');
}
