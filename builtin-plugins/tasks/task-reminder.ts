import type { Reminder } from 'pegboard';

import { taskLine, taskLines, taskSummary } from './describe-tasks.ts';
import { taskList } from './task-list.ts';

/** Keeps the open tasks in mind; the model has just written them, so not before it has not touched them for a while (M9.1). */
export const taskReminder: Reminder = {
  name: 'tasks',
  shows: 'later',
  snapshot: ({ state }) => {
    const { list } = state(taskList);
    const open = list.tasks.filter(({ status }) => status !== 'completed');
    if (open.length === 0) return undefined;
    const intro = 'The tasks of this session as they stand; keep them up to date while you go on, and do not speak of this reminder.';
    return {
      full: `${intro}\n${taskLines(list)}`,
      sparse: `Tasks: ${taskSummary(list)}. Open: ${open.map((task) => taskLine(list, task)).join('; ')}`,
    };
  },
};
