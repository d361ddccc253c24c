import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PegboardError, causeText } from '../errors.ts';
import { textOf } from '../message.ts';
import type { ToolResult } from '../tool.ts';
import { boundImages } from './image.ts';
import { PREVIEW_CHARS, isBinary, piecesOf, preview, type Whereabouts } from './preview.ts';

/** Where results too long for the context are kept. What was decided for a call stays decided (M8.3). */
export interface ResultStore {
  /**
   * The result itself, or a preview with a reference once its text is longer than `limit` UTF-16 code units, or is no text at all.
   * Its images are bounded, its texts well-formed. Same call, same answer.
   */
  keep(callId: string, result: ToolResult, limit: number): Promise<ToolResult>;
  /** The same call's result with a preview of at most `chars`; with `bounded` the whole is written nowhere, because its tool gives it again. */
  shorten(callId: string, kept: ToolResult, chars: number, bounded: boolean): Promise<ToolResult>;
  /** The whole text behind a reference of this session. Throws RESULT_UNKNOWN. */
  read(reference: string): Promise<string>;
  /** What a reference with a fragment leads to: the part of the kept JSON that its pointer names. Throws RESULT_UNKNOWN or RESULT_POINTER. */
  resolve(reference: string): Promise<unknown>;
}

const REFERENCE = /^pegboard:\/\/result\/([A-Za-z0-9_-]{1,80})(?:#.*)?$/s;

/** Keeps results as files of one folder, which appears with the first of them and is readable by its owner only. */
export function createResultStore(folder: string): ResultStore {
  const decided = new Map<string, ToolResult>();
  const store: ResultStore = {
    async keep(callId, given, limit) {
      const before = decided.get(callId);
      if (before) return before;
      const result = soundOf(given);
      const text = textOf(result.content);
      // A result that stays whole is not held here: it would be for as long as the session is.
      if (text.length <= limit && (limit === Infinity || !isBinary(text))) return result;
      return decide(callId, preview(result, text, Math.min(PREVIEW_CHARS, limit), await write(fileId(callId), text, result)));
    },
    async shorten(callId, kept, chars, bounded) {
      const text = textOf(kept.content);
      const most = Math.min(PREVIEW_CHARS, chars);
      if (text.length <= most) return kept;
      if (decided.has(callId)) return decide(callId, shorter(kept, text, most));
      return decide(callId, preview(kept, text, most, bounded ? { kind: 'again' } : await write(fileId(callId), text, kept)));
    },
    async read(reference) {
      const text = await readKept(reference, 'txt');
      if (text === undefined) throw new PegboardError('RESULT_UNKNOWN', { reference });
      return text;
    },
    async resolve(reference) {
      const json = (await readKept(reference, 'json')) ?? (await store.read(reference));
      return partOf(json, reference);
    },
  };
  return store;

  function decide(callId: string, kept: ToolResult): ToolResult {
    decided.set(callId, kept);
    return kept;
  }

  /** A reference names a file of this folder and nothing else, so an earlier run's results are found as well. */
  async function readKept(reference: string, ending: 'txt' | 'json'): Promise<string | undefined> {
    const id = REFERENCE.exec(reference.trim())?.[1];
    return id === undefined ? undefined : readFile(join(folder, `${id}.${ending}`), 'utf8').catch(() => undefined);
  }

  /** The call has been made whatever becomes of its text, so a folder that cannot be written is no failure of the call. */
  async function write(id: string, text: string, { structuredContent }: ToolResult): Promise<Whereabouts> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(join(folder, `${id}.txt`), text);
      if (structuredContent !== undefined) await writeWhole(join(folder, `${id}.json`), JSON.stringify(structuredContent));
    } catch (cause) {
      return { kind: 'lost', cause: causeText(cause) };
    }
    return { kind: 'kept', reference: `pegboard://result/${id}` };
  }
}

/** Writes a new file in pieces, because the bytes of a long text would be as much memory once more. What could not be written whole is taken away. */
async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, piecesOf(text), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) await rm(path, { force: true });
    throw cause;
  }
}

/** A call's id comes from a model: what is not plain in it becomes a hash, so it names a file and nothing else. */
function fileId(callId: string): string {
  return /^[A-Za-z0-9_-]{1,80}$/.test(callId) ? callId : createHash('sha256').update(callId).digest('hex').slice(0, 32);
}

/** Half a character makes a request that no endpoint takes. */
function soundOf(result: ToolResult): ToolResult {
  const content = boundImages(result.content).map((block) =>
    block.type === 'text' && HALF.test(block.text) ? { ...block, text: block.text.replace(HALVES, '\ufffd') } : block,
  );
  return content.every((block, at) => block === result.content[at]) ? result : { ...result, content };
}

const HALF = /\p{Surrogate}/u;
const HALVES = /\p{Surrogate}/gu;

/** A preview with less of the beginning; its note, which is its first line, stays. */
function shorter(kept: ToolResult, text: string, most: number): ToolResult {
  const [note = ''] = text.split('\n', 1);
  const others = kept.content.filter((block) => block.type !== 'text');
  return {
    ...kept,
    content: [{ type: 'text', text: text.slice(0, Math.max(note.length, most)).replace(/[\ud800-\udbff]$/, '') }, ...others],
  };
}

function partOf(json: string, reference: string): unknown {
  const pointer = reference.slice(reference.indexOf('#') + 1);
  const wrong = (cause: string) => new PegboardError('RESULT_POINTER', { reference, cause });
  let here: unknown;
  try {
    here = JSON.parse(json);
  } catch {
    throw wrong('that result is not JSON');
  }
  if (pointer !== '' && !pointer.startsWith('/')) throw wrong('behind "#" a JSON pointer begins with "/"');
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) throw wrong(`there is no "${name}"`);
    here = (here as Readonly<Record<string, unknown>>)[name];
  }
  return here;
}
