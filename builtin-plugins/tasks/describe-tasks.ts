import type { Display } from 'pegboard';

import { openBlockers, type Task, type TaskList, type TaskStatus } from './task-list.ts';

const MARKS: Readonly<Record<TaskStatus, string>> = { pending: '☐', in_progress: '◐', completed: '☑' };

/** One line for the model: `#2 [in_progress] Run the tests (ann, waits for #1)`. */
export function taskLine(list: TaskList, task: Task): string {
  const blockers = openBlockers(list, task).map((id) => `#${id}`);
  const notes = [task.owner, blockers.length > 0 ? `waits for ${blockers.join(', ')}` : undefined].filter((note) => note !== undefined);
  return `#${task.id} [${task.status}] ${task.subject}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

/** All tasks for the model, a line each. */
export function taskLines(list: TaskList): string {
  return list.tasks.map((task) => taskLine(list, task)).join('\n');
}

/** The panel for people: what is being done in its own words, everything else by its subject. */
export function taskPanel(list: TaskList): Display {
  const items = list.tasks.map((task) => `${MARKS[task.status]} ${panelText(task)}`);
  return { kind: 'list', items };
}

/** How far it is, in few words: `2 of 5 done, now: Running the tests`. */
export function taskSummary({ tasks }: TaskList): string {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const now = tasks.find(({ status }) => status === 'in_progress');
  return `${done} of ${tasks.length} done${now === undefined ? '' : `, now: ${panelText(now)}`}`;
}

function panelText({ status, activeForm, subject }: Task): string {
  return status === 'in_progress' ? (activeForm ?? subject) : subject;
}
