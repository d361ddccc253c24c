import { symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { definePlugin, type CommandFolder, type Packed, type SkillFolder } from 'pegboard';
import { expect, test } from 'vitest';

import { skillHost, type SkillHost } from './skill-host.ts';

const file = (fields: string, body: string) => `---\n${fields}\n---\n${body}`;

/** What a model would be sent in the place of something typed, or the code of what is wrong with it. */
async function sent({ host, typed, skills }: SkillHost, text: string): Promise<string> {
  await skills.look();
  const read = await typed.read(text, { session: host.session(), signal: AbortSignal.timeout(10_000) });
  return read.kind === 'prompt' ? read.text : read.kind === 'wrong' ? read.error.code : read.kind;
}

/** A packed folder `p` in `pack/` that hands over its parts. */
function packed(folder: string, change: Partial<Packed> = {}) {
  const root = join(folder, 'pack');
  const from: Packed = {
    plugin: 'p',
    namespace: 'p',
    root,
    within: root,
    variables: { CLAUDE_PLUGIN_ROOT: root },
    environment: {},
    trusted: true,
    report: () => undefined,
    ...change,
  };
  const skillFolders: readonly SkillFolder[] = [{ from, path: join(root, 'skills') }];
  const commandFolders: readonly CommandFolder[] = [
    { kind: 'folder', from, path: join(root, 'commands') },
    { kind: 'text', from, name: 'inline', text: 'Say $ARGUMENTS', fields: { description: 'given in a text' } },
  ];
  return definePlugin({ name: 'packer', contributes: { 'skill.folder': skillFolders, 'command.folder': commandFolders } });
}

test('M12.1 a command stands for its text, filled in and headed by what was typed', async () => {
  const host = await skillHost({ '.claude/commands/git/save.md': file('description: d', 'Save $0 of $ARGUMENTS; \\$0 costs $5.') });
  expect(await sent(host, '/git:save "a b" c')).toBe(
    '<command-message>git:save</command-message>\n<command-name>/git:save</command-name>\n<command-args>"a b" c</command-args>\nSave a b of "a b" c; $0 costs $5.',
  );
});

test('M12.1 words that have no place in the text stand behind it', async () => {
  const host = await skillHost({ '.claude/commands/save.md': 'Save.' });
  expect(await sent(host, '/save now')).toMatch(/Save\.\n\nARGUMENTS: now$/);
  expect(await sent(host, '/save')).toMatch(/Save\.$/);
});

test('M12.1 names for words, and placeholders that mean nothing here, stay or are empty', async () => {
  const body = 'To $who about $what and $other, ${HOME}, $ARGUMENTS[7], ${CLAUDE_PROJECT_DIR}.';
  const host = await skillHost({ '.claude/commands/tell.md': file('arguments: who what', body) });
  expect(await sent(host, '/tell Ann')).toContain(`To Ann about  and $other, \${HOME}, $ARGUMENTS[7], ${host.folder}.`);
});

test('M12.2 parts of a plugin go by its name, and by their own where only one does', async () => {
  const host = await skillHost({});
  const files = {
    'pack/commands/with blank.md': 'Blank from ${CLAUDE_PLUGIN_ROOT}.',
    'pack/skills/do.it/SKILL.md': file('name: fancy\ndescription: d', 'Fancy.'),
    'pack/skills/both/SKILL.md': file('description: d', 'The skill.'),
    'pack/commands/both.md': 'The command.',
  };
  await host.stop();
  const place = await skillHost(files);
  const again = await skillHost(files, { plugins: [packed(place.folder)] });
  const { skills } = await again.skills.look();
  expect(skills.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
    'skill p:both',
    'skill p:do-it',
    'command p:inline',
    'command p:with blank',
  ]);
  expect(await sent(again, '/p:with blank')).toContain(`Blank from ${place.folder}/pack.`);
  expect(await sent(again, '/p:fancy')).toContain('Fancy.');
  expect(await sent(again, '/fancy')).toContain('Fancy.');
  expect(await sent(again, '/do-it')).toContain('Fancy.');
  expect(await sent(again, '/p:inline hello')).toContain('Say hello');
  expect(await sent(again, '/p:nothing')).toBe('COMMAND_UNKNOWN');
});

test('M12.2 parts of a plugin that is not trusted are listed, and neither a person nor a model gets them', async () => {
  const place = await skillHost({ 'pack/skills/a/SKILL.md': file('description: d', 'Words.') });
  const host = await skillHost({}, { plugins: [packed(place.folder, { trusted: false })] });
  expect((await host.skills.look()).skills.map(({ id }) => id)).toContain('p:a');
  expect(await sent(host, '/p:a')).toBe('SKILL_UNTRUSTED');
  expect((await host.host.call('Skill', { skill: 'p:a' })).result.isError).toBe(true);
});

test('M12.1 a linked file is no command, and one whose skill is refused stops the prompt', async () => {
  const host = await skillHost({ '.claude/commands/a.md': '!`make all`', 'other.md': 'x' });
  await symlink('../../other.md', join(host.folder, '.claude/commands/b.md'));
  expect((await host.skills.look()).left).toMatchObject([{ cause: expect.stringContaining('what is linked is no command') }]);
  expect(await sent(host, '/a')).toBe('SKILL_COMMAND');
});

test('M12.3 files that a text names are read by calls', async () => {
  const host = await skillHost({ '.claude/commands/a.md': 'See @notes.md and @nobody.', 'notes.md': 'the notes' }, { tools: [] });
  expect(await sent(host, '/a')).toMatch(/See @notes\.md and @nobody\.$/);
});
