import { constants } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';

import { causeText, defineTool, errorResult, textResult, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { HEAD_BYTES, kindOf, sizeText, type FileKind } from './file-kind.ts';
import { allowInside, missingSentence, pathComplaint, someOf, workspaceOf } from './place.ts';
import { noteSeen } from './text-file.ts';
import { decodeLines, readLines, utf8Chunks, type LinesRead } from './text-lines.ts';

export interface ReadInput {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
}

const DEFAULT_LINES = 2_000;
const LINE_CHARS = 2_000;
const ALL_BYTES = 100_000;
const COUNT_BYTES = 16_000_000;
/** The Messages API takes 5 MB of base64. */
const IMAGE_BYTES = 3_750_000;
const REFERENCE = /^pegboard:\/\/result\//;

/** Reads one file, or a kept result by its reference; never more than a bounded part, never anything that could make it wait. */
export const read = defineTool<ReadInput>({
  name: 'Read',
  description: [
    'Reads a file and gives its lines with line numbers.',
    `Without offset and limit it gives the first ${DEFAULT_LINES} lines; lines over ${LINE_CHARS} characters are cut.`,
    'PNG, JPEG, GIF and WebP files are shown as images. A reference that begins with pegboard://result/ gives the whole of a shortened tool result.',
    'It does not list folders: use Glob for that.',
  ].join(' '),
  searchHint: 'read, open, view or show the contents of a local file or image',
  kind: 'read',
  input: jsonSchema<ReadInput>({
    type: 'object',
    properties: {
      file_path: {
        type: 'string',
        description: 'Path of the file, absolute or relative to the working folder, or a pegboard://result/ reference',
      },
      offset: { type: 'integer', minimum: 0, description: 'Number of the first line to read, from 1' },
      limit: { type: 'integer', minimum: 1, description: 'How many lines to read' },
    },
    required: ['file_path'],
    additionalProperties: false,
  }),
  maxResultSizeChars: Number.POSITIVE_INFINITY,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  fileRules: ['Read'],
  reads: ({ file_path }) => (REFERENCE.test(file_path) ? [] : [{ kind: 'file', path: file_path }]),
  validateInput: async ({ file_path }) => pathComplaint(file_path),
  checkPermissions: async ({ file_path }, context) =>
    REFERENCE.test(file_path)
      ? { kind: 'allow', reason: { by: 'tool', detail: 'it reads a result of this session again' } }
      : allowInside(file_path, context),
  display: {
    activity: ({ file_path }) => `Reading ${file_path}`,
    summary: ({ file_path }) => file_path,
  },
  call: async (input, context) => (REFERENCE.test(input.file_path) ? readResult(input, context) : readPath(input, context)),
});

/** Lines of a kept result are folded instead of cut: nobody else can give the rest. */
async function readResult(input: ReadInput, context: ToolContext): Promise<ToolResult> {
  const text = await context.results.read(input.file_path);
  const folded = text.split('\n').flatMap((line) => line.match(new RegExp(`[^]{1,${LINE_CHARS}}`, 'gu')) ?? ['']);
  const chunks = folded.map((line) => Buffer.from(`${line}\n`));
  return shown(input, await readLines(chunks, wantedLines(input)), 'result');
}

async function readPath(input: ReadInput, context: ToolContext): Promise<ToolResult> {
  const path = workspaceOf(context).resolve(input.file_path);
  let file: FileHandle;
  try {
    // Without O_NONBLOCK the opening of a pipe would wait for somebody to write into it.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    return errorResult(await openSentence(path, cause));
  }
  try {
    await noteSeen(path, context);
    return await readOpen(input, path, file, context.signal);
  } finally {
    await file.close();
  }
}

async function readOpen(input: ReadInput, path: string, file: FileHandle, signal: AbortSignal): Promise<ToolResult> {
  const facts = await file.stat();
  if (facts.isDirectory()) return errorResult(await folderSentence(path));
  if (!facts.isFile()) return errorResult(`${path} is a device, pipe or socket, not a file, and is not read.`);
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  const kind = kindOf(head.subarray(0, bytesRead));
  if (kind.kind === 'image') return readImage(path, file, facts.size, kind.mediaType);
  if (kind.kind === 'binary') return errorResult(`${path} is a ${kind.name} of ${sizeText(facts.size)}, not text, and is not shown.`);
  return readText(input, file, kind, signal);
}

async function readText(
  input: ReadInput,
  file: FileHandle,
  kind: FileKind & { readonly kind: 'text' },
  signal: AbortSignal,
): Promise<ToolResult> {
  return shown(input, await readLines(utf8Chunks(file, kind, signal), wantedLines(input)), 'file', kind.encoding);
}

async function readImage(path: string, file: FileHandle, size: number, mediaType: string): Promise<ToolResult> {
  if (size > IMAGE_BYTES)
    return errorResult(
      `${path} is an image (${mediaType}) of ${sizeText(size)}; at most ${sizeText(IMAGE_BYTES)} can be shown. Make it smaller first.`,
    );
  const data = Buffer.alloc(size);
  const { bytesRead } = await file.read(data, 0, size, 0);
  return {
    content: [
      { type: 'text', text: `Image ${path} (${mediaType}, ${sizeText(bytesRead)})` },
      { type: 'image', source: { type: 'base64', media_type: mediaType, data: data.subarray(0, bytesRead).toString('base64') } },
    ],
  };
}

function wantedLines(input: ReadInput): Parameters<typeof readLines>[1] {
  return {
    from: firstLine(input),
    count: input.limit ?? DEFAULT_LINES,
    lineBytes: LINE_CHARS * 4,
    allBytes: ALL_BYTES,
    countBytes: COUNT_BYTES,
  };
}

function firstLine({ offset }: ReadInput): number {
  return Math.max(1, offset ?? 1);
}

function shown(input: ReadInput, { lines, total, ended }: LinesRead, what: 'file' | 'result', readAs: string = 'utf-8'): ToolResult {
  if (ended && total === 0) return textResult(`The ${what} is empty.`);
  const from = firstLine(input);
  if (lines.length === 0) return errorResult(`Line ${from} is beyond the end: the ${what} has ${total} ${total === 1 ? 'line' : 'lines'}.`);
  const { texts, encoding } = decodeLines(lines);
  const rows = texts.map((text, at) => numbered(from + at, text, lines[at]?.cutBytes ?? 0));
  const last = from + lines.length - 1;
  const notes = [
    ended && last >= total ? '' : `Lines ${from} to ${last} of ${ended ? total : `more than ${total}`}; go on with offset ${last + 1}.`,
    encoding === 'windows-1252' ? 'This is not UTF-8; it is shown as windows-1252.' : '',
    readAs === 'utf-8' ? '' : `The encoding is ${readAs}.`,
  ].filter(Boolean);
  return textResult([...rows, ...notes.map((note) => `[${note}]`)].join('\n'));
}

function numbered(number: number, text: string, cutBytes: number): string {
  const line = text.replace(/\r$/, '').replaceAll('\0', '␀');
  const shownPart = line.length > LINE_CHARS ? line.slice(0, LINE_CHARS).replace(/[\ud800-\udbff]$/, '') : line;
  const missing = cutBytes + Buffer.byteLength(line.slice(shownPart.length));
  return `${String(number).padStart(6)}→${shownPart}${missing > 0 ? `… [${sizeText(missing)} of this line are not shown]` : ''}`;
}

async function openSentence(path: string, cause: unknown): Promise<string> {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missingSentence(path);
  if (code === 'EACCES' || code === 'EPERM') return `${path} may not be read by this user.`;
  if (code === 'ENXIO' || code === 'ENODEV') return `${path} is a device, pipe or socket, not a file, and is not read.`;
  return `${path} could not be opened: ${causeText(cause)}`;
}

async function folderSentence(path: string): Promise<string> {
  const names = await readdir(path).catch(() => undefined);
  const holds = names === undefined ? '' : names.length === 0 ? ' It is empty.' : ` It holds: ${someOf(names.sort())}.`;
  return `${path} is a directory, not a file.${holds} List it with Glob, or read one of its files.`;
}
