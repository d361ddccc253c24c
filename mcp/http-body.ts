import { holdsMessages, strictMessages } from './json-rpc.ts';

const MAX_BYTES = 10_000_000;
/** What is said with these needs no reading, and some never end it. */
const WORDLESS: readonly number[] = [202, 204, 205, 304];

/**
 * A server's answer as the SDK takes it: bounded in memory however it is cut into lines and events, its messages in their strict form,
 * for the SDK refuses a whole message over one member it does not know. `asked` is the id of what it answers.
 */
export async function readableAnswer(response: Response, asked: () => unknown): Promise<Response> {
  const { body, status } = response;
  if (body === null || WORDLESS.includes(status)) return response;
  const headers = new Headers(response.headers);
  const type = headers.get('content-type') ?? '';
  if (/^\s*text\/event-stream/i.test(type)) return again(body.pipeThrough(strictEvents(asked)), response, headers);
  const text = await boundedText(body);
  const isJson = /^\s*application\/([\w.-]+\+)?json/i.test(type) || (status === 200 && holdsMessages(text));
  if (isJson) headers.set('content-type', 'application/json');
  return again(isJson ? strictMessages(text, asked) : text, response, headers);
}

function again(
  body: string | ReadableStream<Uint8Array>,
  { status, statusText, url }: Pick<Response, 'status' | 'statusText' | 'url'>,
  headers: Headers,
): Response {
  // Where a redirect has led cannot be said of a new response otherwise.
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}

async function boundedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error(`an answer of more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Events with their data in one line, whichever ends its lines have. A whole one that is cut off only behind its last line counts. */
function strictEvents(asked: () => unknown): TransformStream<Uint8Array, Uint8Array> {
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
      if (size > MAX_BYTES) control.error(new Error(`${event.isOpen ? 'an event' : 'a line'} of more than ${MAX_BYTES} bytes`));
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
