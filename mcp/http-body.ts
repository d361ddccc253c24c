import { HttpFailure } from './http-failure.ts';
import { holdsMessages, strictMessages } from './json-rpc.ts';

/** What is said with these needs no reading, and some never end it. */
const WORDLESS: readonly number[] = [202, 204, 205, 304];

/** What an answer answers. */
export interface Question {
  /** The id of the request; `undefined` where none was made. */
  readonly asked: () => unknown;
  /** Whether its answer may also come over a stream that is open already. */
  readonly mayComeApart: boolean;
  /** How long one message may be. */
  readonly mostBytes: number;
}

/** Whether this content type is that of a stream of events. */
export function isEvents(type: string | null): boolean {
  return /^\s*text\/event-stream/i.test(type ?? '');
}

/**
 * A server's answer as the SDK takes it: bounded in memory however it is cut into lines and events, its messages in their strict form,
 * for the SDK refuses a whole message over one member it does not know. Rejects where a request was answered with nothing.
 */
export async function readableAnswer(response: Response, { asked, mayComeApart, mostBytes }: Question): Promise<Response> {
  const { body, status } = response;
  const wordless = WORDLESS.includes(status);
  if (wordless && (mayComeApart || asked() === undefined)) return response;
  const headers = new Headers(response.headers);
  const as = { status: wordless ? 200 : status, statusText: response.statusText, url: response.url };
  if (body !== null && isEvents(headers.get('content-type'))) return again(body.pipeThrough(strictEvents(asked, mostBytes)), as, headers);
  const text = body === null ? '' : await boundedText(body, mostBytes);
  if (response.ok && text.trim() === '' && asked() !== undefined) throw new HttpFailure(status, 'it took the request and answered nothing');
  const isJson = /^\s*application\/([\w.-]+\+)?json/i.test(headers.get('content-type') ?? '') || (response.ok && holdsMessages(text));
  if (isJson) headers.set('content-type', 'application/json');
  return again(isJson ? strictMessages(text, asked) : text, as, headers);
}

function again(
  body: string | ReadableStream<Uint8Array>,
  { status, statusText, url }: Pick<Response, 'status' | 'statusText' | 'url'>,
  headers: Headers,
): Response {
  // Where a redirect has led cannot be said of a new response otherwise.
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}

async function boundedText(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error(tooLong('an answer', mostBytes));
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function tooLong(what: string, mostBytes: number): string {
  return `${what} of more than ${mostBytes} bytes (ask it for less at once, or raise \`messageLimit\` in its definition)`;
}

/** Events with their data in one line, whichever ends its lines have. A whole one that is cut off only behind its last line counts. */
function strictEvents(asked: () => unknown, mostBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const event = new EventLines();
  let line = '';
  let afterReturn = false;
  let size = 0;
  const pass = (lines: readonly string[], control: TransformStreamDefaultController<Uint8Array>): void => {
    const out = lines.flatMap((each) => event.take(each, asked));
    if (out.length > 0) control.enqueue(encoder.encode(`${out.join('\n')}\n`));
  };
  return new TransformStream({
    transform(chunk, control) {
      const text = decoder.decode(chunk, { stream: true });
      const [first = '', ...others] = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\r|\n/);
      afterReturn = text.endsWith('\r');
      size += chunk.length;
      if (others.length === 0) line += first;
      else {
        pass([line + first, ...others.slice(0, -1)], control);
        line = others.at(-1) ?? '';
        if (!event.isOpen) size = line.length;
      }
      if (size > mostBytes) control.error(new Error(tooLong(event.isOpen ? 'an event' : 'a line', mostBytes)));
    },
    flush: (control) => pass([line, ...(line === '' && !event.isOpen ? [] : [''])], control),
  });
}

/** The lines of one event after the other. */
class EventLines {
  #data: string[] = [];

  /** Whether data waits for the end of its event. */
  get isOpen(): boolean {
    return this.#data.length > 0;
  }

  /** What comes out when this line has come in. */
  take(line: string, asked: () => unknown): readonly string[] {
    const [, data] = /^data(?:: ?|$)(.*)$/s.exec(line) ?? [];
    if (data !== undefined) this.#data.push(data);
    if (data !== undefined) return [];
    if (line !== '') return [line];
    const text = this.#data.join('\n');
    const lines = this.isOpen ? strictMessages(text, asked).split('\n') : [];
    this.#data = [];
    return [...lines.map((each) => `data: ${each}`), ''];
  }
}
