import { describe, expect, test } from 'vitest';
import { headlessAsker, libraryAsker, reasonText, type Ask, type PermissionQuestion, type Reason } from 'pegboard';

const signal = new AbortController().signal;
const decision: Ask = { kind: 'ask', reason: { by: 'no-rule' }, message: 'not allowed by any rule' };
const question: PermissionQuestion = { tool: 'Probe', input: {}, decision, answerable: true, suggestions: [] };
const elicitation = { server: 's', message: 'Your name?', schema: { type: 'object' as const } };

describe('headlessAsker', () => {
  test('answers everything with nobody', async () => {
    expect(await headlessAsker.permission(question, signal)).toEqual({ kind: 'nobody' });
    expect(await headlessAsker.question({ text: 'Which?' }, signal)).toEqual({ kind: 'nobody' });
    expect(await headlessAsker.elicit(elicitation, signal)).toEqual({ kind: 'nobody' });
  });
});

describe('libraryAsker', () => {
  test('passes on what is given and has nobody for the rest', async () => {
    const asker = libraryAsker({ question: async ({ text }) => ({ kind: 'answer', text: text.toUpperCase() }) });
    expect(await asker.question({ text: 'which?' }, signal)).toEqual({ kind: 'answer', text: 'WHICH?' });
    expect(await asker.permission(question, signal)).toEqual({ kind: 'nobody' });
    expect(await asker.elicit(elicitation, signal)).toEqual({ kind: 'nobody' });
  });
  test('what throws is a no, with the reason', async () => {
    const asker = libraryAsker({ permission: () => Promise.reject(new Error('window closed')) });
    expect(await asker.permission(question, signal)).toEqual({
      kind: 'deny',
      message: 'the question could not be answered: window closed',
    });
  });
});

describe('reasonText', () => {
  test.each<readonly [Reason, string]>([
    [{ by: 'rule', rule: 'Probe', source: 'project' }, 'the rule Probe (project)'],
    [{ by: 'hook', plugin: 'p', hook: 'tool.before', detail: 'no' }, 'the hook tool.before of plugin "p": no'],
    [{ by: 'tool', detail: 'it needs a person' }, 'it needs a person'],
    [{ by: 'person', answer: 'yes' }, 'a person answered: yes'],
    [{ by: 'flag', flag: '--yes' }, 'answered by --yes'],
    [{ by: 'nobody-to-ask', asked: { by: 'no-rule' } }, 'no rule allows it, and there is nobody to ask'],
  ])('%j', (reason, text) => {
    expect(reasonText(reason)).toBe(text);
  });
});
