import { join } from 'node:path';

import type { FilledOptions } from './host-options.ts';
import { openWorkspace, type Workspace } from './kit/workspace.ts';
import type { CallWorkspace } from './tool.ts';

type Place = Pick<FilledOptions, 'cwd' | 'home' | 'userHome' | 'disk'>;

/** The workspace of one session's calls. It is opened anew only with other folders: nothing in it comes from the disk, so it cannot go stale. */
export class CallWorkspaces {
  readonly #place: Place;
  #folders: readonly string[] = [];
  #opened: Workspace | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** One for a call, in the working folder and these; `hidesFile` says what rules keep from its tool. A copy: what a tool does to it is for its own call. */
  open(more: readonly string[], hidesFile: (path: string, workspace: Workspace) => Promise<boolean>): CallWorkspace {
    const workspace = this.#workspace(more);
    let kept: Promise<readonly string[]> | undefined;
    // What this and other conversations have kept is read by its references only.
    const isKept = async (path: string) =>
      (await (kept ??= workspace.places(join(this.#place.home, 'sessions')))).some((folder) => workspace.below(folder, path) !== undefined);
    return { hides: async (path) => (await isKept(path)) || hidesFile(path, workspace), ...workspace };
  }

  #workspace(more: readonly string[]): Workspace {
    if (this.#opened && more.length === this.#folders.length && more.every((folder, at) => folder === this.#folders[at]))
      return this.#opened;
    const { cwd, userHome, disk } = this.#place;
    this.#folders = [...more];
    return (this.#opened = openWorkspace([cwd, ...more], userHome, disk));
  }
}
