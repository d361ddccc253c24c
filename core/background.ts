import { PegboardError, causeText } from './errors.ts';
import { withLimit } from './time-limit.ts';

export type TaskState =
  | { readonly kind: 'running' }
  | { readonly kind: 'done'; readonly result: string }
  | { readonly kind: 'failed'; readonly cause: string }
  | { readonly kind: 'stopped' };

export interface BackgroundTask {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
}

/** Work that outlives the call that started it. */
export interface BackgroundTasks {
  /** Starts it and answers with its id at once. `run` ends its work when `signal` aborts; what it writes can be read while it runs. */
  start(title: string, run: (signal: AbortSignal, write: (text: string) => void) => Promise<string>): string;
  /** What a task wrote since `from` (in code units), and where the next read goes on. Throws TASK_UNKNOWN. */
  output(id: string, from?: number): { readonly text: string; readonly next: number; readonly state: TaskState };
  /** Tells a task to stop and settles when it has, or when it has ignored that for too long. An ended task stays as it ended. Throws TASK_UNKNOWN. */
  stop(id: string): Promise<void>;
  /** Running and ended ones, oldest first. */
  list(): readonly BackgroundTask[];
}

/** How a task has ended, for an announcement: what failed says why. */
export function endWords(state: TaskState): string {
  return state.kind === 'failed' ? `failed: ${state.cause}` : state.kind;
}

/** How much of a task's output is kept, in code units: the newest. */
const OUTPUT_LIMIT = 1_000_000;
const STOP_LIMIT_MS = 5_000;

interface Running {
  readonly title: string;
  readonly abort: AbortController;
  text: string;
  dropped: number;
  state: TaskState;
  ended: Promise<void>;
  settle: (state: TaskState) => void;
}

/** The background tasks of one session. `notice` is told once for each task that ends. */
export function createBackgroundTasks(
  notice: (task: BackgroundTask) => void,
  stopLimitMs = STOP_LIMIT_MS,
): BackgroundTasks & { close(): Promise<void> } {
  const tasks = new Map<string, Running>();

  const find = (id: string): Running => {
    const task = tasks.get(id);
    if (task) return task;
    throw new PegboardError('TASK_UNKNOWN', { task: id, known: [...tasks.keys()].join(', ') || 'none' });
  };

  const stop = async (id: string): Promise<void> => {
    const task = find(id);
    if (task.state.kind === 'running') task.abort.abort();
    await withLimit(task.ended, stopLimitMs, () => new Error('it goes on')).catch(() => task.settle({ kind: 'stopped' }));
  };

  return {
    start(title, run) {
      const id = `task-${tasks.size + 1}`;
      const task: Running = {
        title,
        abort: new AbortController(),
        text: '',
        dropped: 0,
        state: { kind: 'running' },
        ended: Promise.resolve(),
        settle: (state) => {
          if (task.state.kind !== 'running') return;
          task.state = task.abort.signal.aborted ? { kind: 'stopped' } : state;
          notice({ id, title, state: task.state });
        },
      };
      const write = (text: string) => {
        const whole = task.text + text;
        const cut = Math.max(0, whole.length - OUTPUT_LIMIT);
        task.text = whole.slice(cut);
        task.dropped += cut;
      };
      tasks.set(id, task);
      task.ended = (async () => run(task.abort.signal, write))().then(
        (result) => task.settle({ kind: 'done', result }),
        (cause: unknown) => task.settle({ kind: 'failed', cause: causeText(cause) }),
      );
      return id;
    },
    output(id, from = 0) {
      const task = find(id);
      return { text: task.text.slice(Math.max(0, from - task.dropped)), next: task.dropped + task.text.length, state: task.state };
    },
    stop,
    list: () => [...tasks].map(([id, { title, state }]) => ({ id, title, state })),
    close: async () => void (await Promise.all([...tasks.keys()].map(stop))),
  };
}
