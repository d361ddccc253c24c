/** How paths are written and compared on a machine. */
export interface PathSpelling {
  readonly windows: boolean;
  /** The same text for all spellings of one path. */
  fold(text: string): string;
}

/** Characters that some file systems do not look at, and that nobody sees. */
const IGNORABLE = /\p{DI}/gu;

/** One text for all spellings that a disk without case takes for the same name. */
export function foldCase(text: string): string {
  return text.normalize('NFC').replace(IGNORABLE, '').toUpperCase().toLowerCase();
}

/** A path as anybody could mean it, whatever the disk: for what must be recognised in every disguise. */
export function foldDisguise(path: string): string {
  return foldCase(path)
    .replaceAll('\\', '/')
    .split('/')
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/(?<=.):.*$/, '').replace(/[. ]+$/, '')))
    .join('/');
}

/** Ways to the same place through the process's own view of itself. */
export function withoutDetours(path: string, cwd: string): string {
  const slashes = /^\/+proc\/+/.test(path) ? path.replace(/\/{2,}/g, '/').replaceAll('/./', '/') : path;
  const found = /^\/proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/(root|cwd)(?=\/|$)/.exec(slashes);
  if (found === null) return path;
  return withoutDetours((found[1] === 'root' ? '' : cwd) + slashes.slice(found[0].length) || '/', cwd);
}

/** Why it cannot be said from a spelling which file is meant. */
export function oddSpelling(path: string, windows: boolean): string | undefined {
  if (path.includes('\0')) return 'it has a NUL character in it';
  if (/^([A-Za-z][A-Za-z0-9+.-]+:\/\/|file:)/i.test(path)) return 'it is a URL, not a path';
  if (/^\/+(dev\/+(fd|stdin|stdout|stderr)|proc\/+(self|thread-self|\d+)(\/+task\/+\d+)?\/+fd)(\/|$)/.test(path))
    return 'it is an open file of a process';
  return windows ? oddOnWindows(path) : undefined;
}

const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

function oddOnWindows(path: string): string | undefined {
  if (/^([\\/]{2}|\\\?\?\\)/.test(path)) return 'it names a network share or a device';
  if (/^[A-Za-z]:(?![\\/])/.test(path)) return 'it depends on the working folder of a drive';
  const names = path.replace(/^[A-Za-z]:/, '').split(/[\\/]/);
  if (names.some((name) => name.includes(':'))) return 'it names a stream of a file';
  if (names.some((name) => DEVICE.test(name.replace(/[. ]*(\..*)?$/, '')))) return 'it names a device';
  if (names.some((name) => /~\d/.test(name))) return 'it may be the short form of another name';
  return undefined;
}

/** `C:\Users\x.` as it is compared: `/c/Users/x`. */
export function slashForm(path: string): string {
  const slashes = path.replace(/^([\\/]{2}[?.][\\/]|\\\?\?\\)/, '').replaceAll('\\', '/');
  const names = slashes.replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`).split('/');
  return names.map((name) => (/^\.+$/.test(name) ? name : name.replace(/:.*$/, '').replace(/[. ]+$/, ''))).join('/');
}
