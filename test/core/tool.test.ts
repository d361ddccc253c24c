import { describe, expect, onTestFinished, test } from 'vitest';
import { PegboardError, defineTool, firstSentence, textResult, wireTool, type InputSchema, type Tool } from 'pegboard';
import { jsonSchema, openWorkspace } from 'pegboard/kit';
import { startHost, wireProblems } from 'pegboard/testing';
import { z } from 'zod';

import { probeTool } from './probe-tool.ts';

/** A shell in miniature: everything it says of itself depends on the input. */
const shell = defineTool({
  name: 'Shell',
  description: 'Runs a command.',
  input: z.object({ command: z.string() }),
  isReadOnly: ({ command }) => command.startsWith('ls'),
  isConcurrencySafe: ({ command }) => command.startsWith('ls'),
  isDestructive: ({ command }) => command.startsWith('rm'),
  call: async ({ command }) => command,
});

async function started(...tools: readonly Tool[]) {
  const { host, events, stop } = await startHost({ tools, rules: { allow: tools.map(({ name }) => name) } });
  onTestFinished(stop);
  return { host, events };
}

describe('the tool contract', () => {
  test('M1.1 a tool holds no state: the same object keeps separate values in separate sessions', async () => {
    const { defineState } = await import('pegboard');
    const count = defineState('count', () => ({ calls: 0 }));
    const counter = probeTool('Counter', {}, (_input, context) => String(++context.state(count).calls));
    const { host } = await started(counter);
    const [one, two] = [host.session(), host.session()];
    const said = async (session: typeof one) => (await session.call('Counter', {})).result.content[0];
    expect(await said(one)).toEqual({ type: 'text', text: '1' });
    expect(await said(one)).toEqual({ type: 'text', text: '2' });
    expect(await said(two)).toEqual({ type: 'text', text: '1' });
  });

  test('M1.1 everything a call needs is in its context, so a tool runs alone under any of them', async () => {
    const seen: string[] = [];
    const tool = probeTool('Where', {}, (_input, context) => {
      seen.push(context.workspace.cwd, context.callId);
      context.report({ step: 1 });
      return 'done';
    });
    const context = {
      callId: 'c1',
      workspace: openWorkspace(['/somewhere'], '/home/me'),
      report: (progress: unknown) => seen.push(JSON.stringify(progress)),
    };
    expect(await tool.call({}, context as unknown as Parameters<Tool['call']>[1])).toEqual(textResult('done'));
    expect(seen).toEqual(['/somewhere', 'c1', '{"step":1}']);
  });

  test('M1.2 a tool says all its fields, and what the author gave stays', () => {
    const tool = defineTool({
      name: 'Notes',
      description: 'Keeps notes.',
      input: z.object({ text: z.string().describe('What to keep') }),
      aliases: ['NotesOld'],
      searchHint: 'keep a note',
      maxResultSizeChars: 500,
      strict: true,
      outputSchema: { type: 'object' },
      call: async () => 'kept',
    });
    expect(tool).toMatchObject({
      name: 'Notes',
      aliases: ['NotesOld'],
      searchHint: 'keep a note',
      maxResultSizeChars: 500,
      strict: true,
      outputSchema: { type: 'object' },
      ruleNames: ['Notes'],
    });
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: { text: { type: 'string', description: 'What to keep' } },
      required: ['text'],
    });
    expect(wireProblems([wireTool(tool)])).toEqual([]);
  });

  test('M1.2 an old name keeps working, for calls and for rules', async () => {
    const tool = probeTool('Fresh', { aliases: ['Stale'] });
    const { host } = await started(tool);
    expect(await host.call('Stale', {})).toMatchObject({ kind: 'done' });
    const strict = await startHost({ tools: [tool], rules: { allow: ['Fresh'], deny: ['Stale'] } });
    onTestFinished(strict.stop);
    expect(await strict.host.call('Fresh', {})).toMatchObject({ kind: 'refused', decision: { reason: { by: 'rule', rule: 'Stale' } } });
  });

  test('M1.3 what a tool says of itself depends on the input', () => {
    expect([
      shell.isReadOnly({ command: 'ls' }),
      shell.isConcurrencySafe({ command: 'ls' }),
      shell.isDestructive({ command: 'ls' }),
    ]).toEqual([true, true, false]);
    expect([shell.isReadOnly({ command: 'rm -rf /' }), shell.isDestructive({ command: 'rm -rf /' })]).toEqual([false, true]);
    expect(shell.interruptBehavior()).toBe('block');
    expect(shell.isEnabled({ features: {} })).toBe(true);
  });

  test('M1.4 defaults are closed: not concurrency-safe, not read-only, destructive, asked about, deferred by nobody', async () => {
    const tool = probeTool('Plain');
    expect([tool.isConcurrencySafe({}), tool.isReadOnly({}), tool.isDestructive({}), tool.requiresUserInteraction()]).toEqual([
      false,
      false,
      true,
      false,
    ]);
    const { host, stop } = await startHost({ tools: [tool] });
    onTestFinished(stop);
    expect(await host.call('Plain', {})).toMatchObject({ kind: 'refused', decision: { step: 'ask', reason: { by: 'nobody-to-ask' } } });
    expect(tool.inputs).toEqual([]);
  });

  test('M1.4 destructive means not read-only unless declared otherwise', () => {
    expect(probeTool('Reads', { isReadOnly: () => true }).isDestructive({})).toBe(false);
    expect(probeTool('Writes', { isDestructive: () => false }).isDestructive({})).toBe(false);
  });

  test('M1.4 a member that is there and undefined leaves the cautious default standing', () => {
    const careless = {
      name: 'Careless',
      description: 'x',
      input: jsonSchema({ type: 'object' }),
      isReadOnly: undefined,
      aliases: undefined,
      call: async () => '',
    };
    const tool = defineTool(careless as unknown as Parameters<typeof defineTool>[0]);
    expect(tool.isReadOnly({})).toBe(false);
    expect(tool.aliases).toEqual([]);
  });

  test('M1.5 the permission members have no opinion, match nothing and give a judge nothing to read', async () => {
    const tool = probeTool('Plain');
    const context = {} as Parameters<Tool['call']>[1];
    expect(await tool.checkPermissions({}, context)).toEqual({ kind: 'passthrough' });
    expect(await tool.validateInput({}, context)).toBeUndefined();
    expect(await tool.preparePermissionMatcher({}, context)).toBeUndefined();
    expect(tool.suggestRules({}, context)).toBeUndefined();
    expect(tool.toAutoClassifierInput({})).toBe('');
  });

  test('M1.5 validateInput stops a call before anything is asked or run', async () => {
    const tool = probeTool('Picky', { validateInput: async ({ text }) => (text === 'no' ? 'text: "no" is not taken here' : undefined) });
    const { host } = await started(tool);
    expect(await host.call('Picky', { text: 'no' })).toMatchObject({
      kind: 'invalid',
      message: 'The input of Picky does not fit: text: "no" is not taken here.',
    });
    expect(await host.call('Picky', { text: 'yes' })).toMatchObject({ kind: 'done' });
    expect(tool.inputs).toEqual([{ text: 'yes' }]);
  });

  test('M1.6 a tool describes itself in words that anything can draw', () => {
    const tool = defineTool({
      name: 'Edit',
      description: 'Changes a file.',
      input: z.object({ path: z.string() }),
      display: {
        use: ({ path }) => ({ kind: 'text', text: `Change ${path}` }),
        result: ({ path }) => ({ kind: 'diff', path, before: 'a', after: 'b' }),
        rejected: (_input, why) => ({ kind: 'markdown', text: `**${why}**` }),
        grouped: (inputs) => ({ kind: 'list', items: inputs.map(({ path }) => path) }),
        activity: ({ path }) => `Changing ${path}`,
      },
      call: async () => '',
    });
    const input = { path: 'a.txt' };
    expect(JSON.parse(JSON.stringify(tool.display.use?.(input)))).toEqual({ kind: 'text', text: 'Change a.txt' });
    expect(tool.display.result?.(input, { text: '' })).toEqual({ kind: 'diff', path: 'a.txt', before: 'a', after: 'b' });
    expect(tool.display.grouped?.([input, { path: 'b.txt' }])).toEqual({ kind: 'list', items: ['a.txt', 'b.txt'] });
    expect(tool.display.activity?.(input)).toBe('Changing a.txt');
  });

  test('M1.6 what a tool draws is shown with the question, and a picture that fails decides nothing', async () => {
    const asked: unknown[] = [];
    const asker = {
      permission: async (question: { readonly display?: unknown }) => {
        asked.push(question.display);
        return { kind: 'allow' as const };
      },
      question: async () => ({ kind: 'nobody' as const }),
      elicit: async () => ({ kind: 'nobody' as const }),
    };
    const drawn = probeTool('Drawn', { display: { use: ({ text }) => ({ kind: 'text', text: `says ${text}` }) } });
    const broken = probeTool('Broken', {
      display: {
        use: () => {
          throw new Error('no picture');
        },
      },
    });
    const { host, stop } = await startHost({ tools: [drawn, broken], asker });
    onTestFinished(stop);
    expect(await host.call('Drawn', { text: 'hi' })).toMatchObject({ kind: 'done' });
    expect(await host.call('Broken', {})).toMatchObject({ kind: 'done' });
    expect(asked).toEqual([{ kind: 'text', text: 'says hi' }, undefined]);
  });

  test('M1.7 a call reports progress while it runs, then returns content and structured output', async () => {
    const tool = probeTool('Steps', {}, async (_input, context) => {
      context.report({ done: 1 });
      context.report({ done: 2 });
      return { content: [{ type: 'text', text: 'all done' }], structuredContent: { steps: 2 } };
    });
    const { host, events } = await started(tool);
    const outcome = await host.call('Steps', {});
    expect(outcome).toMatchObject({
      kind: 'done',
      result: { structuredContent: { steps: 2 }, content: [{ type: 'text', text: 'all done' }] },
    });
    expect(events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : []))).toEqual([{ done: 1 }, { done: 2 }]);
  });

  test('M12.4 a tool takes four things and no more', async () => {
    const shout = defineTool({
      name: 'Shout',
      description: 'Repeats a text in capitals.',
      input: z.object({ text: z.string() }),
      call: async ({ text }) => text.toUpperCase(),
    });
    const { host } = await started(shout);
    expect((await host.call('Shout', { text: 'hi' })).result).toEqual(textResult('HI'));
    expect(await host.call('Shout', { text: 7 })).toMatchObject({ kind: 'invalid', message: expect.stringContaining('text: ') });
  });
});

describe('defineTool refuses what no model could be told of', () => {
  const define = (name: string, input: InputSchema<unknown>) => () => defineTool({ name, description: 'x', input, call: async () => '' });
  const object = jsonSchema({ type: 'object' });

  test.each(['', 'has space', 'dot.ted', 'ümlaut', 'x'.repeat(65)])('a name like "%s"', (name) => {
    expect(define(name, object)).toThrow(expect.objectContaining({ code: 'TOOL_NAME' }));
  });
  test.each([
    ['a text at its root', jsonSchema({ type: 'string' })],
    ['no type at its root', jsonSchema({ properties: {} })],
    ['a choice at its root', jsonSchema({ type: 'object', anyOf: [{ required: ['a'] }] })],
    ['a union of zod', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ['a type JSON does not have', z.object({ at: z.date() })],
  ])('a schema with %s', (_what, schema) => {
    expect(define('Fine', schema)).toThrow(PegboardError);
    expect(define('Fine', schema)).toThrow(expect.objectContaining({ code: 'TOOL_SCHEMA' }));
  });

  test('a call may use what stands beside it', async () => {
    const definition = { name: 'Own', description: 'x', input: object, greeting: 'hello', call: async () => '' };
    definition.call = async function (this: typeof definition) {
      return this.greeting;
    };
    expect(await defineTool(definition).call({}, {} as Parameters<Tool['call']>[1])).toEqual(textResult('hello'));
  });
});

describe('firstSentence', () => {
  test.each([
    ['Reads a file. Then more.', 'Reads a file.'],
    ['No end here', 'No end here'],
    ['  One line\nand another', 'One line'],
    ['See v1.2 of it. More', 'See v1.2 of it.'],
    ['读取文件。然后', '读取文件。'],
    ['', ''],
  ])('of "%s"', (text, sentence) => {
    expect(firstSentence(text)).toBe(sentence);
  });
  test('is at most 120 code units', () => {
    expect(firstSentence('x'.repeat(500))).toHaveLength(120);
  });
});
