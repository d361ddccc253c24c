import { realpathSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

import { defineState, type ToolContext } from 'pegboard';

type Placed = Pick<ToolContext, 'callId' | 'workspace' | 'state'>;
/** Whether a folder is there. */
export type IsFolder = (path: string) => boolean;

/** Where a command runs, and what has to be said about it first. */
export interface ShellPlace {
  /** Absolute; as the shell itself would print it. */
  readonly directory: string;
  /** The same with every link followed. */
  readonly real: string;
  readonly notice?: string | undefined;
}

/** The folder that the commands of a session have gone to; nothing until one has. */
const shellDirectory = defineState<{ path?: string }>('shell.directory', () => ({}));
/** What was judged and has not run yet, by call. */
const judged = defineState('shell.judged', () => new Map<string, { readonly command: string; readonly place: ShellPlace }>());

/** More than this many calls are never waiting for an answer; the oldest is judged anew. */
const MOST_WAITING = 500;

/** The folder that the next command starts in: where the last one ended, or the nearest that is still there. */
export function shellPlace({ workspace, state }: Pick<Placed, 'workspace' | 'state'>, isFolder: IsFolder): ShellPlace {
  const wanted = state(shellDirectory).path ?? workspace.cwd;
  // A command is remembered to have ended where links lead; a link that stands there now is somebody else's doing.
  const isSame = wanted === workspace.cwd || realOf(wanted) === wanted;
  if (isFolder(wanted) && isSame) return { directory: wanted, real: realOf(wanted) };
  let directory = workspace.cwd;
  while (!isFolder(directory) && directory !== dirname(directory)) directory = dirname(directory);
  return {
    directory,
    real: realOf(directory),
    notice: `The folder ${wanted} is ${isSame ? 'gone' : 'a link now'}; this ran in ${directory}.`,
  };
}

/** Remembers where a command was judged to run, so that it can only run there. */
export function bindPlace(command: string, context: Placed, isFolder: IsFolder): ShellPlace {
  const waiting = context.state(judged);
  const [oldest] = waiting.size >= MOST_WAITING ? waiting.keys() : [];
  if (oldest !== undefined) waiting.delete(oldest);
  const place = shellPlace(context, isFolder);
  // A call is judged again once somebody has answered: what was asked about is what the answer is for.
  if (waiting.get(context.callId)?.command !== command) waiting.set(context.callId, { command, place });
  return place;
}

/** Where a command may run: as it was judged, if that is still so. `undefined`: command, folder or what the folder's links lead to has changed since. */
export function takePlace(command: string, context: Placed, isFolder: IsFolder): ShellPlace | undefined {
  const bound = context.state(judged).get(context.callId);
  context.state(judged).delete(context.callId);
  const now = shellPlace(context, isFolder);
  if (bound === undefined) return now;
  const same = bound.command === command && bound.place.directory === now.directory && bound.place.real === now.real;
  return same ? now : undefined;
}

/** Keeps where a command ended for the next one, if that lies in the workspace; the answer is what to say about it. */
export async function settleDirectory(
  ended: string | undefined,
  place: ShellPlace,
  { workspace, state }: Placed,
): Promise<string | undefined> {
  if (ended === undefined || ended === place.directory) {
    if (place.notice !== undefined) state(shellDirectory).path = place.directory;
    return undefined;
  }
  const inside = (await workspace.inside(ended)) && (await realpath(ended).then(workspace.inside, () => false));
  state(shellDirectory).path = inside ? ended : workspace.cwd;
  if (inside) return undefined;
  return `The working folder is ${workspace.cwd} again: ${ended} is outside of the workspace.`;
}

/** As the disk is now. */
export function isFolderNow(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
