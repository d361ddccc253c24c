import { delimiter, isAbsolute } from 'node:path';

import { isWithin, variableEffect } from 'pegboard/kit';

import { hardenGit, type GitSetting } from './read-only/git-hardening.ts';

/** Variables of the host that commands get: what programs need to run, and what says where tools lie. No keys and no tokens. */
const INHERITED: ReadonlySet<string> = new Set(
  `HOME PATH SHELL USER LOGNAME LANG LANGUAGE TZ TMPDIR HOSTNAME SSH_AUTH_SOCK SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
  HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
  XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR
  JAVA_HOME GOPATH GOROOT GOBIN CARGO_HOME RUSTUP_HOME VIRTUAL_ENV CONDA_PREFIX NVM_DIR VOLTA_HOME PNPM_HOME PYENV_ROOT RBENV_ROOT
  ANDROID_HOME DOTNET_ROOT NODE_ENV CI
  SYSTEMROOT WINDIR COMSPEC PATHEXT TEMP TMP APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES USERPROFILE USERNAME MSYSTEM`.split(/\s+/),
);

/** Nobody looks at a screen, nobody answers, and no pager or editor waits for a key. */
const UNATTENDED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
};

/** What a command's environment is made of. */
export interface EnvironmentParts {
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Of the settings. */
  readonly declared: Readonly<Record<string, string>>;
  /** More names of the host's own that commands get. */
  readonly names: readonly string[];
  /** Folders that may hold what nobody vouches for. */
  readonly roots: readonly string[];
  readonly readOnly: boolean;
  /** Nobody was asked about the git in it; with what takes the place of programs that repositories name. */
  readonly git: readonly GitSetting[] | undefined;
  /** What the sandbox adds. */
  readonly sandbox: Readonly<Record<string, string>>;
}

/**
 * The environment of a command: a list of harmless variables, those that the settings declare or name, and what keeps programs from
 * waiting for a person. What changes which program runs comes from the person's own environment only, and never from a folder it
 * works in: PATH has absolute folders only, and for what was let through because it only reads none inside the workspace.
 */
export function commandEnvironment({
  own,
  declared,
  names,
  roots,
  readOnly,
  git,
  sandbox,
}: EnvironmentParts): Readonly<Record<string, string>> {
  const inherited = Object.entries(own).flatMap(([name, value]) => {
    const wanted = INHERITED.has(name) || INHERITED.has(name.toUpperCase()) || name.startsWith('LC_') || names.includes(name);
    // A value that begins so is a shell function that somebody exported.
    return value !== undefined && wanted && !value.startsWith('()') ? [[name, value] as const] : [];
  });
  const given = Object.entries(declared).filter(([name]) => names.includes(name) || !isOurs(name));
  const env: Record<string, string> = { ...Object.fromEntries([...inherited, ...given]), ...UNATTENDED, ...sandbox };
  env['PATH'] = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !(readOnly && roots.some((root) => isWithin(root, folder))))
    .join(delimiter);
  return git === undefined ? env : onlySet(hardenGit(env, git));
}

function onlySet(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Of the host itself, or able to change what runs. */
function isOurs(name: string): boolean {
  return /^(PEGBOARD|ANTHROPIC|CLAUDE)_/.test(name) || variableEffect(name) === 'runs';
}
