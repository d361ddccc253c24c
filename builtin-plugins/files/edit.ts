import { defineTool, errorResult, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { missingSentence, pathComplaint, workspaceOf } from './place.ts';
import { replaceText } from './replace-text.ts';
import { noteSeen, openText, unseen, writeText } from './text-file.ts';

export interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

const MOST_LINES = 20;

/** Replaces a text in one file that the model has read, and keeps everything else of the file as it is, down to its line ends. */
export const edit = defineTool<EditInput>({
  name: 'Edit',
  description: [
    'Replaces a text in a file by another, by its exact spelling, blanks and indentation included.',
    'The file must have been read in this session, and not have changed since.',
    'old_string must be there once; give more of the lines around it, or replace_all to replace each occurrence.',
    'The line numbers that Read shows are not part of the text.',
  ].join(' '),
  searchHint: 'edit, change or replace text in a local file',
  kind: 'edit',
  restrictedAs: ['Read'],
  fileRules: ['Edit', 'Read'],
  input: jsonSchema<EditInput>({
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'Path of the file, absolute or relative to the working folder' },
      old_string: { type: 'string', description: 'The text to replace' },
      new_string: { type: 'string', description: 'The text to put in its place' },
      replace_all: { type: 'boolean', description: 'Replace each occurrence, not only one' },
    },
    required: ['file_path', 'old_string', 'new_string'],
    additionalProperties: false,
  }),
  writes: ({ file_path }) => [{ kind: 'file', path: file_path }],
  validateInput: async ({ file_path, old_string, new_string }) => {
    if (old_string === '') return 'old_string is empty: give the text to replace, or write the whole file with Write';
    return old_string === new_string ? 'old_string and new_string are the same' : pathComplaint(file_path);
  },
  toAutoClassifierInput: ({ file_path, new_string }) => `${file_path}: ${new_string}`,
  display: {
    activity: ({ file_path }) => `Editing ${file_path}`,
    summary: ({ file_path }) => file_path,
    use: ({ file_path, old_string, new_string }) => ({ kind: 'diff', path: file_path, before: old_string, after: new_string }),
    result: ({ file_path, old_string, new_string }) => ({ kind: 'diff', path: file_path, before: old_string, after: new_string }),
  },
  call: editFile,
});

async function editFile(input: EditInput, context: ToolContext): Promise<ToolResult> {
  const path = workspaceOf(context).resolve(input.file_path);
  const file = await openText(path);
  if (file.kind === 'missing') return errorResult(`${await missingSentence(path)} A new file is made with Write.`);
  if (file.kind === 'refused') return errorResult(file.why);
  const stale = await unseen(path, context);
  if (stale !== undefined) return errorResult(stale);
  const { old_string: old, new_string: fresh, replace_all: all = false } = input;
  const replaced = replaceText(file.text, { old, fresh, all });
  if (replaced.kind !== 'replaced') return errorResult(whyNot(replaced, path));
  const failed = await writeText(path, replaced.text, file.form);
  if (failed !== undefined) return errorResult(failed);
  await noteSeen(path, context);
  const { lines } = replaced;
  return {
    content: [{ type: 'text', text: `Replaced in ${workspaceOf(context).show(path)}, ${lineWords(lines)}.` }],
    structuredContent: { path, lines },
  };
}

function whyNot(replaced: Exclude<ReturnType<typeof replaceText>, { readonly kind: 'replaced' }>, path: string): string {
  if (replaced.kind === 'several')
    return `old_string is in ${path} ${replaced.lines.length} times, ${lineWords(replaced.lines)}. Give more of the lines around it, or replace_all.`;
  const near = replaced.near === undefined ? '' : ` Line ${replaced.near} is like its first line, but not to the letter.`;
  return `old_string is not in ${path}.${near} Read the file and give the text exactly as it stands there.`;
}

function lineWords(lines: readonly number[]): string {
  const rest = lines.length - MOST_LINES;
  return `line${lines.length === 1 ? '' : 's'} ${lines.slice(0, MOST_LINES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
