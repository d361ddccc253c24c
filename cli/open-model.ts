import { PegboardError, type Model } from 'pegboard';
import { proxiedFetch } from 'pegboard/kit';

import { join } from 'node:path';

import type { Desk } from './run-command.ts';

/** What decides which model answers. */
export interface ModelChoice {
  /** As the command line or the settings name it. */
  readonly name?: string | undefined;
  /** Answers while that is overloaded. */
  readonly fallback?: string | undefined;
  /** How much fits into one request of it; what the Anthropic API's models take unless given. */
  readonly contextTokens?: number | undefined;
  readonly home: string;
  readonly signal: AbortSignal;
  /** Where credentials and addresses stand; the environment of the process unless given. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** The model that the settings choose, or another name. */
export function modelChoice({ host, settings, stop }: Pick<Desk, 'host' | 'settings' | 'stop'>, name: string | undefined): ModelChoice {
  const { model, fallbackModel, contextTokens } = settings().values;
  return {
    name: name ?? text(model),
    fallback: text(fallbackModel),
    contextTokens: typeof contextTokens === 'number' ? contextTokens : undefined,
    home: host.home,
    signal: stop.signal,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Opens the model that is named, or the usual one where there is a credential. Throws CLI_MODEL where nobody could answer: never another one silently. */
export async function openModel({ name: given, fallback, contextTokens, home, signal, env = process.env }: ModelChoice): Promise<Model> {
  const { offlineModel } = await import('pegboard/builtin-plugins');
  const offline = offlineModel();
  if (given === offline.name) return offline;
  const { anthropicModel, credentialFrom, EndpointMemory, USUAL_MODEL } = await import('pegboard/builtin-plugins');
  const name = given ?? (env['ANTHROPIC_MODEL'] || USUAL_MODEL);
  const credential = credentialFrom(env);
  if (credential === undefined) throw new PegboardError('CLI_MODEL', { cause: `There is nothing to sign a request to ${name} with.` });
  const address = env['ANTHROPIC_BASE_URL'] || undefined;
  const options = { model: name, credential, address, fallback, contextTokens, memory: new EndpointMemory(join(home, 'cache')) };
  try {
    return await anthropicModel({ ...options, version: env['ANTHROPIC_VERSION'] || undefined, send: proxiedFetch(env) }, signal);
  } catch (cause) {
    throw new PegboardError('RUN_MODEL', { model: name, cause: cause instanceof Error ? cause.message : String(cause) }, { cause });
  }
}
