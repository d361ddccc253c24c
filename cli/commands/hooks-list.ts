import { labelOf } from 'pegboard/builtin-plugins';

import { exitCode, type ExitCode } from '../exit-code.ts';
import { tableLines, type Column } from '../render/table.ts';
import type { Desk } from '../run-command.ts';

const COLUMNS: readonly Column[] = [
  { title: 'event' },
  { title: 'matcher', leaves: { turn: 3, to: 'below' } },
  { title: 'kind', leaves: { turn: 2, to: 'nowhere' } },
  { title: 'of', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'hook', holds: 'longest' },
  { title: 'runs', leaves: { turn: 4, to: 'below' } },
];

/** `hooks list`: the hooks of settings and plugins in the order in which they are declared, and why one never runs. */
export async function hooksList({ host, hooks, screen }: Desk): Promise<ExitCode> {
  const all = hooks.list(host.pool().tools.map(({ name }) => name));
  if (screen.json) {
    screen.value(all.map(hookJson));
    return exitCode.done;
  }
  if (all.length === 0) screen.print(['There are no hooks here.']);
  else screen.print(tableLines(COLUMNS, all.map(rowOf), screen.width));
  return exitCode.done;
}

type Listed = ReturnType<Desk['hooks']['list']>[number];

function stateOf({ hook, never }: Listed): string | undefined {
  return hook.source.trusted ? never : 'its folder is not trusted';
}

function rowOf(listed: Listed) {
  const { event, matcher, when, action, source } = listed.hook;
  const state = stateOf(listed);
  const condition = [matcher, ...(when === undefined ? [] : [`if ${when}`])].filter((each) => each !== '').join(' ');
  return [
    event,
    condition,
    action.kind,
    source.name,
    labelOf(listed.hook),
    state === undefined ? 'yes' : { text: `never: ${state}`, style: 'yellow' as const },
  ];
}

function hookJson(listed: Listed) {
  const { event, matcher, when, action, limitMs, source } = listed.hook;
  const state = stateOf(listed);
  return {
    event,
    matcher,
    ...(when === undefined ? {} : { if: when }),
    kind: action.kind,
    hook: labelOf(listed.hook),
    source: source.name,
    origin: source.origin,
    timeoutMs: limitMs,
    ...(state === undefined ? {} : { never: state }),
  };
}
