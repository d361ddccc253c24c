import assert from 'node:assert/strict';
import { afterEach, test } from 'vitest';

import { defineTool, textOf, type Outcome, type Session } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';

import { scriptedModel, type ScriptedTurn } from '../support/scripted-model.ts';
import { startHost, type StartedHost, type StartOptions } from '../support/start-host.ts';
import { there } from '../support/there.ts';

let started: StartedHost | undefined;
afterEach(() => started?.stop());

async function session(options: StartOptions = {}): Promise<Session> {
  started = await startHost({ builtins: builtinPlugins(), ...options });
  return started.host.session();
}

async function said(outcome: Promise<Outcome>): Promise<string> {
  const { kind, result } = await outcome;
  return `${kind === 'done' && result.isError !== true ? '' : 'failed: '}${textOf(result.content)}`;
}

const named = (subject: string) => ({ subject, description: `How to ${subject.toLowerCase()}.` });

test('M9.1 a task tool answers with one short receipt, and the panel goes to people', async () => {
  const one = await session();
  const outcome = await one.call('TaskCreate', { ...named('Run the tests'), activeForm: 'Running the tests' });
  assert.equal(textOf(outcome.result.content), 'Task #1 was added; 1 of 1 open.');
  assert.equal(await said(one.call('TaskUpdate', { taskId: '1', status: 'in_progress' })), '#1 [in_progress] Run the tests. 1 of 1 open.');
  const shown = started?.events.flatMap((event) => (event.kind === 'progress' ? [event.progress] : [])) ?? [];
  assert.deepEqual(shown.at(-1), { kind: 'list', items: ['◐ Running the tests'] });
});

test('M9.2 a list is a snapshot of its session: another session has its own, and ids are never given twice', async () => {
  const one = await session();
  await one.call('TaskCreate', named('First'));
  await one.call('TaskUpdate', { taskId: '1', status: 'deleted' });
  assert.equal(await said(one.call('TaskCreate', named('Second'))), 'Task #2 was added; 1 of 1 open.');
  assert.equal(await said(one.call('TaskList', {})), '#2 [pending] Second');
  assert.equal(await said(there(started).host.session().call('TaskList', {})), 'There are no tasks.');
});

test('M9.4 who claims a task that is taken or waits is told so, and nothing is changed', async () => {
  const one = await session();
  for (const subject of ['Build', 'Test', 'Publish']) await one.call('TaskCreate', named(subject));
  await one.call('TaskUpdate', { taskId: '2', addBlockedBy: ['1'], addBlocks: ['3'] });
  assert.equal(await said(one.call('TaskUpdate', { taskId: '1', owner: 'ann' })), '#1 [pending] Build (ann). 3 of 3 open.');
  assert.match(await said(one.call('TaskUpdate', { taskId: '1', owner: 'bob', subject: 'Mine' })), /^failed: Task 1 is ann's/);
  assert.match(await said(one.call('TaskUpdate', { taskId: '3', owner: 'bob' })), /^failed: Task 3 waits for 2/);
  assert.equal(
    await said(one.call('TaskList', {})),
    '#1 [pending] Build (ann)\n#2 [pending] Test (waits for #1)\n#3 [pending] Publish (waits for #2)',
  );
  await one.call('TaskUpdate', { taskId: '1', status: 'completed' });
  assert.equal(await said(one.call('TaskUpdate', { taskId: '2', owner: 'bob' })), '#2 [pending] Test (bob). 2 of 3 open.');
});

test('M9.4 for one agent what a task waits for is a label: it may begin, and is reminded', async () => {
  const one = await session();
  for (const subject of ['Build', 'Test']) await one.call('TaskCreate', named(subject));
  await one.call('TaskUpdate', { taskId: '2', addBlockedBy: ['1'] });
  assert.match(
    await said(one.call('TaskUpdate', { taskId: '2', status: 'in_progress' })),
    /^#2 \[in_progress\] .* It was to wait for #1\./,
  );
});

test('M9.4 tasks that would wait for each other in a circle, and tasks nobody knows, are refused', async () => {
  const one = await session();
  for (const subject of ['Build', 'Test']) await one.call('TaskCreate', named(subject));
  await one.call('TaskUpdate', { taskId: '2', addBlockedBy: ['1'] });
  assert.match(await said(one.call('TaskUpdate', { taskId: '1', addBlockedBy: ['2'] })), /^failed: Task 1 would wait for itself/);
  assert.match(await said(one.call('TaskUpdate', { taskId: '1', addBlocks: ['9'] })), /^failed: There is no task 9\. There are: 1, 2/);
  assert.match(await said(one.call('TaskGet', { taskId: 'x' })), /^failed: There is no task x/);
});

test('M9.1 with the feature todoWrite the whole list is written at once, and the task tools are not there', async () => {
  const one = await session({ turn: () => ({ features: { todoWrite: true } }) });
  const names = one.pool().tools.map(({ name }) => name);
  assert.ok(names.includes('TodoWrite') && !names.includes('TaskCreate') && names.includes('TaskOutput'));
  const todos = [
    { content: 'Build', status: 'completed' },
    { content: 'Test', status: 'in_progress', activeForm: 'Testing' },
  ];
  assert.equal(await said(one.call('TodoWrite', { todos })), 'The list was written; 1 of 2 open.');
});

const works = defineTool<Record<string, never>>({
  name: 'Works',
  description: 'Starts work.',
  input: jsonSchema({ type: 'object' }),
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async (_input, { tasks }) =>
    tasks.start('work', async (signal, write) => {
      write('one\n');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'ended';
    }),
});

test('TaskOutput reads what background work wrote, from where it left off, and TaskStop ends it', async () => {
  const one = await session({ tools: [works] });
  const id = await said(one.call('Works', {}));
  assert.equal(await said(one.call('TaskOutput', { task_id: id, block: false })), `${id}: still running. Read on from 4.\none\n`);
  assert.equal(
    await said(one.call('TaskOutput', { task_id: id, block: false, from: 4 })),
    `${id}: still running. Nothing new was written.`,
  );
  assert.equal(await said(one.call('TaskStop', { task_id: id })), `${id} was stopped.`);
  assert.equal(await said(one.call('TaskStop', { task_id: id })), `${id} had ended before: stopped.`);
  assert.match(await said(one.call('TaskOutput', { task_id: 'task-9' })), /^failed: There is no background task "task-9"/);
});

const idle: ScriptedTurn = { calls: [{ name: 'TaskList' }] };
const remindersIn = (messages: readonly { readonly content: readonly { readonly type: string }[] }[]) =>
  messages.flatMap(({ content }) =>
    content.flatMap((block) => (JSON.stringify(block).includes('The tasks of this session') ? [block] : [])),
  );

async function ask(one: Session, turns: readonly ScriptedTurn[]) {
  const model = scriptedModel([...turns, { text: 'Done.' }]);
  for await (const event of one.run('Go on.', { model })) void event;
  return model.requests;
}

test('STATE-02 M9.1 tasks are not recalled while they are being written, and seldom afterwards; old messages stay as they are', async () => {
  const one = await session();
  const writes: readonly ScriptedTurn[] = Array.from({ length: 10 }, (_each, at) => [
    { calls: [{ name: 'TaskCreate', input: named(`Step ${at}`) }] },
    idle,
    idle,
  ]).flat();
  const busy = await ask(one, writes);
  assert.equal(remindersIn(there(busy.at(-1)).messages).length, 0);
  const quiet = await ask(
    one,
    Array.from({ length: 19 }, () => idle),
  );
  const shown = remindersIn(there(quiet.at(-1)).messages).length;
  assert.ok(shown >= 1 && shown <= 2, `${shown} reminders in 20 turns`);
  for (const [at, { messages }] of quiet.entries())
    if (at > 0) assert.deepEqual(messages.slice(0, there(quiet[at - 1]).messages.length), there(quiet[at - 1]).messages);
});

test('STATE-01 with a new epoch the list as it stands is shown once, whole', async () => {
  const one = await session();
  const writes = ['One', 'Two', 'Three'].map((subject) => ({ calls: [{ name: 'TaskCreate', input: named(subject) }] }));
  await ask(one, [...writes, { calls: [{ name: 'TaskUpdate', input: { taskId: '1', status: 'completed' } }] }]);
  one.epoch = undefined;
  const [request] = await ask(one, []);
  const reminders = remindersIn(there(request).messages);
  assert.equal(reminders.length, 1);
  assert.match(JSON.stringify(reminders[0]), /#1 \[completed\] One.*#2 \[pending\] Two.*#3 \[pending\] Three/);
});
