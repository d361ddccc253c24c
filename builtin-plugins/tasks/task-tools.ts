import { defineTool, errorResult, type ToolContext, type ToolDefinition, type ToolResult, type TurnFacts } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { taskLine, taskLines, taskPanel } from './describe-tasks.ts';
import {
  isTodoWriteWanted,
  noTask,
  openBlockers,
  TASK_STATUSES,
  taskList,
  updated,
  withTask,
  type NewTask,
  type TaskChange,
  type TaskList,
  type TaskUpdate,
} from './task-list.ts';

/** What all of them are: they change nothing but the session's own list. */
const own = {
  isEnabled: (facts: TurnFacts) => !isTodoWriteWanted(facts),
  shouldDefer: true,
  isReadOnly: () => true,
  isDestructive: () => false,
  writes: () => [{ kind: 'other', name: 'tasks' }] as const,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: "the session's own list of tasks" } }) as const,
} satisfies Partial<ToolDefinition<unknown>>;

const TASK_ID = { type: 'string', description: 'The number of the task, as TaskList shows it' } as const;
const SUBJECT = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: 'What is to be done, in a few words: "Run the tests"',
} as const;
const DESCRIPTION = { type: 'string', maxLength: 4_000, description: 'What belongs to it and when it is done' } as const;
const ACTIVE = { type: 'string', maxLength: 200, description: 'The same while it is being done: "Running the tests"' } as const;

export const taskCreate = defineTool<NewTask>({
  ...own,
  name: 'TaskCreate',
  description: [
    "Adds a task to this session's list. Use the list for work of three steps and more, or where the person names several things;",
    'not for one simple step. Set it in_progress with TaskUpdate before you begin, and completed as soon as it is done.',
  ].join(' '),
  searchHint: 'add a to-do item to the list of tasks, plan work in steps',
  input: jsonSchema<NewTask>({
    type: 'object',
    properties: { subject: SUBJECT, description: DESCRIPTION, activeForm: ACTIVE },
    required: ['subject', 'description'],
    additionalProperties: false,
  }),
  display: { activity: () => 'Planning', summary: ({ subject }) => subject },
  call: async (task, context) =>
    keep(
      context,
      (list) => withTask(list, task),
      (list, { id }) => `Task #${id} was added; ${counted(list)}.`,
    ),
});

export const taskUpdate = defineTool<TaskUpdate & { readonly taskId: string }>({
  ...own,
  name: 'TaskUpdate',
  description: [
    'Changes a task: its status, words, owner, or what it waits for. Have one task in_progress at a time, and complete only what is',
    'wholly done: with open errors or missing parts it stays in_progress. With the status deleted it leaves the list.',
    'Set owner to claim a task: one that another has, or that waits for others, cannot be claimed.',
  ].join(' '),
  searchHint: 'update a to-do item: mark a task as started, done, blocked, assigned or deleted',
  input: jsonSchema<TaskUpdate & { readonly taskId: string }>({
    type: 'object',
    properties: {
      taskId: TASK_ID,
      status: { type: 'string', enum: [...TASK_STATUSES, 'deleted'] },
      subject: SUBJECT,
      description: DESCRIPTION,
      activeForm: ACTIVE,
      owner: { type: 'string', minLength: 1, maxLength: 100, description: 'Who does it' },
      addBlocks: { type: 'array', items: { type: 'string' }, description: 'Tasks that wait for this one' },
      addBlockedBy: { type: 'array', items: { type: 'string' }, description: 'Tasks that come before this one' },
    },
    required: ['taskId'],
    additionalProperties: false,
  }),
  display: { activity: () => 'Updating tasks', summary: ({ taskId, status }) => `#${taskId}${status === undefined ? '' : ` ${status}`}` },
  call: async ({ taskId, ...update }, context) =>
    keep(
      context,
      (list) => updated(list, taskId, update),
      (list, task) => {
        if (update.status === 'deleted') return `Task #${taskId} was deleted; ${counted(list)}.`;
        const blockers = task.status === 'in_progress' ? openBlockers(list, task) : [];
        const note = blockers.length === 0 ? '' : ` It was to wait for ${blockers.map((id) => `#${id}`).join(', ')}.`;
        return `${taskLine(list, task)}.${note} ${counted(list)}.`;
      },
    ),
});

export const taskGet = defineTool<{ readonly taskId: string }>({
  ...own,
  name: 'TaskGet',
  description: 'One task of the list, with its whole description, its owner and what it waits for.',
  searchHint: 'read one to-do item with all details',
  input: jsonSchema({ type: 'object', properties: { taskId: TASK_ID }, required: ['taskId'], additionalProperties: false }),
  isConcurrencySafe: () => true,
  writes: () => [],
  display: { activity: () => 'Reading a task', summary: ({ taskId }) => `#${taskId}` },
  call: async ({ taskId }, context) => {
    const { list } = context.state(taskList);
    const task = list.tasks.find(({ id }) => id === taskId);
    if (task === undefined) return errorResult(noTask(taskId, list));
    return { content: [{ type: 'text', text: `${taskLine(list, task)}\n${task.description}` }], structuredContent: task };
  },
});

export const taskListTool = defineTool<Record<string, never>>({
  ...own,
  name: 'TaskList',
  description: 'All tasks of this session with their status, owner and what they wait for; without descriptions.',
  searchHint: 'show the to-do list, all tasks and their status',
  input: jsonSchema({ type: 'object', properties: {}, additionalProperties: false }),
  isConcurrencySafe: () => true,
  writes: () => [],
  display: { activity: () => 'Reading the tasks' },
  call: async (_input, context) => {
    const { list } = context.state(taskList);
    const text = list.tasks.length === 0 ? 'There are no tasks.' : taskLines(list);
    return { content: [{ type: 'text', text }], structuredContent: { tasks: list.tasks } };
  },
});

/** Replaces the list by the changed one and says so in one line; the panel goes to the person. */
function keep(
  context: ToolContext,
  change: (list: TaskList) => TaskChange,
  receipt: (list: TaskList, task: Extract<TaskChange, { kind: 'changed' }>['task']) => string,
): ToolResult {
  const held = context.state(taskList);
  const changed = change(held.list);
  if (changed.kind === 'refused') return errorResult(changed.why);
  held.list = changed.list;
  context.report(taskPanel(changed.list));
  return { content: [{ type: 'text', text: receipt(changed.list, changed.task) }], structuredContent: { task: changed.task } };
}

function counted({ tasks }: TaskList): string {
  const open = tasks.filter(({ status }) => status !== 'completed').length;
  return `${open} of ${tasks.length} open`;
}
