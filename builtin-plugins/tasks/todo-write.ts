import { defineTool, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { taskPanel } from './describe-tasks.ts';
import { isTodoWriteWanted, TASK_STATUSES, taskList, type Task, type TaskStatus } from './task-list.ts';

interface Todo {
  readonly content: string;
  readonly status: TaskStatus;
  readonly activeForm?: string;
}
interface TodoInput {
  readonly todos: readonly Todo[];
}

/** The alternative for models that are used to it: the whole list each time, no owners and no links. It stands in for the task tools, with the same list behind it. */
export const todoWrite = defineTool<TodoInput>({
  name: 'TodoWrite',
  description: [
    "Writes this session's list of things to do, the whole list each time. Use it for work of three steps and more; have one item",
    'in_progress at a time, and complete an item as soon as it is wholly done.',
  ].join(' '),
  searchHint: 'write the to-do list, plan work in steps',
  input: jsonSchema<TodoInput>({
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        maxItems: 200,
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength: 500, description: '"Run the tests"' },
            status: { type: 'string', enum: [...TASK_STATUSES] },
            activeForm: { type: 'string', maxLength: 500, description: '"Running the tests"' },
          },
          required: ['content', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['todos'],
    additionalProperties: false,
  }),
  isEnabled: isTodoWriteWanted,
  isReadOnly: () => true,
  isDestructive: () => false,
  writes: () => [{ kind: 'other', name: 'tasks' }],
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: "the session's own list of tasks" } }),
  display: { activity: () => 'Updating the list' },
  call: async ({ todos }, context) => replace(todos, context),
});

function replace(todos: readonly Todo[], context: ToolContext): ToolResult {
  const held = context.state(taskList);
  const tasks = todos.map(({ content, status, activeForm }, at): Task => {
    return { id: String(at + 1), subject: content, description: '', activeForm, status, blockedBy: [] };
  });
  held.list = { tasks, nextId: tasks.length + 1 };
  context.report(taskPanel(held.list));
  const open = tasks.filter(({ status }) => status !== 'completed').length;
  return { content: [{ type: 'text', text: `The list was written; ${open} of ${tasks.length} open.` }], structuredContent: { todos } };
}
