import type { AssistantBlock, Model, ModelEvent, ModelRequest, StopReason, Usage } from 'pegboard';

/** One response: a text, tool calls, or both; a function decides on the request. An `Error` is thrown as an endpoint's failure. */
export type ScriptedTurn = ScriptedResponse | Error | ((request: ModelRequest) => ScriptedResponse | Error);
export interface ScriptedResponse {
  readonly text?: string | undefined;
  readonly calls?: readonly { readonly name: string; readonly input?: unknown; readonly id?: string | undefined }[] | undefined;
  /** `tool_use` when there are calls, otherwise `end_turn`, unless given. */
  readonly stop?: StopReason | undefined;
  readonly usage?: Usage | undefined;
}

/** A model that answers from a script, and what it was asked. A request beyond the script fails. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** Makes a model for tests of a loop: real requests in, the given responses out, one after the other. */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  about: Partial<Pick<Model, 'name' | 'strategy' | 'contextTokens' | 'notice' | 'streams'>> = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: about.name ?? 'scripted',
    strategy: about.strategy ?? 'append',
    contextTokens: about.contextTokens ?? 200_000,
    notice: about.notice,
    streams: about.streams,
    requests,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      signal.throwIfAborted();
      requests.push(request);
      const turn = turns[requests.length - 1];
      const response = typeof turn === 'function' ? turn(request) : turn;
      if (response === undefined) throw new Error(`the script has ${turns.length} turns, this is request ${requests.length}`);
      if (response instanceof Error) throw response;
      for (const block of blocksOf(response, requests.length)) yield { kind: 'block', block };
      yield { kind: 'stop', reason: response.stop ?? (response.calls?.length ? 'tool_use' : 'end_turn'), usage: response.usage };
    },
  };
}

/** The blocks of a scripted response; a call without an id is named after its place: `call-2-1` is the first of the second request. */
export function blocksOf(response: ScriptedResponse, request: number): readonly AssistantBlock[] {
  const text = response.text === undefined ? [] : [{ type: 'text' as const, text: response.text }];
  const calls = (response.calls ?? []).map(({ name, input = {}, id }, at) => ({
    type: 'tool_use' as const,
    id: id ?? `call-${request}-${at + 1}`,
    name,
    input,
  }));
  return [...text, ...calls];
}
