import { isObject } from './json.ts';
import type { Answerer, Params, Reply } from './link.ts';
import { METHOD_NOT_FOUND, Refusal, type AskOptions, type Peer } from './peer.ts';

const MAX_ROUNDS = 20;
/** What has to be declared for each question. */
const NEEDED: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

/** Answers what a server asks: only what was declared to it, whatever the answerer could do beside. */
export async function ask(answerer: Answerer | undefined, method: string, params: Params, signal: AbortSignal): Promise<Reply> {
  if (method === 'ping') return { kind: 'result', result: {} };
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  if (answerer && needed !== undefined && answerer.capabilities[needed] !== undefined) return answerer.answer(method, params, signal);
  return { kind: 'refused', code: METHOD_NOT_FOUND, message: `${method} is not supported by this client` };
}

/**
 * One request of the newer era to its end: as long as the server answers with questions they are answered, and the request is
 * sent again with the answers and, byte for byte, the state the server gave along.
 */
export async function requestInRounds(
  peer: Peer,
  method: string,
  params: Params,
  options: AskOptions,
  answerer: Answerer | undefined,
): Promise<unknown> {
  let asked = params;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = await peer.request(method, asked, options);
    if (!isObject(result)) return result;
    const { resultType, ...rest } = result;
    if (isComplete(resultType)) return rest;
    if (resultType !== 'input_required')
      throw unusable(`it answered with a result of the kind ${JSON.stringify(resultType)}, which is not known here`);
    const questions = isObject(rest['inputRequests']) ? rest['inputRequests'] : {};
    const { requestState } = rest;
    options.onwait?.(true);
    const inputResponses = await answers(questions, options, answerer);
    options.onwait?.(false);
    asked = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  throw unusable(`it asked for more input ${MAX_ROUNDS} times`);
}

/** Whether a result is what was asked for; one that says nothing of it is, and some say nothing by `null`. */
export function isComplete(resultType: unknown): boolean {
  return resultType === undefined || resultType === null || resultType === 'complete';
}

/** A server cannot go on before the person was at some address. */
const VISIT_FIRST = -32042;

/**
 * One request of the older era: where the server names addresses the person has to see first, they are asked to, and the request is
 * made once more when they were there.
 */
export async function requestAfterVisits(
  peer: Peer,
  method: string,
  params: Params,
  options: AskOptions,
  answerer: Answerer | undefined,
): Promise<unknown> {
  try {
    return await peer.request(method, params, options);
  } catch (cause) {
    const visits = visitsOf(cause);
    options.onwait?.(visits.length > 0);
    for (const visit of visits) {
      const reply = await ask(answerer, 'elicitation/create', { ...visit, mode: 'url' }, options.signal ?? new AbortController().signal);
      if (reply.kind === 'refused' || reply.result['action'] !== 'accept') throw cause;
    }
    options.onwait?.(false);
    if (visits.length === 0) throw cause;
    return peer.request(method, params, options);
  }
}

function visitsOf(cause: unknown): readonly Params[] {
  const data = cause instanceof Refusal && cause.code === VISIT_FIRST && isObject(cause.data) ? cause.data['elicitations'] : undefined;
  return Array.isArray(data) ? data.filter(isObject).slice(0, MAX_ROUNDS) : [];
}

async function answers(questions: Params, { signal }: AskOptions, answerer: Answerer | undefined): Promise<Params> {
  const given = Object.entries(questions).map(async ([key, question]) => {
    const { method, params } = isObject(question) ? question : {};
    if (typeof method !== 'string') throw unusable('it asked for input in a form that is not known here');
    const reply = await ask(answerer, method, isObject(params) ? params : {}, signal ?? new AbortController().signal);
    // There is no way to refuse one of them: the request ends here, and the reason goes to whoever made it.
    if (reply.kind === 'refused') throw unusable(`it asked for ${method}: ${reply.message}`);
    return [key, reply.result] as const;
  });
  return Object.fromEntries(await Promise.all(given));
}

function unusable(message: string): Refusal {
  return new Refusal({ code: METHOD_NOT_FOUND, message });
}
