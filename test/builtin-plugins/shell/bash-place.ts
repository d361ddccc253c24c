import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { textOf, type HostOptions, type Outcome, type Session } from 'pegboard';
import { builtinPlugins, type ShellParts } from 'pegboard/builtin-plugins';
import { startHost, temporaryFolder } from 'pegboard/testing';

/** A host with a shell in a folder of its own, where nothing is asked unless a test says so. */
export interface BashPlace {
  /** The workspace. */
  readonly cwd: string;
  /** Beside it. */
  readonly outside: string;
  readonly session: Session;
  call(command: string, more?: object): Promise<Outcome>;
  /** What the model gets. */
  said(command: string, more?: object): Promise<string>;
  /** Hears what calls say while they run; the answer ends that. */
  listen(hear: (progress: unknown) => void): () => void;
  stop(): Promise<void>;
}

/** Opens one. */
export async function bashPlace(options: Partial<HostOptions> & { readonly shell?: ShellParts } = {}): Promise<BashPlace> {
  const folder = await temporaryFolder();
  const [cwd, outside] = [join(folder.path, 'work'), join(folder.path, 'outside')];
  await Promise.all([mkdir(cwd), mkdir(outside)]);
  const { shell, rules: _rules, ...rest } = options;
  const builtins = builtinPlugins({ shell });
  const started = await startHost({ mode: 'bypassPermissions', cwd, home: join(folder.path, 'home'), builtins, ...rest });
  const session = started.host.session();
  const call = (command: string, more: object = {}) => session.call('Bash', { command, ...more });
  return {
    cwd,
    outside,
    session,
    call,
    said: async (command, more) => textOf((await call(command, more)).result.content),
    listen: (hear) => started.host.on((event) => (event.kind === 'progress' ? hear(event.progress) : undefined)),
    stop: async () => {
      await started.stop();
      await folder.remove();
    },
  };
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
