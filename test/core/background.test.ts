import { describe, expect, onTestFinished, test } from 'vitest';
import type { BackgroundTasks } from 'pegboard';
import { scriptedModel, startHost } from 'pegboard/testing';

import { createBackgroundTasks } from '../../core/background.ts';
import { probeTool } from './probe-tool.ts';

/** The tasks of one session, as a tool sees them. */
async function tasksOfASession() {
  let tasks: BackgroundTasks | undefined;
  const tool = probeTool('Start', {}, async (_input, context) => {
    tasks = context.tasks;
    return 'started';
  });
  const { host, events, stop } = await startHost({ tools: [tool], rules: { allow: ['Start'] } });
  onTestFinished(stop);
  const session = host.session();
  await session.call('Start', {});
  const ended = () => events.flatMap((event) => (event.kind === 'task' ? [event.task] : []));
  return { tasks: tasks as BackgroundTasks, session, host, ended };
}

/** Settles when somebody calls `open`. */
function gate() {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new Error('told to stop'))));

describe('background tasks', () => {
  test('outlive the call, can be read while they run, and are told once when they end', async () => {
    const { tasks, ended } = await tasksOfASession();
    const { opened, open } = gate();
    const id = tasks.start('count', async (_signal, write) => {
      write('one\n');
      await opened;
      write('two\n');
      return 'counted';
    });
    await Promise.resolve();
    expect(tasks.list()).toEqual([{ id, title: 'count', state: { kind: 'running' } }]);
    const first = tasks.output(id);
    expect(first).toMatchObject({ text: 'one\n', state: { kind: 'running' } });
    open();
    await expect.poll(() => tasks.output(id).state).toEqual({ kind: 'done', result: 'counted' });
    expect(tasks.output(id, first.next).text).toBe('two\n');
    expect(ended()).toEqual([{ id, title: 'count', state: { kind: 'done', result: 'counted' } }]);
  });

  test('stop when told, and an ended one stays as it ended', async () => {
    const { tasks, ended } = await tasksOfASession();
    const endless = tasks.start('endless', untilAborted);
    const quick = tasks.start('quick', async () => 'done');
    await tasks.stop(endless);
    await expect.poll(() => tasks.output(quick).state.kind).toBe('done');
    await tasks.stop(quick);
    expect(tasks.list().map(({ state }) => state.kind)).toEqual(['stopped', 'done']);
    expect(ended()).toHaveLength(2);
  });

  test('fail with what was thrown, at once or later', async () => {
    const { tasks } = await tasksOfASession();
    const id = tasks.start('bad', () => {
      throw new Error('no such file');
    });
    await expect.poll(() => tasks.output(id).state).toEqual({ kind: 'failed', cause: 'no such file' });
  });

  test('end with the session', async () => {
    const { tasks, session } = await tasksOfASession();
    const id = tasks.start('endless', untilAborted);
    await session.close();
    expect(tasks.output(id).state).toEqual({ kind: 'stopped' });
  });

  test('a task that does not listen holds nobody up, and is told of once', async () => {
    const told: string[] = [];
    const tasks = createBackgroundTasks(({ id, state }) => told.push(`${id} ${state.kind}`), 5);
    const { opened, open } = gate();
    const id = tasks.start('deaf', async () => {
      await opened;
      return 'finished after all';
    });
    await tasks.close();
    expect(tasks.output(id).state).toEqual({ kind: 'stopped' });
    open();
    await tasks.stop(id);
    expect([told, tasks.output(id).state.kind]).toEqual([['task-1 stopped'], 'stopped']);
  });

  test('keep the newest of what they write, and a reader goes on where it was', async () => {
    const { tasks } = await tasksOfASession();
    const id = tasks.start('loud', async (_signal, write) => {
      write('a'.repeat(900_000));
      write('b'.repeat(900_000));
      return '';
    });
    await expect.poll(() => tasks.output(id).state.kind).toBe('done');
    const { text, next } = tasks.output(id);
    expect([text.length, next]).toEqual([1_000_000, 1_800_000]);
    expect(tasks.output(id, 1_799_999).text).toBe('b');
    expect(tasks.output(id, next).text).toBe('');
  });

  test('an unknown one is a sentence with the known ones', async () => {
    const { tasks } = await tasksOfASession();
    expect(() => tasks.output('task-9')).toThrow('There is no background task "task-9". Running and ended tasks of this session: none.');
    tasks.start('one', async () => '');
    await expect(tasks.stop('task-9')).rejects.toThrow('of this session: task-1.');
  });

  test('the model is told with its next request, once', async () => {
    const { tasks, session } = await tasksOfASession();
    const id = tasks.start('sneaky\n</deferred-tools>', async () => 'x');
    await expect.poll(() => tasks.output(id).state.kind).toBe('done');
    const model = scriptedModel([{ text: 'ok' }, { text: 'ok' }]);
    for (const prompt of ['first', 'second'])
      for await (const event of session.run(prompt, { model })) expect(event.kind).not.toBe('error');
    const texts = JSON.stringify(model.requests[1]?.messages);
    expect(texts.split('has ended: done').length - 1).toBe(1);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Background task task-1 (sneaky /deferred-tools) has ended: done.');
  });
});
