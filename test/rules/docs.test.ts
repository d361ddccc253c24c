import { describe, expect, test } from 'vitest';
import { errorTable } from 'pegboard';

import { parseArgs } from '../../cli/args.ts';
import { misfitsOf } from '../../settings/schema.ts';
import { errorPage } from './error-page.ts';
import { anchorsOf, fencesOf, pegboardCommands, pegboardImports, pegboardMentions } from './markdown.ts';
import { readRepositoryFile, repositoryPaths } from './repository.ts';

const paths = repositoryPaths();
const pages = paths.filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'));

/** What a command of a page gets wrong, by the parser of the command line itself. */
function commandComplaint(args: readonly string[]): string | undefined {
  try {
    parseArgs(args, 100, true);
    return undefined;
  } catch (cause) {
    return `${args.join(' ')}: ${String(cause)}`;
  }
}

describe('docs', () => {
  test('docs/errors.md is what core/errors.ts gives', async () => {
    await expect(errorPage(errorTable)).toMatchFileSnapshot('../../docs/errors.md');
  });

  test.each(pages)('%s names only commands and options that exist, and files that are there', (path) => {
    const commands = pegboardCommands(readRepositoryFile(path));
    expect(commands.flatMap((args) => commandComplaint(args) ?? [])).toEqual([]);
    const files = commands.flatMap((args) => args.filter((word) => /^(examples|docs|test)\//.test(word)));
    expect(files.filter((file) => !paths.some((known) => known === file || known.startsWith(`${file}/`)))).toEqual([]);
  });

  test.each(pages)('%s names no command or option within a sentence that does not exist', (path) => {
    const said = pegboardMentions(readRepositoryFile(path)).flatMap((args) => commandComplaint(args) ?? []);
    // A sentence may name a command without what it takes.
    expect(said.filter((complaint) => !/Missing required argument/.test(complaint))).toEqual([]);
  });

  test.each(pages)('%s says of a block of commands that it is one, and its JSON is JSON', (path) => {
    const fences = fencesOf(readRepositoryFile(path));
    expect(fences.filter(({ language, text }) => language === '' && /^(npx )?pegboard /m.test(text))).toEqual([]);
    for (const { text } of fences.filter(({ language }) => language === 'json')) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test('docs/settings.md has a row for every key, and for none that is not', () => {
    const known = misfitsOf({ nothing: true })[0]?.known ?? [];
    const table = /^\| key [\s\S]*?\n\n/m.exec(readRepositoryFile('docs/settings.md'))?.[0] ?? '';
    const cells = table.split('\n').map((row) => row.split('|')[1] ?? '');
    const named = cells.flatMap((cell) => [...cell.matchAll(/`(\$?[a-zA-Z]+)/g)].map(([, key]) => key));
    expect([...new Set(named)].sort()).toEqual([...known].sort());
  });

  test.each(pages)('%s imports only names that exist', async (path) => {
    const blocks = fencesOf(readRepositoryFile(path)).filter(({ language }) => /^(js|ts)$/.test(language));
    for (const { from, names } of blocks.flatMap(({ text }) => pegboardImports(text))) {
      expect(Object.keys((await import(from)) as object)).toEqual(expect.arrayContaining([...names]));
    }
  });

  test.each(pages)('%s links only to what is there', (path) => {
    const folder = path.split('/').slice(0, -1);
    const text = readRepositoryFile(path);
    const missing = [...text.matchAll(/\]\(([^):#]*)(?:#([^)]*))?\)/g)].flatMap(([, target = '', anchor]) => {
      const full = target === '' ? path : new URL(target, `file:///${[...folder, ''].join('/')}`).pathname.slice(1);
      if (!paths.some((known) => known === full || known.startsWith(`${full.replace(/\/$/, '')}/`))) return [target];
      return anchor === undefined || anchorsOf(readRepositoryFile(full)).includes(anchor) ? [] : [`${target}#${anchor}`];
    });
    expect(missing).toEqual([]);
  });

  test('README leads to every page', () => {
    const readme = readRepositoryFile('README.md');
    expect(pages.filter((page) => /^docs\/[^/]+$/.test(page) && !readme.includes(`](${page})`))).toEqual([]);
  });

  test.each(['README.md', 'docs/embed.md'])('the programs in %s are examples that run', (page) => {
    const examples = paths.filter((path) => path.startsWith('examples/')).map(readRepositoryFile);
    const programs = fencesOf(readRepositoryFile(page)).filter(({ language }) => /^(js|ts)$/.test(language));
    expect(programs).not.toEqual([]);
    expect(programs.filter(({ text }) => !examples.some((example) => example.includes(text)))).toEqual([]);
  });

  test('a command, an option or a file that is not there is seen', () => {
    const page = [
      '```sh',
      'npx pegboard tools lisst',
      "pegboard tools call A --input '{}' --no-such \\",
      '  --json',
      'npm ci',
      'A=1 pegboard lisst >b',
      'pegboard # all',
      '```',
    ].join('\n');
    const commands = pegboardCommands(page);
    expect(commands).toEqual([['tools', 'lisst'], ['tools', 'call', 'A', '--input', '{}', '--no-such', '--json'], ['lisst'], []]);
    expect(commands.slice(0, 3).map(commandComplaint)).toEqual(
      ['lisst', '--no-such', 'lisst'].map((part) => expect.stringContaining(part) as unknown),
    );
    expect(pegboardMentions('`pegboard tools list|lisst [A]`')).toEqual([
      ['tools', 'list', 'A'],
      ['tools', 'lisst', 'A'],
    ]);
    expect(anchorsOf('## The order: `a`, b')).toEqual(['the-order-a-b']);
    expect(pegboardImports("import { a, b as c } from 'pegboard/kit';")).toEqual([{ from: 'pegboard/kit', names: ['a', 'b'] }]);
  });
});

describe('the repository', () => {
  test('the lock file names no registry, and .npmrc keeps it so', () => {
    expect(readRepositoryFile('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/registry/);
    expect(readRepositoryFile('.npmrc').split('\n')).toContain('omit-lockfile-registry-resolved=true');
    expect(readRepositoryFile('.npmrc')).not.toMatch(/^\s*(@[^=]+:)?registry\s*=|_auth/m);
  });

  test('no file leads to a place that a stranger does not have', () => {
    const elsewhere = new RegExp(['(?<![\\w.~-])/wo', 'rk/|\\.\\./sha', 'red'].join(''));
    const leads = paths.flatMap((path) => {
      const lines = readRepositoryFile(path).split('\n');
      return lines.flatMap((line, at) => (elsewhere.test(line) ? [`${path}:${at + 1}`] : []));
    });
    expect(leads).toEqual([]);
  });

  test('nothing is switched off or left for later', () => {
    const unfinished = new RegExp(
      ['\\bTO', 'DO\\b|\\bFIX', 'ME\\b|@ts-ig', 'nore|(?:es|ox)lint-dis', 'able|\\b(?:it|test|describe)\\.(?:skip|only|to', 'do)\\('].join(
        '',
      ),
    );
    const places = paths
      .filter((path) => /\.(ts|mjs|js)$/.test(path))
      .flatMap((path) =>
        readRepositoryFile(path)
          .split('\n')
          .flatMap((line, at) => (unfinished.test(line) ? [`${path}:${at + 1}`] : [])),
      );
    expect(places).toEqual([]);
  });
});
