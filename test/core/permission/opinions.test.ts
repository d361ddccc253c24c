import { defineTool, type Decision, type Opinion } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { describe, expect, test } from 'vitest';

import { started } from './start.ts';

/** A tool that says of every call what it is told to say, as one that looks at the parts of its calls would. */
const saying = (opinion: unknown) =>
  defineTool({
    name: 'Steps',
    description: 'Does one thing after the other.',
    input: jsonSchema({ type: 'object' }),
    checkPermissions: async () => opinion as Opinion,
    call: async () => 'done',
  });

const covered: Decision = { kind: 'allow', reason: { by: 'rule', rule: 'Steps(a)', source: 'user' } };
const uncovered: Decision = { kind: 'ask', reason: { by: 'no-rule' }, message: 'no rule allows it' };
const guarded: Decision = {
  kind: 'ask',
  reason: { by: 'guard', guard: 'G1', path: '/', detail: 'it removes everything' },
  message: 'it removes everything',
};
const refused: Decision = { kind: 'deny', reason: { by: 'rule', rule: 'Steps(c)', source: 'project' }, message: 'denied by Steps(c)' };
const partly = (kind: Decision['kind'], ...decisions: readonly unknown[]) => ({
  kind,
  reason: { by: 'parts', parts: decisions.map((decision, at) => ({ part: `step ${at}`, decision })) },
  message: 'a part of it',
});

describe('M4.9 what a tool says of the parts of a call', () => {
  test.each([
    ['a part that a rule denies', partly('deny', covered, refused), 'bypassPermissions', 'deny 1d'],
    ['a part that a guard stops, over bypass', partly('ask', covered, guarded), 'bypassPermissions', 'ask 1f'],
    ['a guard', guarded, 'bypassPermissions', 'ask 1g'],
    ['plan mode', { kind: 'ask', reason: { by: 'mode', mode: 'plan', detail: 'it writes' }, message: 'no' }, 'default', 'ask 1p'],
    ['a part that no rule covers', partly('ask', covered, uncovered), 'default', 'ask 3'],
    ['a part that no rule covers, in bypass', partly('ask', covered, uncovered), 'bypassPermissions', 'allow 2a'],
    ['parts of parts', partly('ask', partly('ask', guarded)), 'bypassPermissions', 'ask 1f'],
    ['all parts covered', partly('allow', covered, covered), 'default', 'allow 2b'],
    ['accept-edits', { kind: 'allow', reason: { by: 'mode', mode: 'acceptEdits', detail: 'inside' } }, 'acceptEdits', 'allow 2b'],
  ] as const)('M4.9 %s', async (_what, opinion, mode, expected) => {
    const { decide, verdict } = await started({ tools: [saying(opinion)], mode });
    expect(await verdict('Steps')).toBe(expected);
    if (!expected.endsWith('2a')) expect((await decide('Steps')).reason).toEqual(opinion.reason);
  });

  test('M4.9 a rule on the whole tool allows what no rule on a part covers, and nothing else', async () => {
    const verdictOn = async (opinion: unknown) =>
      (await started({ tools: [saying(opinion)], rules: { allow: ['Steps'] } })).verdict('Steps');
    expect([await verdictOn(partly('ask', covered, uncovered)), await verdictOn(partly('ask', uncovered, guarded))]).toEqual([
      'allow 2b',
      'ask 1f',
    ]);
  });

  test('M4.6 a flag answers for parts only where it may answer for each', async () => {
    const answer = { permission: async () => ({ kind: 'allow', by: { kind: 'flag', flag: '--yes' } }) as const };
    const outcomeOf = async (opinion: unknown) => {
      const { host } = await started({
        tools: [saying(opinion)],
        asker: { ...answer, question: async () => ({ kind: 'nobody' }), elicit: async () => ({ kind: 'nobody' }) },
      });
      return (await host.call('Steps', {})).kind;
    };
    expect([await outcomeOf(partly('ask', covered, uncovered)), await outcomeOf(partly('ask', uncovered, guarded))]).toEqual([
      'done',
      'refused',
    ]);
  });

  test.each([
    ['no parts', partly('allow')],
    ['a part without a decision', { kind: 'allow', reason: { by: 'parts', parts: [{ part: 'x' }] } }],
    ['a part that a person is said to have answered', partly('allow', { kind: 'allow', reason: { by: 'person', answer: 'yes' } })],
    ['a guard nobody has', { ...guarded, reason: { ...guarded.reason, guard: 'G9' } }],
    ['a mode nobody has', { kind: 'allow', reason: { by: 'mode', mode: 'fast', detail: 'x' } }],
  ])('M4.9 %s cannot be read, and asks', async (_what, opinion) => {
    const { decide } = await started({ tools: [saying(opinion)], mode: 'bypassPermissions' });
    expect(await decide('Steps')).toMatchObject({ kind: 'ask', message: expect.stringContaining('cannot be read') });
  });

  test('M4.9 parts within parts without end cannot be read', async () => {
    const endless: { kind: string; message: string; reason: { by: string; parts: unknown[] } } = {
      kind: 'allow',
      message: '',
      reason: { by: 'parts', parts: [] },
    };
    endless.reason.parts.push({ part: 'itself', decision: endless });
    const { verdict } = await started({ tools: [saying(endless)] });
    expect(await verdict('Steps')).toBe('ask 1f');
  });
});
