import { isObject } from './json.ts';
import type { ServerSource } from './source.ts';

/** As many as the protocol lets a server send. */
const MOST = 100;

/** What a value of a prompt's argument or a template's variable could become, as the server says; nothing where it cannot say. Never rejects. */
export async function complete(
  source: ServerSource,
  ref: { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string },
  argument: { readonly name: string; readonly value: string },
  before: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (source.capabilities?.['completions'] === undefined) return [];
  const context = Object.keys(before).length === 0 ? {} : { context: { arguments: before } };
  const answer = await source.ask('completion/complete', { ref, argument, ...context }, signal, { repeatable: true });
  const completion = answer.kind === 'result' && isObject(answer.result) ? answer.result['completion'] : undefined;
  const values = isObject(completion) ? completion['values'] : undefined;
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string').slice(0, MOST) : [];
}
