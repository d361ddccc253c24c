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
  const passes = (name: string) => (windows ? WINDOWS.includes(name.toUpperCase()) : POSIX.includes(name) || name.startsWith('LC_'));
  const inherited = Object.entries(own).flatMap(([name, value]) =>
    // A value that begins so is a shell function somebody exported, which a shell below would run.
    value !== undefined && passes(name) && !value.startsWith('()') ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(inherited), ...declared };
}
