import type { JsonObject } from './json.ts';

/** What goes with one message. */
interface SendOptions {
  /** Aborts when its answer is not wanted any more. Only a wire with a stream for each request heeds it. */
  readonly requestSignal?: AbortSignal;
  /** The stream for the answers to this request has ended, whether or not they came. */
  readonly onRequestStreamEnd?: () => void;
  readonly headers?: Record<string, string>;
}

/** A way for messages to and from one server, as the SDKs of either line build them too. */
export interface Wire {
  start(): Promise<void>;
  send(message: JsonObject, options?: SendOptions): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: unknown) => void) | undefined;
  onerror?: ((cause: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Told of the version once it is settled. */
  setProtocolVersion?(version: string): void;
  /** Whether each request has a stream of its own, whose end cancels it. */
  readonly hasPerRequestStream?: boolean;
  readonly sessionId?: string | undefined;
}
