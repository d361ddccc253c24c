import { describe, expect, test } from 'vitest';
import { errorTable } from 'pegboard';

import { parseArgs } from '../../cli/args.ts';
import { errorPage } from './error-page.ts';
import { fencesOf, pegboardCommands, pegboardImports } from './markdown.ts';
import { readRepositoryFile, repositoryPaths } from './repository.ts';

const paths = repositoryPaths();
const pages = paths.filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'));

/** What a command of a page gets wrong, by the parser of the command line itself. */
function commandComplaint(args: readonly string[]): string | undefined {
  try {
    parseArgs(args, 100);
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

  test.each(pages)('%s imports only names that exist', async (path) => {
    const blocks = fencesOf(readRepositoryFile(path)).filter(({ language }) => /^(js|ts)$/.test(language));
    for (const { from, names } of blocks.flatMap(({ text }) => pegboardImports(text))) {
      expect(Object.keys((await import(from)) as object)).toEqual(expect.arrayContaining([...names]));
    }
  });

  test.each(pages)('%s links only to what is there', (path) => {
    const folder = path.split('/').slice(0, -1);
    const targets = [...readRepositoryFile(path).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '');
    const missing = targets.filter((target) => {
      const full = new URL(target, `file:///${[...folder, ''].join('/')}`).pathname.slice(1);
      return !paths.some((known) => known === full || known.startsWith(`${full.replace(/\/$/, '')}/`));
    });
    expect(missing).toEqual([]);
  });

  test('the program in README is an example that runs', () => {
    const examples = paths.filter((path) => path.startsWith('examples/')).map(readRepositoryFile);
    const programs = fencesOf(readRepositoryFile('README.md')).filter(({ language }) => /^(js|ts)$/.test(language));
    expect(programs).not.toEqual([]);
    expect(programs.filter(({ text }) => !examples.some((example) => example.includes(text)))).toEqual([]);
  });

  test('a command, an option or a file that is not there is seen', () => {
    const page = ['```sh', 'npx pegboard tools lisst', "pegboard tools call A --input '{}' --no-such \\", '  --json', 'npm ci', '```'].join(
      '\n',
    );
    const commands = pegboardCommands(page);
    expect(commands).toEqual([
      ['tools', 'lisst'],
      ['tools', 'call', 'A', '--input', '{}', '--no-such', '--json'],
    ]);
    expect(commands.map(commandComplaint)).toEqual([expect.stringContaining('lisst'), expect.stringContaining('--no-such')]);
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
