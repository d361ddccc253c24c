import { oneLine, type Asker, type ObjectSchema } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { isObject, type JsonObject } from '../json.ts';
import type { Params, Reply } from '../link.ts';

const INVALID_PARAMS = -32602;
const MAX_TRIES = 3;
const MESSAGE_CHARS = 2_000;
const PLAIN_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];
const DONE = 'Done';

/** Puts a question of a server to the person, with the server's name on it. Nobody there is the same as turning away from it. */
export function elicit(server: string, params: Params, asker: Asker, signal: AbortSignal): Promise<Reply> {
  return params['mode'] === 'url' ? askToOpen(server, params, asker, signal) : askForValues(server, params, asker, signal);
}

/** What comes back has to fit what was asked for: defaults are filled in, and who has answered something else is asked again. */
async function askForValues(server: string, params: Params, asker: Asker, signal: AbortSignal): Promise<Reply> {
  const asked = params['requestedSchema'];
  if (!isFlat(asked)) return refused('requestedSchema is not a flat object of texts, numbers, booleans and choices');
  const check = jsonSchema({ ...asked });
  let complaint = '';
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await asker.elicit({ server, message: `${textOf(params['message'])}${complaint}`, schema: asked }, signal);
    if (answer.kind !== 'accept') return action(answer.kind === 'decline' ? 'decline' : 'cancel');
    const content = withDefaults(answer.content, asked.properties);
    const checked = await check['~standard'].validate(content);
    if ('value' in checked) return { kind: 'result', result: { action: 'accept', content } };
    complaint = `\n(The last answer did not fit: ${checked.issues.map(({ message }) => message).join('; ')})`;
  }
  return action('cancel');
}

/** Nothing is opened or looked at beforehand: the person sees the whole address and goes there, or not. */
async function askToOpen(server: string, { url, message }: Params, asker: Asker, signal: AbortSignal): Promise<Reply> {
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) return refused('url is not an http or https address');
  const answer = await asker.question(
    {
      text: `Server "${server}" asks you to open this address in your browser:\n${address.href}\nIt says: ${oneLine(textOf(message), MESSAGE_CHARS)}`,
      options: [
        { label: DONE, description: 'I have opened it and finished what it asked for' },
        { label: 'No', description: 'I will not open it' },
      ],
    },
    signal,
  );
  if (answer.kind !== 'answer') return action(answer.kind === 'declined' ? 'decline' : 'cancel');
  return action(answer.text === DONE ? 'accept' : 'decline');
}

type FlatSchema = ObjectSchema & { readonly properties: Readonly<Record<string, JsonObject>> };

function isFlat(schema: unknown): schema is FlatSchema {
  if (!isObject(schema) || schema['type'] !== 'object' || !isObject(schema['properties'])) return false;
  return Object.values(schema['properties']).every((each) => isObject(each) && (PLAIN_TYPES.includes(each['type']) || isChoice(each)));
}

/** One of several, or several of them. */
function isChoice({ type, items, enum: values, oneOf, anyOf }: JsonObject): boolean {
  const given = [values, oneOf, anyOf].some(Array.isArray);
  return type === 'array' ? isObject(items) && isChoice({ ...items, type: undefined }) : given;
}

function withDefaults(content: Readonly<Record<string, unknown>>, properties: FlatSchema['properties']): Readonly<Record<string, unknown>> {
  const missing = Object.entries(properties).filter(([name, each]) => content[name] === undefined && each['default'] !== undefined);
  return { ...content, ...Object.fromEntries(missing.map(([name, each]) => [name, each['default']])) };
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MESSAGE_CHARS) : '';
}

function action(kind: 'accept' | 'decline' | 'cancel'): Reply {
  return { kind: 'result', result: { action: kind } };
}

function refused(message: string): Reply {
  return { kind: 'refused', code: INVALID_PARAMS, message };
}
