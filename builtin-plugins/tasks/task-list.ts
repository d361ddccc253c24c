import { defineState, type JsonValue, type TurnFacts } from 'pegboard';

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Something to be done, as the model keeps it for itself and for the person. */
export interface Task {
  /** A number, as a text: "1" is the first of a session, and none is given twice. */
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** For while it is in progress: "Running the tests". */
  readonly activeForm?: string | undefined;
  readonly status: TaskStatus;
  /** Who does it, as agents name themselves. */
  readonly owner?: string | undefined;
  /** Ids of tasks that come first. */
  readonly blockedBy: readonly string[];
}

/** All tasks of a session. It is replaced whole, never edited: what was shown of it before stays true. */
export interface TaskList {
  readonly tasks: readonly Task[];
  /** Of the next one. */
  readonly nextId: number;
}

/** Which of the two ways to write the list the settings want (`features.todoWrite`): both at once would only confuse a model. */
export function isTodoWriteWanted({ features }: TurnFacts): boolean {
  return features['todoWrite'] === true;
}

const EMPTY: TaskList = { tasks: [], nextId: 1 };
const MOST_TASKS = 500;

/** The tasks of a session, kept with it. */
export const taskList = defineState<{ list: TaskList }>('tasks', () => ({ list: EMPTY }), {
  write: ({ list }) => list as unknown as JsonValue,
  read: (kept) => ({ list: readList(kept) }),
});

/** What a task is made of. */
export type NewTask = Pick<Task, 'subject' | 'description' | 'activeForm'>;

/** The list with one more task at its end, and the task; a sentence where there is no room. */
export function withTask({ tasks, nextId }: TaskList, { subject, description, activeForm }: NewTask): TaskChange {
  if (tasks.length >= MOST_TASKS) return refused(`There are ${MOST_TASKS} tasks already. Delete what is done, then add more.`);
  const task: Task = { id: String(nextId), subject, description, activeForm, status: 'pending', blockedBy: [] };
  return { kind: 'changed', list: { tasks: [...tasks, task], nextId: nextId + 1 }, task };
}

/** What an update says of a task; what it leaves out stays. `deleted` takes it away, and nothing waits for it any more. */
export interface TaskUpdate {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: TaskStatus | 'deleted' | undefined;
  readonly owner?: string | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
}

export type TaskChange =
  { readonly kind: 'changed'; readonly list: TaskList; readonly task: Task } | { readonly kind: 'refused'; readonly why: string };

/** The list after an update, or why it is not made: nothing of it then. Claiming a task that another has, or that waits, is refused (M9.4). */
export function updated(list: TaskList, id: string, update: TaskUpdate): TaskChange {
  const task = list.tasks.find((each) => each.id === id);
  if (task === undefined) return refused(noTask(id, list));
  const { status = task.status, owner = task.owner, addBlocks = [], addBlockedBy = [] } = update;
  const unknown = [...addBlocks, ...addBlockedBy].find((other) => !list.tasks.some((each) => each.id === other));
  if (unknown !== undefined) return refused(noTask(unknown, list));
  const claim = refusedClaim(list, task, owner);
  if (claim !== undefined) return refused(claim);
  if (status === 'deleted') return { kind: 'changed', list: without(list, id), task };
  const { subject = task.subject, description = task.description, activeForm = task.activeForm } = update;
  const changed: Task = { ...task, subject, description, activeForm, status, owner, blockedBy: union(task.blockedBy, addBlockedBy) };
  const tasks = list.tasks.map((each) => {
    if (each.id === id) return changed;
    return addBlocks.includes(each.id) ? { ...each, blockedBy: union(each.blockedBy, [id]) } : each;
  });
  const circle = tasks.find((each) => waitsFor(tasks, each.id, each.id));
  if (circle !== undefined) return refused(`Task ${circle.id} would wait for itself. Leave out one of the links between these tasks.`);
  return { kind: 'changed', list: { ...list, tasks }, task: changed };
}

/** Which tasks that are not done a task waits for. */
export function openBlockers({ tasks }: TaskList, { blockedBy }: Task): readonly string[] {
  return blockedBy.filter((id) => tasks.some((each) => each.id === id && each.status !== 'completed'));
}

/** Words for a call that names a task nobody knows. */
export function noTask(id: string, { tasks }: TaskList): string {
  const known = tasks.map((task) => task.id).join(', ');
  return known === '' ? `There is no task ${id}, and no other either.` : `There is no task ${id}. There are: ${known}.`;
}

function refusedClaim(list: TaskList, task: Task, owner: string | undefined): string | undefined {
  if (owner === undefined || owner === task.owner) return undefined;
  if (task.owner !== undefined && task.status !== 'completed')
    return `Task ${task.id} is ${task.owner}'s. Take another one, or have ${task.owner} give it up.`;
  const blockers = openBlockers(list, task);
  return blockers.length === 0 ? undefined : `Task ${task.id} waits for ${blockers.join(', ')}. Take one that waits for nothing.`;
}

function without(list: TaskList, id: string): TaskList {
  const others = list.tasks.filter((each) => each.id !== id);
  return { ...list, tasks: others.map((each) => ({ ...each, blockedBy: each.blockedBy.filter((other) => other !== id) })) };
}

/** Does `from`, or what it waits for, wait for `to`? */
function waitsFor(tasks: readonly Task[], from: string, to: string, seen = new Set<string>()): boolean {
  if (seen.has(from)) return false;
  seen.add(from);
  const blockedBy = tasks.find((each) => each.id === from)?.blockedBy ?? [];
  return blockedBy.some((id) => id === to || waitsFor(tasks, id, to, seen));
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}

function refused(why: string): TaskChange {
  return { kind: 'refused', why };
}

/** Throws for what is no list. */
function readList(kept: JsonValue): TaskList {
  const { tasks, nextId } = kept as unknown as Partial<TaskList>;
  const isTask = ({ id, subject, status, blockedBy }: Task) =>
    typeof id === 'string' && typeof subject === 'string' && TASK_STATUSES.includes(status) && Array.isArray(blockedBy);
  if (!Array.isArray(tasks) || typeof nextId !== 'number' || !tasks.every(isTask)) throw new Error('not a list of tasks');
  return { tasks, nextId };
}
