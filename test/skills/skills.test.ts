import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { definePlugin, defineTool, textOf, textResult, type Outcome } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { scriptedModel } from 'pegboard/testing';
import { describe, expect, test } from 'vitest';

import { skillHost, writeFiles } from './skill-host.ts';

const skill = (fields: string, body = 'Do it.') => `---\n${fields}\n---\n${body}`;
const said = (outcome: Outcome) => textOf(outcome.result.content);
const idsOf = async ({ skills }: Awaited<ReturnType<typeof skillHost>>) => (await skills.look()).skills.map(({ id }) => id);

describe('discovery', () => {
  test('M12.1 skills of the home, the project and .claude are found, one level deep, by the exact name of the file', async () => {
    const host = await skillHost({
      'home/skills/a/SKILL.md': skill('description: a'),
      '.pegboard/skills/b/SKILL.md': skill('description: b'),
      '.claude/skills/c/SKILL.md': skill('description: c'),
      '.claude/skills/deep/er/SKILL.md': skill('description: no'),
      '.claude/skills/lower/skill.md': skill('description: no'),
      '.claude/skills/loose.md': skill('description: no'),
      '.claude/commands/git/save.md': skill('description: saves'),
    });
    expect(await idsOf(host)).toEqual(['a', 'b', 'c', 'git:save']);
  });

  test('M12.1 compat.claude: false leaves .claude/ alone', async () => {
    const files = { '.claude/skills/c/SKILL.md': skill('description: c'), '.pegboard/skills/b/SKILL.md': skill('description: b') };
    expect(await idsOf(await skillHost(files, { settings: { compat: { claude: false } } }))).toEqual(['b']);
  });

  test('M12.1 nothing of a project that is not trusted is read', async () => {
    const files = { '.claude/skills/c/SKILL.md': skill('description: c'), 'home/skills/a/SKILL.md': skill('description: a') };
    expect(await idsOf(await skillHost(files, { trusted: () => false }))).toEqual(['a']);
  });

  test('a folder of commands that holds a skill is that skill, and a folder of skills that holds one too', async () => {
    const host = await skillHost({
      '.claude/commands/pack/skill.md': skill('description: d'),
      '.claude/commands/pack/other.md': 'x',
      '.pegboard/skills/SKILL.md': skill('name: top\ndescription: d'),
      '.pegboard/skills/below/SKILL.md': skill('description: d'),
    });
    expect((await host.skills.look()).skills.map(({ id, kind }) => [id, kind])).toEqual([
      ['pack', 'skill'],
      ['top', 'skill'],
    ]);
  });

  test('a link is followed within its folder only, and two to one file are one skill', async () => {
    const host = await skillHost({ 'outside/SKILL.md': skill('description: no'), 'home/skills/real/SKILL.md': skill('description: d') });
    await symlink(join(host.folder, 'outside'), join(host.folder, 'home/skills/out'));
    await symlink('real', join(host.folder, 'home/skills/zz'));
    await symlink('nowhere', join(host.folder, 'home/skills/broken'));
    const { skills, left } = await host.skills.look();
    expect(skills.map(({ id }) => id)).toEqual(['real']);
    expect(left).toMatchObject([
      { file: join(host.folder, 'home/skills/broken'), cause: 'it is a link to nothing' },
      { file: join(host.folder, 'home/skills/out'), cause: expect.stringContaining('leads out') },
    ]);
  });

  test('of two of one name in one place the one that does not count is told, and what only holds named skills is not', async () => {
    const host = await skillHost({
      'home/skills/a/SKILL.md': skill('description: d'),
      'home/commands/a.md': 'x',
      '.claude/skills/a/SKILL.md': skill('description: theirs'),
    });
    const { left } = await host.skills.look();
    expect(left.map(({ file }) => file)).toEqual([join(host.folder, 'home/commands/a.md')]);
    expect(left[0]?.cause).toMatch(/^the skill .+home.skills.a.SKILL\.md is called a as well$/);
  });

  test.each([
    ['a colon', 'description: Use when: it rains', 'Use when: it rains'],
    ['a block', 'description: |\n  one\n  two', 'one\ntwo'],
    ['two lines', 'description: Use when: a\n  and b', 'Use when: a and b'],
    ['a hint in brackets', 'description: d\nargument-hint: [open', 'd'],
  ])('EXT-12 a description with %s is loaded whole', async (_, fields, description) => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': `\uFEFF${skill(fields).replaceAll('\n', '\r\n')}` });
    expect((await host.skills.look()).skills).toMatchObject([{ id: 'a', description, described: true }]);
  });

  test.each([
    ['a number sign cuts it', skill('description: issue #12'), 'comment'],
    ['it cannot be mended', skill('description: "so" and more'), 'line 2'],
    ['the fence is not first', `\n${skill('description: d')}`, 'three dashes'],
    ['a link was checked out as text', '../../SKILL.md', 'link'],
  ])('EXT-12 what is lost of a description is told: %s', async (_, text, note) => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': text });
    expect((await host.skills.look()).skills).toMatchObject([{ id: 'a', note: expect.stringContaining(note) }]);
  });

  test('a change of a file counts from the next look on', async () => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('description: old') });
    expect((await host.skills.look()).skills).toMatchObject([{ description: 'old' }]);
    await writeFiles(host.folder, {
      'home/skills/a/SKILL.md': skill('description: newer'),
      'home/skills/b/SKILL.md': skill('description: b'),
    });
    expect((await host.skills.look()).skills).toMatchObject([{ description: 'newer' }, { id: 'b' }]);
    await rm(join(host.folder, 'home/skills/a'), { recursive: true });
    expect(await idsOf(host)).toEqual(['b']);
  });
});

describe('the tool Skill', () => {
  test('M12.1 gives a procedure with its folder and its words, also by the name it gives itself', async () => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('name: fancy\ndescription: d', 'Do $ARGUMENTS, first $0, then $1.') });
    const outcome = await host.host.call('Skill', { skill: 'fancy', args: 'this "and that"' });
    expect(said(outcome)).toBe(
      `Base directory for this skill: ${host.folder}/home/skills/a\n\nDo this "and that", first this, then and that.`,
    );
  });

  test('is not there where there are no skills, and names those that are close to what was asked for', async () => {
    expect((await skillHost({})).host.pool().get('Skill')).toBeUndefined();
    const host = await skillHost({ 'home/skills/release-notes/SKILL.md': skill('description: writes what changed') });
    expect(said(await host.host.call('Skill', { skill: 'what changed' }))).toContain('release-notes: writes what changed');
  });

  test('a skill that a model must not call is not offered to it, and people can type it', async () => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('description: d\ndisable-model-invocation: yes') });
    expect((await host.host.call('Skill', { skill: 'a' })).result.isError).toBe(true);
    expect(await host.skills.find('a')).toMatchObject({ id: 'a' });
  });

  test('M12.1 context: fork says what it needs where nothing starts agents', async () => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('description: d\ncontext: fork\nagent: planner') });
    const outcome = await host.host.call('Skill', { skill: 'a' });
    expect(outcome.result.isError).toBe(true);
    expect(said(outcome)).toMatch(/planner.*no tool here starts agents/);
  });

  test('commands in it run through the pipeline, with the words filled in; words never become commands', async () => {
    const body = 'State: !`git status $0`\nKEY=!`no`\n```!\ngit log\n```\nand $ARGUMENTS';
    const host = await skillHost(
      { 'home/skills/a/SKILL.md': skill('description: d\nallowed-tools: Bash(git:*)', body) },
      { allow: ['Skill'] },
    );
    const outcome = await host.host.call('Skill', { skill: 'a', args: '!`rm`' });
    expect(host.commands).toEqual(['git status !`rm`', 'git log']);
    expect(said(outcome)).toContain('State: ran: git status !`rm`\nKEY=!`no`\nran: git log\nand !`rm`');
  });

  test.each([
    ['that nobody allows', 'make all', 'ask'],
    ['that fails', 'fail now', 'it failed'],
  ])('a command %s stops the skill', async (_, command) => {
    const allow = command.startsWith('fail') ? ['Bash'] : [];
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('description: d', `!\`${command}\``) }, { allow });
    const outcome = await host.host.call('Skill', { skill: 'a' });
    expect(outcome.result.isError).toBe(true);
    expect(said(outcome)).toContain(command);
  });

  test('commands are left out where the settings switch them off', async () => {
    const files = { 'home/skills/a/SKILL.md': skill('description: d', '!`git log`') };
    const host = await skillHost(files, { settings: { disableSkillShellExecution: true }, allow: ['Bash'] });
    expect(said(await host.host.call('Skill', { skill: 'a' }))).toContain('switched off');
    expect(host.commands).toEqual([]);
  });
});

describe('while a skill is active', () => {
  const run = async (host: Awaited<ReturnType<typeof skillHost>>, calls: readonly { readonly name: string; readonly input: unknown }[]) => {
    const model = scriptedModel([...calls.map((call) => ({ calls: [call] })), { text: 'done' }]);
    const session = host.host.session();
    for await (const event of session.run('go', { model })) void event;
    return { session, model };
  };
  const use = { name: 'Skill', input: { skill: 'a' } };
  const bash = (command: string) => ({ name: 'Bash', input: { command } });

  test('M12.3 what it allows needs no further permission, until the request is done', async () => {
    const files = { 'home/skills/a/SKILL.md': skill('description: d\nallowed-tools: [Bash(git:*)]') };
    const host = await skillHost(files, { allow: ['Skill(a)'] });
    const { session } = await run(host, [bash('git early'), use, bash('git add'), bash('make')]);
    expect(host.commands).toEqual(['git add']);
    const model = scriptedModel([{ calls: [bash('git late')] }, { text: 'done' }]);
    for await (const event of session.run('more', { model })) void event;
    expect(host.commands).toEqual(['git add']);
  });

  test('M12.3 what it forbids is refused in code, whatever rules allow', async () => {
    const files = { 'home/skills/a/SKILL.md': skill('description: d\ndisallowed-tools: Bash(git push:*)') };
    const host = await skillHost(files, { allow: ['Bash'] });
    const { model } = await run(host, [use, bash('git push'), bash('git log')]);
    expect(host.commands).toEqual(['git log']);
    expect(JSON.stringify(model.requests.at(-1))).toContain('the skill a forbids Bash(git push:*) while it is active');
  });

  test('M12.3 its own servers and hooks are there while it is active, and no longer', async () => {
    const offered: string[][] = [];
    const watcher = definePlugin({
      name: 'watcher',
      setup: (scope) => {
        scope.follow('mcp.server', (all) => void offered.push(all.map(({ name }) => name)));
        scope.follow('hook.config', (all) => void offered.push(all.map(({ origin }) => origin)));
      },
    });
    const fields = 'description: d\nmcpServers:\n  notes:\n    command: notes\nhooks:\n  Stop:\n    - hooks: []';
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill(fields) }, { allow: ['Skill(a)'], plugins: [watcher] });
    await run(host, [use]);
    const file = join(host.folder, 'home/skills/a/SKILL.md');
    expect(offered.filter((names) => names.length > 0)).toEqual([['skill:a:notes'], [file]]);
    expect(offered.slice(-2)).toEqual([[], []]);
  });

  test('M12.3 what it brings is for the conversation in which it is active, and for no other', async () => {
    const sessions: (string | undefined)[] = [];
    const watcher = definePlugin({
      name: 'watcher',
      setup: (scope) => scope.follow('hook.config', (all) => void sessions.push(...all.map(({ session }) => session))),
    });
    const ofServer = defineTool<object>({
      name: 'mcp__skill_a_notes__read',
      ruleNames: ['mcp__skill_a_notes'],
      description: 'Reads.',
      input: jsonSchema({ type: 'object' }),
      call: async () => textResult('read'),
    });
    const fields = 'description: d\nmcpServers:\n  notes:\n    command: notes\nhooks:\n  Stop:\n    - hooks: []';
    const allow = ['Skill(a)', 'mcp__skill_a_notes__read'];
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill(fields) }, { allow, tools: [ofServer], plugins: [watcher] });
    const [own, other] = [host.host.session(), host.host.session()];
    await own.call('Skill', { skill: 'a' });
    expect(sessions).toEqual([own.id]);
    expect(await own.call(ofServer.name, {})).toMatchObject({ kind: 'done' });
    const refused = await other.call(ofServer.name, {});
    expect(refused).toMatchObject({ kind: 'refused' });
    expect(textOf(refused.result.content)).toContain('active in another conversation only');
  });

  test('M13.5 what it allows never gets past a rule that denies', async () => {
    const files = { 'home/skills/a/SKILL.md': skill('description: d\nallowed-tools: Bash') };
    const host = await skillHost(files, { allow: ['Skill(a)'], deny: ['Bash(git push:*)'] });
    await run(host, [use, bash('git push'), bash('git log')]);
    expect(host.commands).toEqual(['git log']);
  });

  test('M12.3 a skill that grants something is asked about; one that only gives words is not', async () => {
    const host = await skillHost({
      'home/skills/a/SKILL.md': skill('description: d\nallowed-tools: Bash'),
      'home/skills/b/SKILL.md': skill('description: d'),
    });
    expect(await host.host.call('Skill', { skill: 'a' })).toMatchObject({ kind: 'refused' });
    expect(await host.host.call('Skill', { skill: 'b' })).toMatchObject({ kind: 'done' });
  });
});

describe('the listing', () => {
  test('M12.1 the model is told of all skills with the first message, and of changes', async () => {
    const host = await skillHost({ 'home/skills/a/SKILL.md': skill('description: does a'), 'home/skills/b/SKILL.md': 'no fields' });
    const model = scriptedModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const session = host.host.session();
    for await (const event of session.run('go', { model })) void event;
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('- a: does a');
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain('- b');
    await writeFiles(host.folder, { 'home/skills/c/SKILL.md': skill('description: does c') });
    for await (const event of session.run('more', { model })) void event;
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('- c: does c');
    for await (const event of session.run('again', { model })) void event;
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).not.toContain('does c');
  });

  test('M12.1 six hundred skills are told of in 8 KB', async () => {
    const many = Array.from({ length: 600 }, (_, at) => [
      `home/skills/procedure-number-${at}/SKILL.md`,
      skill(`description: ${'Use it for something. '.repeat(10)}`),
    ]);
    const text = await listingOf(Object.fromEntries(many));
    expect(text).toContain('home (600 skills)');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192 + 50);
  });

  test.each([
    { what: 'a hundredth of a large context', settings: {}, contextTokens: 200_000, most: 8_000 },
    { what: 'a hundredth of a small context', settings: {}, contextTokens: 32_000, most: 1_280 },
    { what: 'the share that is set', settings: { skillListingBudgetFraction: 0.02 }, contextTokens: 32_000, most: 2_560 },
  ])('M12.1 what skills are told of takes no more than $what', async ({ settings, contextTokens, most }) => {
    const many = Array.from({ length: 10 }, (_, at) => [`home/skills/p${at}/SKILL.md`, skill(`description: ${'Use it so. '.repeat(50)}`)]);
    const text = await listingOf(Object.fromEntries(many), settings, contextTokens);
    expect(text).toContain('p9');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most + 50);
    expect(Buffer.byteLength(text)).toBeGreaterThan(most / 3);
  });

  test('M12.1 one description takes no more than is set', async () => {
    const files = { 'home/skills/a/SKILL.md': skill(`description: ${'Use it so. '.repeat(500)}`) };
    const [usual, set] = [await listingOf(files), await listingOf(files, { skillListingMaxDescChars: 30 })];
    expect(usual.length).toBeGreaterThan(1_500);
    expect(usual.length).toBeLessThan(1_536 + 200);
    expect(/- a: (.*)/.exec(set)?.[1]?.length).toBeLessThanOrEqual(31);
  });

  async function listingOf(files: Readonly<Record<string, string>>, settings = {}, contextTokens = 200_000): Promise<string> {
    const host = await skillHost(files, { settings });
    const model = scriptedModel([{ text: 'one' }], { contextTokens });
    for await (const event of host.host.session().run('go', { model })) void event;
    const listed = model.requests[0]?.messages[0]?.content.find((block) => block.type === 'text' && block.text.includes('These skills'));
    return listed?.type === 'text' ? listed.text : '';
  }
});
