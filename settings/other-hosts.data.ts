import path from 'node:path';

/** A program that has servers of its own in a configuration of its own. */
export type OtherHost = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'codex' | 'gemini';

/** What decides where programs keep their configuration. */
export interface OtherPlace {
  readonly platform: NodeJS.Platform;
  /** The person's folder. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The project's folder. */
  readonly folder: string;
}

/** A file of another host; `reach` says whether its servers are for this folder only. */
export interface OtherFile {
  readonly file: string;
  readonly reach: 'everywhere' | 'folder';
}

interface Places {
  readonly title: string;
  /** The most particular first: of one name the first counts. */
  files(place: OtherPlace): readonly OtherFile[];
}

/** Where each of them keeps its servers, on Linux, macOS and Windows. */
export const OTHER_HOSTS: Readonly<Record<OtherHost, Places>> = {
  'claude-desktop': { title: 'Claude Desktop', files: (place) => [own(application(place, 'Claude', 'claude_desktop_config.json'))] },
  'claude-code': {
    title: 'Claude Code',
    // A project's own `.mcp.json` is read as it stands.
    files: (place) => [own(joined(place, set(place, 'CLAUDE_CONFIG_DIR') ?? place.home, '.claude.json'))],
  },
  cursor: {
    title: 'Cursor',
    files: (place) => [folders(place, '.cursor', 'mcp.json'), own(joined(place, place.home, '.cursor', 'mcp.json'))],
  },
  vscode: {
    title: 'VS Code',
    files: (place) => [
      folders(place, '.vscode', 'mcp.json'),
      folders(place, '.vscode', 'settings.json'),
      ...['Code', 'Code - Insiders', 'VSCodium'].flatMap((name) =>
        ['mcp.json', 'settings.json'].map((file) => own(application(place, name, 'User', file))),
      ),
    ],
  },
  codex: {
    title: 'Codex',
    files: (place) => [
      folders(place, '.codex', 'config.toml'),
      own(joined(place, set(place, 'CODEX_HOME') ?? joined(place, place.home, '.codex'), 'config.toml')),
    ],
  },
  gemini: {
    title: 'Gemini CLI',
    files: (place) => [folders(place, '.gemini', 'settings.json'), own(joined(place, place.home, '.gemini', 'settings.json'))],
  },
};

function own(file: string): OtherFile {
  return { file, reach: 'everywhere' };
}

function folders(place: OtherPlace, ...names: readonly string[]): OtherFile {
  return { file: joined(place, place.folder, ...names), reach: 'folder' };
}

/** In the folder where programs with windows keep what they know. */
function application(place: OtherPlace, ...names: readonly string[]): string {
  const { platform, home } = place;
  if (platform === 'darwin') return joined(place, home, 'Library', 'Application Support', ...names);
  if (platform === 'win32') return joined(place, set(place, 'APPDATA') ?? joined(place, home, 'AppData', 'Roaming'), ...names);
  return joined(place, set(place, 'XDG_CONFIG_HOME') ?? joined(place, home, '.config'), ...names);
}

function joined({ platform }: OtherPlace, ...names: readonly string[]): string {
  return platform === 'win32' ? path.win32.join(...names) : path.posix.join(...names);
}

/** An empty variable says as little as none. */
function set({ environment }: OtherPlace, name: string): string | undefined {
  return environment[name] || undefined;
}
