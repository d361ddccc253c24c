import { createHost, definePlugin, defineTool, parseRule, textOf } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { z } from 'zod';

// A result too long for the context stays in a file; one tool hands a part of it to the next, and no model reads it on the way.
const list = defineTool({
  name: 'List',
  description: 'Lists every book of the library.',
  input: z.object({}),
  call: async () => JSON.stringify({ books: Array.from({ length: 5_000 }, (_, i) => ({ title: `Book ${i}`, pages: i })) }),
});
const sum = defineTool({
  name: 'Sum',
  description: 'Adds up the pages of books.',
  input: z.object({ books: z.array(z.object({ title: z.string(), pages: z.number() })) }),
  call: async ({ books }) => `${books.reduce((pages, book) => pages + book.pages, 0)} pages`,
});

const host = await createHost({
  builtins: builtinPlugins(),
  plugins: [definePlugin({ name: 'library', tools: [list, sum] })],
  rules: ['List', 'Sum'].map((name) => parseRule(name, 'allow', 'cli')),
});
const session = host.session();
const listed = await session.call('List', {});
const preview = textOf(listed.kept.content);
const reference = /pegboard:\/\/result\/[\w-]+/.exec(preview)[0];
console.log(`${textOf(listed.result.content).length} characters listed, ${preview.length} of them in the context`);

const summed = textOf((await session.call('Sum', { books: `${reference}#/books` })).result.content);
const read = textOf((await session.call('Read', { file_path: reference, limit: 1 })).result.content);
console.log(summed, '-', read.slice(0, 40));
await host.close();
if (summed !== '12497500 pages' || !read.includes('"Book 0"')) throw new Error(`not as it should be: ${summed}`);
