import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PegboardError, causeText } from '../errors.ts';
import { textOf } from '../message.ts';
import type { ToolResult } from '../tool.ts';
import { preview, type Whereabouts } from './preview.ts';

/** Where results too long for the context are kept. What was decided for a call stays decided (M8.3). */
export interface ResultStore {
  /** The result itself, or a preview with a reference once its text is longer than `limit` UTF-16 code units. Same call, same answer. */
  keep(callId: string, result: ToolResult, limit: number): Promise<ToolResult>;
  /** The whole text behind a reference of this session. Throws RESULT_UNKNOWN. */
  read(reference: string): Promise<string>;
}

const SCHEME = 'pegboard://result/';

/** Keeps results as files of one folder, which appears with the first of them and is readable by its owner only. */
export function createResultStore(folder: string): ResultStore {
  const decided = new Map<string, ToolResult>();
  const files = new Map<string, string>();

  return {
    async keep(callId, result, limit) {
      const before = decided.get(callId);
      if (before) return before;
      const text = textOf(result.content);
      // A result that stays whole is not held here: it would be for as long as the session is.
      if (text.length <= limit) return result;
      const kept = preview(result, text, limit, await write(fileId(callId), text));
      decided.set(callId, kept);
      return kept;
    },
    async read(reference) {
      const file = files.get(reference.trim().replace(/#.*$/, ''));
      if (file === undefined) throw new PegboardError('RESULT_UNKNOWN', { reference });
      return readFile(file, 'utf8');
    },
  };

  /** The call has been made whatever becomes of its text, so a folder that cannot be written is no failure of the call. */
  async function write(id: string, text: string): Promise<Whereabouts> {
    const reference = `${SCHEME}${id}`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, `${id}.txt`), text, { mode: 0o600, flag: 'wx' });
    } catch (cause) {
      return { kind: 'lost', cause: causeText(cause) };
    }
    files.set(reference, join(folder, `${id}.txt`));
    return { kind: 'kept', reference };
  }
}

/** A call's id comes from a model: what is not plain in it becomes a hash, so it names a file and nothing else. */
function fileId(callId: string): string {
  return /^[A-Za-z0-9_-]{1,80}$/.test(callId) ? callId : createHash('sha256').update(callId).digest('hex').slice(0, 32);
}
