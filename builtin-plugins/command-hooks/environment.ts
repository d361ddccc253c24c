import { namesSecret } from 'pegboard/kit';

import type { HookSource } from './hook.ts';

const POSIX: readonly string[] = ['HOME', 'PATH', 'SHELL', 'USER', 'LOGNAME', 'TERM', 'LANG', 'TZ', 'TMPDIR', 'VIRTUAL_ENV'];
const WINDOWS: readonly string[] = `APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROGRAMDATA PROGRAMFILES SYSTEMDRIVE
  SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR`.split(/\s+/);

/** What a hook's process finds in its environment: what programs need to run, and what its source gives to it. Never all of the host's own, where keys and tokens lie. */
export function hookEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { variables, environment }: HookSource,
  about: { readonly cwd: string; readonly session: string },
): Readonly<Record<string, string>> {
  const inherited = Object.entries(own).flatMap(([name, value]) => {
    const known = POSIX.includes(name) || name.startsWith('LC_') || WINDOWS.includes(name.toUpperCase());
    // A value that begins so is a shell function, which a shell below would run.
    return value !== undefined && known && !namesSecret(name) && !value.startsWith('()') ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(inherited),
    CLAUDECODE: '1',
    CLAUDE_PROJECT_DIR: about.cwd,
    CLAUDE_CODE_SESSION_ID: about.session,
    ...variables,
    ...environment,
  };
}
