import type { AssistantBlock, Message } from './message.ts';
import type { WireTool } from './wire.ts';

/** Everything one request says. A provider serialises it as it stands: order and bytes are already decided. */
export interface ModelRequest {
  readonly system: string;
  readonly tools: readonly WireTool[];
  readonly messages: readonly Message[];
  readonly maxTokens: number;
}

/** Token counts of one request, as the endpoint reports them; absent members were not reported. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | undefined;
  readonly cache_read_input_tokens?: number | undefined;
}

/** Why a response ended, in the words of the Messages API. */
export type StopReason =
  'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'pause_turn' | 'refusal' | 'model_context_window_exceeded';

export type ModelEvent =
  /** Part of a text that is still being written; the whole follows as a block. */
  | { readonly kind: 'delta'; readonly text: string }
  /** A finished block. A `tool_use` here has its whole input. */
  | { readonly kind: 'block'; readonly block: AssistantBlock }
  /** Everything of this answer up to here is void: the request is sent again after a wait. Never after a `tool_use`. */
  | { readonly kind: 'again'; readonly why: string; readonly waitMs: number }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly usage?: Usage | undefined };

/** How deferred tools are revealed to a model (design 1.4). */
export type Strategy = 'reference' | 'append' | 'call';

/** What a model must do. The loop knows only this; a provider lives in a plugin. */
export interface Model {
  /** As people name it: `offline`, or the endpoint's model id. */
  readonly name: string;
  readonly strategy: Strategy;
  /** How many tokens fit into one request; deferral by share is judged on it. */
  readonly contextTokens: number;
  /** What an answer cost, in US dollars, where that is known. */
  price?(usage: Usage): number | undefined;
  /** Whether blocks come while the answer is still being made; where not (`false`), calls run one after the other (M6.6). */
  readonly streams?: boolean | undefined;
  /** Said once before the first answer, when people must know something about what answers. */
  readonly notice?: string | undefined;
  /** One response, ending with exactly one `stop`. Throws when the endpoint fails for good. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
