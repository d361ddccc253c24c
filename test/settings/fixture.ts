import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { openTrust, readSettings, type ReadOptions, type Settings, type TrustBook } from 'pegboard/settings';
import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';

/** A project, a home and an organisation's folder of their own, none of them anybody's real one. */
export interface Place {
  readonly folder: TemporaryFolder;
  readonly project: string;
  readonly home: string;
  readonly managed: { readonly file: string; readonly administrator: number };
  readonly trust: TrustBook;
  /** Writes a file of the project: a text as it is, anything else as JSON. */
  put(name: string, content: unknown): Promise<string>;
  putHome(name: string, content: unknown): Promise<string>;
  putManaged(content: unknown): Promise<void>;
  link(target: string, name: string): Promise<void>;
  read(options?: Partial<ReadOptions>): Promise<Settings>;
}

/** Makes one; `remove` takes it away. */
export async function settingsPlace(): Promise<Place> {
  const folder = await temporaryFolder();
  const [project, home, policy] = ['project', 'home/.pegboard', 'etc'].map((name) => join(folder.path, name));
  await Promise.all([project, home, policy].map((path) => mkdir(path ?? '', { recursive: true })));
  await chmod(policy ?? '', 0o755);
  const managed = { file: join(policy ?? '', 'managed-settings.json'), administrator: process.getuid?.() ?? 0 };
  const trust = openTrust({ home: home ?? '', userHome: join(folder.path, 'home') });
  const put = async (path: string, content: unknown) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    return path;
  };
  return {
    folder,
    project: project ?? '',
    home: home ?? '',
    managed,
    trust,
    put: (name, content) => put(join(project ?? '', name), content),
    putHome: (name, content) => put(join(home ?? '', name), content),
    putManaged: async (content) => {
      await put(managed.file, content);
      await chmod(managed.file, 0o644);
    },
    link: async (target, name) => {
      await mkdir(dirname(join(project ?? '', name)), { recursive: true });
      await symlink(target, join(project ?? '', name));
    },
    read: (options = {}) => readSettings({ cwd: project ?? '', home: home ?? '', managed, trust, environment: {}, ...options }),
  };
}

/** What of the settings a test looks at most. */
export function summary(settings: Settings) {
  return {
    rules: settings.rules.map(({ list, text, source }) => `${list} ${text} (${source})`),
    problems: settings.problems.map(({ costs, error }) => `${costs}: ${error.message}`),
    ignored: settings.ignored.map(({ what, until }) => `${what.kind === 'value' ? what.key : what.kind}: ${until}`),
    servers: settings.servers.map(({ name, scope, state }) => `${name} (${scope}): ${state.kind}`),
  };
}
