import { createServer } from 'node:http';

import { listenHere } from './listen-here.ts';
import { eventsOf, messageOf, type ServerResponse } from './server-script.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an endpoint that imitates the Messages API may do otherwise than it. */
export interface Oddities {
  /** Members of a request that it refuses by name, anywhere in it. */
  readonly refuses?: readonly string[] | undefined;
  /** It takes a system prompt only as a text. */
  readonly systemAsText?: boolean | undefined;
  /** It says nothing of tokens, or that there were none. */
  readonly usage?: 'missing' | 'zero' | undefined;
  /** No pings, no names of events. */
  readonly bareEvents?: boolean | undefined;
  /** How the input of a call comes: in one piece, with the beginning of its block, as a text there, or nothing at all where it is empty. */
  readonly input?: 'one piece' | 'at once' | 'as text' | undefined;
  /** How an answer ends: without a reason, with words of another API, always as if there were no calls, or with `[DONE]` in place of the last event. */
  readonly end?: 'no reason' | 'other words' | 'always end_turn' | 'done' | 'nothing' | undefined;
  /** Calls without an id, or all with the same. */
  readonly ids?: 'missing' | 'same' | undefined;
  /** Thoughts without a signature stand before the answer. */
  readonly thinks?: boolean | undefined;
  /** Whatever is asked for, the answer comes whole. */
  readonly neverStreams?: boolean | undefined;
  /** Errors are no JSON of the API: a text, or an object of another form. */
  readonly errors?: 'text' | 'other form' | undefined;
}

/** An odd endpoint on this machine. */
export interface OddServer {
  readonly url: string;
  readonly bodies: readonly Fields[];
  close(): Promise<void>;
}

/** Starts an endpoint that answers with what is scripted, as oddly as it is told to; probes, which may say one token at most, use up no turn. */
export async function startOddServer(oddities: Oddities, turns: readonly ServerResponse[]): Promise<OddServer> {
  const bodies: Fields[] = [];
  let answered = 0;
  const server = createServer((request, reply) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = JSON.parse(text) as Fields;
      if (request.url?.startsWith('/v1/messages') !== true || request.url.includes('count_tokens')) return refuse(404, 'page not found');
      const wrong = complaint(body, oddities);
      if (wrong !== undefined) return refuse(400, wrong);
      bodies.push(body);
      const turn = body['max_tokens'] === 1 ? { text: 'x', usage: { input_tokens: 2_000, output_tokens: 1 } } : turns[answered++];
      if (turn === undefined) return refuse(500, 'the script has ended');
      if (oddities.neverStreams === true || body['stream'] !== true) {
        reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(odd(messageOf(turn, answered, 'odd'), oddities)));
      } else {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.end(
          oddEvents(turn, answered, oddities)
            .map((event) => line(event, oddities))
            .join(''),
        );
      }
    });
    const refuse = (status: number, message: string) => {
      const said = { text: message, 'other form': JSON.stringify({ error: message }) }[oddities.errors ?? 'text'];
      const whole = oddities.errors === undefined ? JSON.stringify({ type: 'error', error: { type: 'error', message } }) : said;
      reply.writeHead(status, { 'content-type': oddities.errors === 'text' ? 'text/plain' : 'application/json' }).end(whole);
    };
  });
  return { ...(await listenHere(server)), bodies };
}

function complaint(body: Fields, { refuses = [], systemAsText }: Oddities): string | undefined {
  const text = JSON.stringify(body);
  const found = refuses.find((name) => text.includes(`"${name}":`) || text.includes(`"type":"${name}"`));
  if (found !== undefined) return `unknown field "${found}"`;
  return systemAsText === true && typeof body['system'] === 'object' ? 'system: should be a string' : undefined;
}

function line(event: Fields, { bareEvents }: Oddities): string {
  if (event['done'] === true) return 'data: [DONE]\n\n';
  return `${bareEvents === true ? '' : `event: ${String(event['type'])}\n`}data: ${JSON.stringify(event)}\n\n`;
}

const OTHER_WORDS: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls', max_tokens: 'length' };

function oddReason(reason: unknown, { end }: Oddities): unknown {
  if (end === 'no reason' || end === 'nothing') return null;
  if (end === 'other words') return OTHER_WORDS[String(reason)];
  return end === 'always end_turn' ? 'end_turn' : reason;
}

/** A whole message, made odd. */
function odd(message: Fields & { readonly content: readonly Fields[] }, oddities: Oddities): Fields {
  const content = message.content.map((block) =>
    oddities.input === 'as text' && block['type'] === 'tool_use' ? { ...block, input: JSON.stringify(block['input']) } : block,
  );
  return { ...message, content, stop_reason: oddReason(message['stop_reason'], oddities), ...oddUsage(oddities) };
}

function oddUsage({ usage }: Oddities): Fields {
  if (usage === undefined) return {};
  return { usage: usage === 'missing' ? undefined : { input_tokens: 0, output_tokens: 0 } };
}

function oddEvents(turn: ServerResponse, count: number, oddities: Oddities): readonly Fields[] {
  const { end, bareEvents, thinks, usage } = oddities;
  const thought = { type: 'thinking', thinking: 'Let me see.' };
  const blocks = messageOf(turn, count, 'odd').content;
  const events = eventsOf(thinks === true ? { ...turn, blocks: [thought, ...blocks] } : turn, count, 'odd');
  return events.flatMap((event): readonly Fields[] => {
    switch (event['type']) {
      case 'ping':
        return bareEvents === true ? [] : [event];
      case 'message_start':
        return [usage === undefined ? event : { ...event, message: { ...(event['message'] as Fields), ...oddUsage(oddities) } }];
      case 'content_block_start':
        return [
          {
            ...event,
            content_block: oddBlock(
              event['content_block'] as Fields,
              event['index'] as number,
              [...(thinks === true ? [thought] : []), ...blocks],
              oddities,
            ),
          },
        ];
      case 'content_block_delta':
        return oddDelta(event, [...(thinks === true ? [thought] : []), ...blocks], oddities);
      case 'message_delta': {
        const delta = event['delta'] as Fields;
        return end === 'nothing'
          ? []
          : [{ ...event, delta: { ...delta, stop_reason: oddReason(delta['stop_reason'], oddities) }, ...oddUsage(oddities) }];
      }
      case 'message_stop':
        return [end === 'done' ? { done: true } : event];
      default:
        return [event];
    }
  });
}

function oddBlock(start: Fields, index: number, blocks: readonly Fields[], { input, ids }: Oddities): Fields {
  if (start['type'] === 'thinking') return { type: 'thinking', thinking: '' };
  if (start['type'] !== 'tool_use') return start;
  const { id, ...rest } = start;
  const given = blocks[index]?.['input'];
  return {
    ...rest,
    ...(ids === 'missing' ? {} : { id: ids === 'same' ? 'call_0' : id }),
    ...(input === 'at once'
      ? { input: given }
      : input === 'as text'
        ? { input: JSON.stringify(given) }
        : input === 'one piece'
          ? { input: '' }
          : {}),
  };
}

/** The input of a call comes in other pieces; a thought has no signature. */
function oddDelta(event: Fields, blocks: readonly Fields[], { input }: Oddities): readonly Fields[] {
  const { type, partial_json: part } = event['delta'] as Fields;
  if (type === 'signature_delta') return [];
  if (type !== 'input_json_delta' || input === undefined) return [event];
  const whole = JSON.stringify(blocks[event['index'] as number]?.['input']);
  // Where it comes in one piece, that is the first one's place.
  return input === 'one piece' && whole.startsWith(String(part)) ? [{ ...event, delta: { type, partial_json: whole } }] : [];
}
