import { foldDisguise, type Workspace } from '../kit/workspace.ts';
import type { Tool } from '../tool.ts';
import { matchWildcard } from '../wildcard.ts';
import type { Ask, Guard } from './decision.ts';
import { PROTECTED_FILES, PROTECTED_FOLDERS } from './protected-paths.data.ts';

/**
 * The ask for a write to one of these places, if it is one that nothing may wave through: the host's own files (G3), a raw device
 * (G4), or what some program obeys by itself (G6). A file that is not there yet counts the same.
 */
export function guardWrite(
  hops: readonly string[],
  workspace: Workspace,
  own: readonly string[],
  { kind }: Pick<Tool, 'kind'>,
): Ask | undefined {
  for (const path of hops) {
    const found = ownFile(path, workspace, own) ?? (kind === 'shell' && OWN_OUTPUT.test(path) ? undefined : device(path)) ?? obeyed(path);
    if (found === undefined) continue;
    const reason = { by: 'guard', guard: found.guard, path, detail: found.detail } as const;
    return { kind: 'ask', reason, message: `${found.detail}: ${path} (guard ${found.guard}, which nothing switches off)` };
  }
  return undefined;
}

interface Hit {
  readonly guard: Guard;
  readonly detail: string;
}

const OWN_NAME = /(^|\/)(\.pegboard(rc[^/]*)?|pegboard\.(config\.[^/]+|lock))(\/|$)/;

function ownFile(path: string, workspace: Workspace, own: readonly string[]): Hit | undefined {
  const plain = foldDisguise(path);
  const isOwn = OWN_NAME.test(plain) || own.some((folder) => workspace.below(folder, path) !== undefined);
  return isOwn ? { guard: 'G3', detail: "it writes to the host's own settings, hooks or records" } : undefined;
}

/** What a command says goes there; for any other tool the open files are those of the host. */
const OWN_OUTPUT = /^\/dev\/(stdin|stdout|stderr|fd\/\d+)$/;
const HARMLESS_DEVICE = /^\/dev\/(null|zero|full|tty|shm\/.*)$/;

function device(path: string): Hit | undefined {
  const raw = /^(\/(dev|proc|sys)\/.|\\\\[.?]\\(physicaldrive|[a-z]:$|harddisk|globalroot))/i.test(path) && !HARMLESS_DEVICE.test(path);
  return raw ? { guard: 'G4', detail: 'it writes to a device or an open file, or into the running system' } : undefined;
}

function obeyed(path: string): Hit | undefined {
  const names = foldDisguise(path).split('/').filter(Boolean);
  const folder = FOLDERS.find((wanted) =>
    names.some((_, at) => wanted.every((name, step) => shortOf(names[at + step]) === name || names[at + step] === name)),
  );
  if (folder) return { guard: 'G6', detail: `${folder.join('/')} is a protected folder` };
  const file = FILES.find((wanted) =>
    wanted.every((name, step) => matchWildcard(name, names[names.length - wanted.length + step] ?? '\0')),
  );
  return file && { guard: 'G6', detail: `${file.join('/')} is a protected file` };
}

const FOLDERS = PROTECTED_FOLDERS.map((folder) => folder.toLowerCase().split('/'));
const FILES = PROTECTED_FILES.map((file) => file.toLowerCase().split('/'));

/** `GIT~1`, the short form that Windows gives to `.git`. */
function shortOf(name: string | undefined): string | undefined {
  return name === undefined
    ? undefined
    : /^[a-z]{1,6}~\d$/.test(name)
      ? FOLDERS.find(([first, more]) => more === undefined && first?.startsWith(`.${name.slice(0, -2)}`))?.[0]
      : name;
}
