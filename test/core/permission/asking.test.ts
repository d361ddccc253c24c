import { headlessAsker, type Asker, type Classifier, type PermissionAnswer, type PermissionQuestion } from 'pegboard';
import { describe, expect, test } from 'vitest';

import { fakeTool } from '../../support/fake-tools.ts';
import { started } from './start.ts';
import { allTools, emptyDisk } from './tools.ts';

/** Answers as told, one after the other, then with nobody. */
function answering(...answers: readonly PermissionAnswer[]): Asker & { readonly questions: PermissionQuestion[] } {
  const questions: PermissionQuestion[] = [];
  return {
    ...headlessAsker,
    questions,
    permission: async (question) => {
      questions.push(question);
      return answers[questions.length - 1] ?? { kind: 'nobody' };
    },
  };
}
const yes: PermissionAnswer = { kind: 'allow', by: { kind: 'person' } };
const always = (remember: 'session' | 'local' | 'project' | 'user'): PermissionAnswer => ({ ...yes, remember });

describe('M4.10 asked once, remembered', () => {
  test('M4.10 the narrowest rule is suggested, holds for what it covers from the next call on, and for nothing else', async () => {
    const asker = answering(always('session'), yes);
    const { host } = await started({ asker });
    expect(await host.call('Put', { file_path: 'a.txt' })).toMatchObject({ kind: 'done' });
    expect(asker.questions[0]?.suggestions).toEqual(['Change(./a.txt)']);
    expect(await host.call('Put', { file_path: 'a.txt' })).toMatchObject({
      kind: 'done',
      decision: { reason: { by: 'rule', source: 'session' } },
    });
    expect(await host.call('Put', { file_path: 'b.txt' })).toMatchObject({ kind: 'done', decision: { reason: { by: 'person' } } });
    expect(await host.call('Put', { file_path: 'c.txt' })).toMatchObject({ kind: 'refused' });
    expect(asker.questions).toHaveLength(3);
  });

  test('M4.10 a rule goes to the place the person chose, and what cannot be written holds for the session', async () => {
    const saved: unknown[] = [];
    const asker = answering(always('project'), always('user'));
    const saveRule = async (rule: string, scope: string) => {
      saved.push([rule, scope]);
      return scope === 'user' ? 'the disk is full' : undefined;
    };
    const { host, events } = await started({ asker, saveRule });
    await host.call('Act', {});
    await host.call('Look', { file_path: '/etc/a [1].txt' });
    expect(saved).toEqual([
      ['Act', 'project'],
      ['Look(//etc/a \\[1\\].txt)', 'user'],
    ]);
    expect(await host.call('Look', { file_path: '/etc/a [1].txt' })).toMatchObject({ kind: 'done' });
    expect(events.flatMap((event) => (event.kind === 'report' ? [event.message] : []))).toEqual([
      expect.stringMatching(/the disk is full/),
    ]);
  });

  test('M4.10 nothing is suggested where no rule would help or none is narrow', async () => {
    const asker = answering();
    const tools = [...allTools, fakeTool('Odd', { suggestRules: () => ['Act', 'path(x)', 'Odd(', 'Odd(fine)'] })];
    const { host } = await started({ tools, asker, rules: { ask: ['Act'] } });
    for (const [tool, input] of [
      ['Act', {}],
      ['Person', {}],
      ['Put', { file_path: '.git/x' }],
      ['Shell', { text: 'ls' }],
      ['Odd', {}],
    ] as const)
      await host.call(tool, input);
    expect(asker.questions.map(({ tool, suggestions }) => [tool, suggestions])).toEqual([
      ['Act', []],
      ['Person', []],
      ['Put', []],
      ['Shell', []],
      ['Odd', ['Odd(fine)']],
    ]);
  });
});

describe('M4.6 who answers', () => {
  test('M4.6 an answer is bound to what was asked about: a link that has moved meanwhile is asked about again', async () => {
    const links: Record<string, string> = {};
    const asker = answering(yes);
    const { host } = await started({
      disk: emptyDisk(links),
      asker: {
        ...asker,
        permission: async (question, signal) => {
          const answer = await asker.permission(question, signal);
          links['/desk/app/a'] = '.git/config';
          return answer;
        },
      },
    });
    expect(await host.call('Put', { file_path: 'a' })).toMatchObject({ kind: 'refused' });
    expect(asker.questions.map(({ decision }) => decision.reason.by)).toEqual(['no-rule', 'guard']);
  });

  test('M4.6 only an ask that no rule, guard, hook, plan or need of a person made is open to a hook’s yes', async () => {
    const hook = { 'permission.ask': () => ({ kind: 'allow', reason: 'fine' }) as const };
    const kinds = async (options: Parameters<typeof started>[0], tool: string, input: unknown = {}) =>
      (await (await started({ ...options, hook })).host.call(tool, input)).kind;
    expect(await kinds({}, 'Act')).toBe('done');
    expect(await kinds({ rules: { ask: ['Act'] } }, 'Act')).toBe('refused');
    expect(await kinds({}, 'Put', { file_path: '.git/x' })).toBe('refused');
    expect(await kinds({ mode: 'plan' }, 'Act')).toBe('refused');
    expect(await kinds({}, 'Person')).toBe('refused');
  });

  test('M4.2 dontAsk asks nobody, and a hook may still answer', async () => {
    const asker = answering(yes);
    const { host } = await started({ mode: 'dontAsk', asker });
    expect(await host.call('Act', {})).toMatchObject({ kind: 'refused', decision: { reason: { by: 'mode', mode: 'dontAsk' } } });
    expect(asker.questions).toEqual([]);
  });

  test('M4.2 bubble hands the question to the session that started this one, or to nobody', async () => {
    const [own, parent] = [answering(yes), answering(yes)];
    const { host } = await started({ asker: own });
    expect(await host.session({ mode: 'bubble', agent: 'explore', parent }).call('Act', {})).toMatchObject({ kind: 'done' });
    expect(await host.session({ mode: 'bubble' }).call('Act', {})).toMatchObject({ kind: 'refused' });
    expect([own.questions.length, parent.questions.length]).toEqual([0, 1]);
  });

  test('M4.7 a library answers asks and never turns a deny', async () => {
    const asker = answering(yes, { kind: 'allow', input: { text: 'shorter' } }, { kind: 'deny', message: 'not today' });
    const { host } = await started({ asker, rules: { deny: ['Peek'] } });
    expect(await host.call('Act', {})).toMatchObject({ kind: 'done' });
    expect(await host.call('Act', { text: 'long' })).toMatchObject({ kind: 'done' });
    expect(await host.call('Act', {})).toMatchObject({ kind: 'refused', result: { content: [{ text: 'Act was refused: not today' }] } });
    expect(await host.call('Peek', {})).toMatchObject({ kind: 'refused', decision: { step: '1a' } });
    expect(asker.questions).toHaveLength(3);
  });
});

describe('M4.6 the mode auto', () => {
  const judging = (verdict: (text: string) => 'allow' | 'deny'): Classifier & { readonly asked: string[] } => {
    const asked: string[] = [];
    return {
      asked,
      judge: async ({ text }) => {
        asked.push(text);
        return { kind: verdict(text), why: `about ${text}` };
      },
    };
  };

  test('M4.6 edits and reads inside need no judge, what rules and guards ask about goes to a person, the rest is judged', async () => {
    const classifier = judging((text) => (text === 'ls' ? 'allow' : 'deny'));
    const { host } = await started({ mode: 'auto', classifier, rules: { ask: ['Act'] } });
    const done = async (tool: string, input: unknown = {}) => (await host.call(tool, input)).kind === 'done';
    expect(await done('Put', { file_path: 'a' })).toBe(true);
    expect(await done('Peek')).toBe(true);
    expect(await done('Act')).toBe(false);
    expect(await done('Put', { file_path: '.git/x' })).toBe(false);
    expect(await done('Put', { file_path: '/etc/x' })).toBe(false);
    expect(classifier.asked).toEqual([]);
    expect(await done('Shell', { text: 'ls' })).toBe(true);
    expect(await host.call('Shell', { text: 'rm' })).toMatchObject({
      kind: 'refused',
      decision: { reason: { by: 'classifier', detail: 'about rm' } },
    });
  });

  test('M4.6 after three refusals in a row a person is asked, and a yes in between starts anew', async () => {
    const classifier = judging((text) => (text === 'ok' ? 'allow' : 'deny'));
    const asker = answering(yes);
    const { host } = await started({ mode: 'auto', classifier, asker });
    for (const text of ['a', 'b', 'ok', 'c', 'd', 'e']) await host.call('Shell', { text });
    expect(asker.questions).toEqual([]);
    expect(await host.call('Shell', { text: 'f' })).toMatchObject({ kind: 'done', decision: { reason: { by: 'person' } } });
    expect(classifier.asked).toHaveLength(6);
  });

  test('M4.6 no judge, one that fails and one whose answer is odd block', async () => {
    const failing: Classifier = { judge: async () => Promise.reject(new Error('away')) };
    const odd = { judge: async () => ({ kind: 'perhaps', why: '' }) } as unknown as Classifier;
    for (const classifier of [undefined, failing, odd]) {
      const { host } = await started({ mode: 'auto', classifier });
      expect(await host.call('Shell', { text: 'ls' })).toMatchObject({ kind: 'refused', decision: { reason: { by: 'classifier' } } });
    }
  });

  test('M5.3 rules that allow a shell anything are set aside in auto, narrow ones are not', async () => {
    const classifier = judging(() => 'deny');
    const kinds = async (allow: string, text: string) =>
      (await (await started({ mode: 'auto', classifier, rules: { allow: [allow] } })).host.call('Shell', { text })).kind;
    for (const allow of ['Shell', 'Shell(*)', 'Shell(python *)', 'Shell(sudo bash *)', 'Shell(node:*)', 'Shell(/usr/bin/env *)'])
      expect([allow, await kinds(allow, 'python x')]).toEqual([allow, 'refused']);
    expect(await kinds('Shell(npm run *)', 'npm run x')).toBe('done');
    expect(await kinds('Shell(python x)', 'python x')).toBe('done');
    const plain = await started({ rules: { allow: ['Shell(python *)'] } });
    expect(await plain.verdict('Shell', { text: 'python x' })).toBe('allow 2b');
  });
});

test('M13.3 a hook may add rules with its yes: they hold in this session, and what is no allow rule is left out', async () => {
  const asked: unknown[] = [];
  const hook = {
    'permission.ask': ({ tool }: { readonly tool: string }) => {
      asked.push(tool);
      return { kind: 'allow' as const, reason: 'fine', rules: ['Act', 'Peek(', '*'] };
    },
  };
  const { host } = await started({ hook, rules: { ask: ['Peek'] } });
  expect(await host.call('Act', {})).toMatchObject({ kind: 'done', decision: { reason: { by: 'hook' } } });
  expect(await host.call('Act', {})).toMatchObject({ kind: 'done', decision: { reason: { by: 'rule', source: 'session' } } });
  expect(await host.call('Peek', {})).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual(['Act', 'Peek']);
});

test('M4.4 where only rules of the organisation count, no answer is kept as a rule, and none is offered', async () => {
  const asker = answering(always('session'), yes);
  const { host } = await started({ asker, turn: () => ({ policyRulesOnly: true }) });
  for (let at = 0; at < 2; at++) expect(await host.call('Act', {})).toMatchObject({ decision: { reason: { by: 'person' } } });
  expect(asker.questions.map(({ suggestions }) => suggestions)).toEqual([[], []]);
});
