import { Epoch, wireBytes, type Pool } from 'pegboard';

/** What the first request of a conversation would carry of the pool, in UTF-8 bytes. */
export interface FirstRequest {
  readonly definitions: number;
  readonly announcement: number;
  /** The definitions if nothing were deferred. */
  readonly undeferred: number;
}

/** Measures a pool as a model would first see it. */
export function firstRequest(pool: Pool): FirstRequest {
  const { announcement = '' } = new Epoch(pool, 'append').disclose(pool, []);
  return { definitions: bytesOf(pool.loaded), announcement: Buffer.byteLength(announcement), undeferred: bytesOf(pool.tools) };
}

/** Bytes of some definitions. */
export function bytesOf(tools: Pool['tools']): number {
  return tools.reduce((sum, tool) => sum + wireBytes(tool), 0);
}
