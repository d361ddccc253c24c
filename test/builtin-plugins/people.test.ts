import { agents, builtinPlugins } from 'pegboard/builtin-plugins';
import { libraryAsker, textOf, textResult, type Asker, type ChoiceQuestion, type Outcome } from 'pegboard';
import { startHost, type StartedHost } from 'pegboard/testing';
import { afterEach, describe, expect, test } from 'vitest';

const hosts: StartedHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()));
});
const open = async (options: Parameters<typeof startHost>[0] = {}) => {
  const started = await startHost({ builtins: builtinPlugins(), ...options });
  hosts.push(started);
  return started.host;
};
const said = (outcome: Outcome) => textOf(outcome.result.content);
const yes: Asker['permission'] = async () => ({ kind: 'allow', by: { kind: 'person' } });

describe('AskUserQuestion', () => {
  const questions = [
    { question: 'Which one?', header: 'Colour', options: [{ label: 'red' }, { label: 'blue', description: 'like the sky' }] },
    { question: 'Which of them?', options: [{ label: 'a' }, { label: 'b' }], multiSelect: true },
    { question: 'Why?' },
  ];

  test('M11.6 AskUserQuestion puts its questions to the person, one after the other', async () => {
    const asked: ChoiceQuestion[] = [];
    const question: Asker['question'] = async (each) => ({ kind: 'answer', text: `answer ${asked.push(each)}` });
    const host = await open({ asker: libraryAsker({ permission: yes, question }) });
    const outcome = await host.call('AskUserQuestion', { questions });
    expect(said(outcome)).toBe('Which one?\n→ answer 1\nWhich of them?\n→ answer 2\nWhy?\n→ answer 3');
    expect(asked).toEqual([
      { text: 'Colour: Which one?', options: questions[0]?.options },
      { text: 'Which of them? (name all that apply)\n- a\n- b' },
      { text: 'Why?' },
    ]);
  });

  test('M11.6 who does not answer is not asked further, and what was answered is kept', async () => {
    let asked = 0;
    const question: Asker['question'] = async () => (++asked === 1 ? { kind: 'answer', text: 'red' } : { kind: 'declined' });
    const host = await open({ asker: libraryAsker({ permission: yes, question }) });
    const outcome = await host.call('AskUserQuestion', { questions });
    expect(outcome.result.isError).toBe(true);
    expect(said(outcome)).toBe('Which one?\n→ red\nThe person did not answer "Which of them?".');
    expect(asked).toBe(2);
    expect(said(await host.call('AskUserQuestion', { questions: [] }))).toMatch(/Give at least one/);
  });

  test('M4.6 who answers is told that the call itself asks, unless a rule wants to be asked about it', async () => {
    const told: unknown[] = [];
    const permission: Asker['permission'] = async ({ asksItself }) => {
      told.push(asksItself);
      return { kind: 'allow', by: { kind: 'person' } };
    };
    const asker = libraryAsker({ permission, question: async () => ({ kind: 'answer', text: 'red' }) });
    for (const rules of [{}, { ask: ['AskUserQuestion'] }])
      expect(await (await open({ asker, rules })).call('AskUserQuestion', { questions })).toMatchObject({ kind: 'done' });
    expect(told).toEqual([true, undefined]);
  });

  test('M4.5 it needs a person in every mode: no rule, mode or flag answers for them', async () => {
    for (const mode of ['default', 'bypassPermissions', 'acceptEdits', 'auto'] as const) {
      const host = await open({ rules: { allow: ['AskUserQuestion'] }, turn: () => ({ mode }) });
      expect((await host.explain('AskUserQuestion', { questions: [] })).decision).toMatchObject({ kind: 'ask', step: '1e' });
      expect(await host.call('AskUserQuestion', { questions })).toMatchObject({ kind: 'refused' });
    }
    const flag = await open({ asker: libraryAsker({ permission: async () => ({ kind: 'allow', by: { kind: 'flag', flag: '--yes' } }) }) });
    expect(await flag.call('AskUserQuestion', { questions })).toMatchObject({ kind: 'refused' });
  });
});

describe('Agent', () => {
  const started: unknown[] = [];
  const plugin = agents(async (input) => {
    started.push(input);
    return textResult('done');
  });

  test('M2.4 nothing in the default set starts a sub-agent', async () => {
    const host = await open();
    expect(host.pool().get('Agent')).toBeUndefined();
  });

  test('M4.3 rules name agents: a grant to the letter, a restriction in any spelling', async () => {
    const judge = async (input: object, rules: object) => {
      const host = await open({ plugins: [plugin], rules });
      return (await host.explain('Agent', { prompt: 'p', ...input })).decision.kind;
    };
    expect(await judge({ subagent_type: 'Explore' }, { allow: ['Agent(Explore)'] })).toBe('allow');
    expect(await judge({ subagent_type: 'explore' }, { allow: ['Agent(Explore)'] })).toBe('ask');
    expect(await judge({ subagent_type: ' explore ', name: 'x' }, { allow: ['Agent'], deny: ['Agent(Explore)'] })).toBe('deny');
    expect(await judge({ subagent_type: 'other' }, { allow: ['Agent'], deny: ['Agent(Explore)'] })).toBe('allow');
    expect(await judge({}, { allow: ['Agent'], deny: ['Task(general-*)'] })).toBe('deny');
    expect(await judge({ model: 'big' }, { allow: ['Agent'], deny: ['Agent(model:big)'] })).toBe('deny');
    expect(started).toEqual([]);
  });

  test('M1.1 whoever starts sub-agents is given, and gets what was judged', async () => {
    const host = await open({ plugins: [plugin], rules: { allow: ['Agent'] } });
    expect(said(await host.call('Agent', { prompt: 'look', subagent_type: 'Explore' }))).toBe('done');
    expect(started).toEqual([{ prompt: 'look', subagent_type: 'Explore' }]);
  });
});
