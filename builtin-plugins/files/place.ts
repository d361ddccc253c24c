import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { nearest, type CallWorkspace, type Opinion, type ToolContext } from 'pegboard';

/** The workspace a call stands in. */
export function workspaceOf(context: Pick<ToolContext, 'workspace'>): CallWorkspace {
  return context.workspace;
}

/** Reading inside the workspace is allowed; of anything else the tool has no opinion, so it is asked about. */
export async function allowInside(path: string, context: ToolContext): Promise<Opinion> {
  if (!(await workspaceOf(context).inside(path))) return { kind: 'passthrough' };
  return { kind: 'allow', reason: { by: 'tool', detail: 'it only reads, and inside the workspace' } };
}

/** Those of some files that a rule keeps from this call. */
export async function hiddenOf(paths: Iterable<string>, context: ToolContext): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const path of new Set(paths)) if (await workspaceOf(context).hides(path)) hidden.add(path);
  return hidden;
}

/** Why a path cannot be used at all, from its spelling. */
export function pathComplaint(path: string): string | undefined {
  return path.trim() === '' ? 'the path is empty' : undefined;
}

/** The sentence for a path that is not there: which part of it is missing, and the name next to it. */
export async function missingSentence(path: string): Promise<string> {
  let missing = path;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const names = await namesIn(folder);
    if (names) return sentence(path, missing, folder, names);
    missing = folder;
  }
  return `${path} does not exist.`;
}

function sentence(path: string, missing: string, folder: string, names: readonly string[]): string {
  const near = nearest(basename(missing), names);
  const what = missing === path ? `${path} does not exist.` : `${path} does not exist: there is no ${missing}.`;
  if (near !== undefined) return `${what} Did you mean ${join(folder, near)}?`;
  return names.length === 0 ? `${what} ${folder} is empty.` : `${what} ${folder} holds: ${someOf(names)}.`;
}

/** Some names, the rest counted. */
export function someOf(names: readonly string[], most = 20): string {
  const rest = names.length - most;
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return undefined;
  }
}
