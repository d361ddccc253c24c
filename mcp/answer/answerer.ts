import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Asker } from 'pegboard';

import type { Answerer, Params, Reply } from '../link.ts';
import { elicit } from './elicit.ts';

/** Answers a server's request for a completion of a model, in the form of MCP. Rejects with why not. */
export type Sampler = (request: { readonly server: string; readonly params: Params }, signal: AbortSignal) => Promise<Params>;

/** Who answers what one server asks. */
export interface AnswererPlace {
  readonly server: string;
  readonly asker: Asker;
  /** The folders it is told of, as they are when asked; without it it cannot ask. */
  readonly roots?: (() => readonly string[]) | undefined;
  /** Only for a server that may use it. */
  readonly sampler?: Sampler | undefined;
}

/** Somebody said no. */
const REJECTED = -1;
const NOT_ALLOWED: Reply = { kind: 'refused', code: REJECTED, message: 'it is not allowed' };

/** Answers a server's questions through the person and the host. What cannot be answered is not declared. */
export function answererFor({ server, asker, roots, sampler }: AnswererPlace): Answerer {
  return {
    capabilities: {
      elicitation: { form: {}, url: {} },
      ...(roots ? { roots: { listChanged: true } } : {}),
      ...(sampler ? { sampling: {} } : {}),
    },
    answer: async (method, params, signal): Promise<Reply> => {
      switch (method) {
        case 'elicitation/create':
          return elicit(server, params, asker, signal);
        case 'roots/list':
          return roots ? { kind: 'result', result: { roots: roots().map(rootOf) } } : NOT_ALLOWED;
        default:
          return sampler ? sample(sampler, server, params, signal) : NOT_ALLOWED;
      }
    },
  };
}

async function sample(sampler: Sampler, server: string, params: Params, signal: AbortSignal): Promise<Reply> {
  try {
    return { kind: 'result', result: await sampler({ server, params }, signal) };
  } catch (cause) {
    return { kind: 'refused', code: REJECTED, message: cause instanceof Error ? cause.message : String(cause) };
  }
}

function rootOf(folder: string): Params {
  return { uri: pathToFileURL(folder).href, name: basename(folder) || folder };
}
