import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { definePlugin, type HostOptions } from 'pegboard';
import { agentDefinitions, type AgentDefinition, type AgentShelf } from 'pegboard/builtin-plugins';
import { startHost, temporaryFolder } from 'pegboard/testing';
import { expect, onTestFinished, test } from 'vitest';

async function found(
  files: Readonly<Record<string, string>>,
  options: Omit<HostOptions, 'rules'> & { readonly links?: Readonly<Record<string, string>>; readonly packed?: readonly string[] } = {},
): Promise<readonly AgentDefinition[]> {
  return (await shelf(files, options)).agents;
}

async function shelf(...[files, options = {}]: Parameters<typeof found>): Promise<AgentShelf & { readonly folder: string }> {
  const place = await temporaryFolder();
  for (const [name, text] of Object.entries({ '.git/HEAD': '', ...files })) {
    await mkdir(dirname(join(place.path, name)), { recursive: true });
    await writeFile(join(place.path, name), text);
  }
  const { links = {}, packed = [], ...rest } = options;
  for (const [name, target] of Object.entries(links)) await symlink(target, join(place.path, name));
  const root = join(place.path, 'pack');
  const from = { plugin: 'p', namespace: 'p', root, within: root, variables: {}, environment: {}, trusted: true, report: () => undefined };
  const offers = packed.map((path) => ({
    kind: path.endsWith('.md') ? ('file' as const) : ('folder' as const),
    from,
    path: join(root, path),
  }));
  const agents = agentDefinitions();
  const started = await startHost({
    cwd: place.path,
    home: join(place.path, 'home'),
    trusted: () => true,
    ...rest,
    builtins: [agents.plugin],
    plugins: [definePlugin({ name: 'packer', contributes: { 'agent.folder': offers } })],
  });
  onTestFinished(async () => {
    await started.stop();
    await place.remove();
  });
  return { ...(await agents.look()), folder: place.path };
}

const agent = (fields: string) => `---\n${fields}\n---\nYou help.\n`;
const ids = (all: readonly AgentDefinition[]) => all.map(({ id }) => id);

test('M12.2 agents of the person, the project and plugins are found, the project before the person', async () => {
  const all = await found(
    {
      'home/agents/a.md': agent('name: a\ndescription: mine'),
      '.claude/agents/a.md': agent('name: a\ndescription: ours'),
      '.pegboard/agents/deep/b.md': agent('name: b\ntools: Read, Bash(git log:*)\nmodel: small'),
      'pack/agents/sub/c.md': agent('name: c'),
      'pack/one.md': 'no fields',
    },
    { packed: ['agents', 'one.md'] },
  );
  expect(ids(all)).toEqual(['a', 'deep:b', 'p:one', 'p:sub:c']);
  expect(all[0]).toMatchObject({ description: 'ours', prompt: 'You help.' });
  expect(all[1]).toMatchObject({ tools: ['Read', 'Bash(git log:*)'], model: 'small' });
});

test('M12.2 an agent goes by the name it gives itself, else by its file, whatever is wrong with its fields', async () => {
  const all = await found(
    {
      'pack/agents/n.md': agent('name: 42'),
      'pack/agents/broken.md': agent('name: "so" and more'),
      'pack/agents/colon.md': agent('name: Has Blank\ndescription: Use when: needed'),
      'pack/agents/README.MD': 'x',
    },
    { packed: ['agents'] },
  );
  expect(ids(all)).toEqual(['p:42', 'p:Has Blank', 'p:README.MD', 'p:broken']);
  expect(all.map(({ note }) => note?.split(' (')[0])).toEqual([
    undefined,
    'its fields were put in quotes to be read',
    undefined,
    'its fields cannot be read and do not count',
  ]);
});

test('M12.2 nothing of a project that is not trusted counts, and .claude/ only where it is wanted', async () => {
  const files = {
    '.claude/agents/a.md': agent('name: a'),
    '.pegboard/agents/b.md': agent('name: b'),
    'home/agents/c.md': agent('name: c'),
  };
  expect(ids(await found(files, { trusted: () => false }))).toEqual(['c']);
  expect(ids(await found(files, { settings: { compat: { claude: false } } }))).toEqual(['b', 'c']);
});

test('M12.2 a link is no agent, and a file outside of its folder is none: each is told', async () => {
  const links = { 'home/agents/link.md': 'a.md', 'home/agents/more': '../../pack', 'pack/out.md': '../secret.md' };
  const files = { 'home/agents/a.md': agent('name: a'), 'pack/x.md': '', 'secret.md': agent('name: secret') };
  const { agents, left, folder } = await shelf(files, { links, packed: ['out.md'] });
  expect(ids(agents)).toEqual(['a']);
  expect(left.map(({ file, cause }) => `${file.slice(folder.length + 1)}: ${cause}`)).toEqual([
    'home/agents/link.md: it is a link, and what is linked is no agent',
    'home/agents/more: it is a link, and what is linked is no agent',
    expect.stringMatching(/^pack.out\.md: it leads out of /),
  ]);
});

test('M12.2 of two agents of one name in one place the second is told, and so is a file that is too large', async () => {
  const files = { 'pack/agents/a.md': agent('name: a'), 'pack/agents/b.md': agent('name: a'), 'pack/agents/c.md': 'x'.repeat(2_000_001) };
  const { agents, left } = await shelf(files, { packed: ['agents'] });
  expect(ids(agents)).toEqual(['p:a']);
  expect(left.map(({ cause }) => cause)).toEqual([
    'it is larger than 2000000 bytes',
    expect.stringMatching(/a\.md is called p:a as well$/),
  ]);
});
