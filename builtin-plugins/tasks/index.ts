import { definePlugin, type Plugin } from 'pegboard';

import { taskOutput, taskStop } from './task-output.ts';
import { taskReminder } from './task-reminder.ts';
import { taskCreate, taskGet, taskListTool, taskUpdate } from './task-tools.ts';
import { todoWrite } from './todo-write.ts';

export { taskPanel } from './describe-tasks.ts';
export { taskList } from './task-list.ts';

/** The plugin "tasks": the session's list of things to do, and the tools for work in the background (M9). */
export function tasks(): Plugin {
  return definePlugin({
    name: 'tasks',
    tools: [taskCreate, taskGet, taskListTool, taskUpdate, todoWrite, taskOutput, taskStop],
    contributes: { reminder: [taskReminder] },
  });
}
