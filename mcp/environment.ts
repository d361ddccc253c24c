import type { Judgement } from 'pegboard/kit';

const POSIX: readonly string[] = ['HOME', 'PATH', 'SHELL', 'USER', 'LOGNAME', 'TERM', 'LANG', 'TMPDIR'];
const WINDOWS: readonly string[] = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * What a server's process finds in its environment: the few variables a program needs to run, and what its definition declares.
 * Never all of the host's own, where keys and tokens lie.
 */
export function serverEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  declared: Readonly<Record<string, string>>,
  windows: boolean,
): Readonly<Record<string, string>> {
  const inherited = Object.entries(own).flatMap(([name, value]) =>
    // A value that begins so is a shell function somebody exported, which a shell below would run.
    value !== undefined && isInherited(name, windows) && !value.startsWith('()') ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(inherited), ...declared };
}

/** Does a server's process get this variable of the host's own? */
export function judgeVariable({
  name,
  declaredForServer,
  windows,
}: {
  readonly name: string;
  readonly declaredForServer: boolean;
  readonly windows: boolean;
}): Judgement {
  if (!/^[^=\0]+$/.test(name)) return { kind: 'deny', why: 'no variable has such a name' };
  if (declaredForServer) return { kind: 'allow', why: 'it is declared for this server' };
  return isInherited(name, windows)
    ? { kind: 'allow', why: 'every program needs it' }
    : { kind: 'deny', why: 'it is not declared for this server, and may be a secret of another' };
}

function isInherited(name: string, windows: boolean): boolean {
  return windows ? WINDOWS.includes(name.toUpperCase()) : POSIX.includes(name) || name.startsWith('LC_');
}
