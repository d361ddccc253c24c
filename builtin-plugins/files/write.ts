import { defineTool, errorResult, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { pathComplaint, workspaceOf } from './place.ts';
import { endsWithReturns, noteSeen, openText, unseen, withReturns, writeText } from './text-file.ts';

export interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}

/** What a file said before, for the picture of the change; longer texts are not kept for it. */
const SHOWN_CHARS = 200_000;

/** Writes one whole text file. What is there already must have been read, and keeps its mode, encoding, mark and line ends. */
export const write = defineTool<WriteInput>({
  name: 'Write',
  description: [
    'Writes a whole text file, and makes the folders above it that are missing.',
    'A file that is there already is replaced; it must have been read in this session, and not have changed since.',
    'To change a part of a file use Edit.',
  ].join(' '),
  searchHint: 'write, create or save a local text file',
  kind: 'edit',
  ruleNames: ['Edit'],
  restrictedAs: ['Read'],
  fileRules: ['Edit', 'Read'],
  input: jsonSchema<WriteInput>({
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'Path of the file, absolute or relative to the working folder' },
      content: { type: 'string', description: 'All of the text that the file is to have' },
    },
    required: ['file_path', 'content'],
    additionalProperties: false,
  }),
  writes: ({ file_path }) => [{ kind: 'file', path: file_path }],
  validateInput: async ({ file_path }) =>
    /[/\\]$/.test(file_path) ? 'the path ends like that of a folder: give the path of a file' : pathComplaint(file_path),
  toAutoClassifierInput: ({ file_path, content }) => `${file_path}: ${content}`,
  display: {
    activity: ({ file_path }) => `Writing ${file_path}`,
    summary: ({ file_path }) => file_path,
    use: ({ file_path, content }) => ({ kind: 'diff', path: file_path, before: '', after: content }),
    result: ({ file_path, content }, { structuredContent }) => ({
      kind: 'diff',
      path: file_path,
      before: (structuredContent as { readonly before?: string } | undefined)?.before ?? '',
      after: content,
    }),
  },
  call: writeFile,
});

async function writeFile({ file_path, content }: WriteInput, context: ToolContext): Promise<ToolResult> {
  const { resolve, show } = workspaceOf(context);
  const path = resolve(file_path);
  const file = await openText(path);
  if (file.kind === 'refused') return errorResult(file.why);
  const stale = file.kind === 'missing' ? undefined : await unseen(path, context);
  if (stale !== undefined) return errorResult(stale);
  const before = file.kind === 'text' ? file.text : undefined;
  const text = before !== undefined && endsWithReturns(before) ? withReturns(content) : content;
  if (text !== before) {
    const failed = await writeText(path, text, file.kind === 'text' ? file.form : undefined);
    if (failed !== undefined) return errorResult(failed);
  }
  await noteSeen(path, context);
  const done = before === undefined ? 'made' : text === before ? 'left as it was, because it says that already' : 'replaced';
  return {
    content: [{ type: 'text', text: `${show(path)} was ${done}.` }],
    structuredContent: { path, made: before === undefined, ...(before !== undefined && before.length <= SHOWN_CHARS ? { before } : {}) },
  };
}
