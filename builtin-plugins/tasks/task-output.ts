import { setTimeout as delay } from 'node:timers/promises';

import { defineTool, errorResult, causeText, type BackgroundTasks, type TaskState, type ToolContext, type ToolResult } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

interface OutputInput {
  readonly task_id: string;
  readonly from?: number;
  readonly block?: boolean;
  readonly timeout?: number;
}

const LOOK_AGAIN_MS = 50;
const WAIT_MS = 30_000;
const MOST_WAIT_MS = 600_000;

const ID = { type: 'string', description: 'The id that was given when the work was started' } as const;

/** What background work has written, and how it stands. */
export const taskOutput = defineTool<OutputInput>({
  name: 'TaskOutput',
  description: [
    'Reads what work in the background has written so far and whether it still runs. Waits for its end unless block is false.',
    'Give from, as an earlier answer named it, to read only what is new.',
  ].join(' '),
  searchHint: 'read the output of a background task or command, wait for it to end',
  input: jsonSchema<OutputInput>({
    type: 'object',
    properties: {
      task_id: ID,
      from: { type: 'integer', minimum: 0, description: 'Where an earlier answer said to go on' },
      block: { type: 'boolean', description: 'Whether to wait for the end; true unless given' },
      timeout: { type: 'integer', minimum: 0, maximum: MOST_WAIT_MS, description: `How long to wait, in ms; ${WAIT_MS} unless given` },
    },
    required: ['task_id'],
    additionalProperties: false,
  }),
  shouldDefer: true,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  interruptBehavior: () => 'cancel',
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'work this session has started itself' } }),
  display: { activity: ({ task_id: id }) => `Waiting for ${id}`, summary: ({ task_id: id }) => id },
  call: readOutput,
});

/** Ends background work. */
export const taskStop = defineTool<{ readonly task_id: string }>({
  name: 'TaskStop',
  description: 'Stops work in the background. What it has written can still be read.',
  searchHint: 'stop, kill or cancel a background task or command',
  input: jsonSchema({ type: 'object', properties: { task_id: ID }, required: ['task_id'], additionalProperties: false }),
  shouldDefer: true,
  isDestructive: () => false,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'work this session has started itself' } }),
  display: { activity: ({ task_id: id }) => `Stopping ${id}`, summary: ({ task_id: id }) => id },
  call: async ({ task_id: id }, { tasks }) => {
    const before = stateOf(tasks, id);
    if (typeof before === 'string') return errorResult(before);
    if (before.kind !== 'running') return `${id} had ended before: ${stateText(before)}.`;
    await tasks.stop(id);
    return `${id} was stopped.`;
  },
});

async function readOutput(
  { task_id: id, from = 0, block = true, timeout = WAIT_MS }: OutputInput,
  context: ToolContext,
): Promise<ToolResult> {
  const { tasks, signal } = context;
  const first = stateOf(tasks, id);
  if (typeof first === 'string') return errorResult(first);
  for (let waited = 0; block && waited < timeout && tasks.output(id).state.kind === 'running'; waited += LOOK_AGAIN_MS)
    await delay(LOOK_AGAIN_MS, undefined, { signal });
  const { text, next, state } = tasks.output(id, from);
  const head = `${id}: ${stateText(state)}. ${text === '' ? 'Nothing new was written.' : `Read on from ${next}.`}`;
  return { content: [{ type: 'text', text: text === '' ? head : `${head}\n${text}` }], structuredContent: { state, next, text } };
}

function stateOf(tasks: BackgroundTasks, id: string): TaskState | string {
  try {
    return tasks.output(id).state;
  } catch (cause) {
    return causeText(cause);
  }
}

function stateText(state: TaskState): string {
  switch (state.kind) {
    case 'running':
      return 'still running';
    case 'done':
      return state.result === '' ? 'done' : `done: ${state.result}`;
    case 'failed':
      return `failed: ${state.cause}`;
    case 'stopped':
      return 'stopped';
  }
}
