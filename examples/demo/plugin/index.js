import { mkdir, appendFile } from 'node:fs/promises';
import { join } from 'node:path';

import { definePlugin, defineTool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

const countWords = defineTool({
  name: 'CountWords',
  description: 'Counts the words and characters of a text.',
  input: jsonSchema({ type: 'object', properties: { text: { type: 'string', description: 'The text to count' } }, required: ['text'] }),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'it only looks at the text it is given' } }),
  call: async ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words, ${[...text].length} characters`,
});

/** A tool that writes says nothing of itself, so the cautious defaults hold: it runs when somebody allows it. */
const keepNote = (folder) =>
  defineTool({
    name: 'KeepNote',
    description: 'Adds a line to the notes that this plugin keeps in its own folder.',
    input: jsonSchema({ type: 'object', properties: { note: { type: 'string', description: 'The line to add' } }, required: ['note'] }),
    call: async ({ note }) => {
      await mkdir(folder, { recursive: true });
      await appendFile(join(folder, 'notes.txt'), `${note.replaceAll('\n', ' ')}\n`);
      return `Noted: ${note}`;
    },
  });

export default definePlugin({
  name: 'demo',
  tools: [countWords],
  setup: (scope) => scope.provide([keepNote(scope.folders.data)]),
});
