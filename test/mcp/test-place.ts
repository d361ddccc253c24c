import { join } from 'node:path';

import { temporaryFolder, type TemporaryFolder } from 'pegboard/testing';
import { afterEach, beforeEach } from 'vitest';

import { startServers, type RunningServers } from './start-servers.ts';

/** Where one test works: a folder of its own, and what it opens in it. */
export interface TestPlace {
  readonly folder: string;
  /** Where fake servers write what they hear. */
  readonly record: string;
  /** Starts a host in this folder. */
  start(...given: Parameters<typeof startServers>): Promise<RunningServers>;
  /** Stops something after the test, last opened first. */
  opened<Opened extends { stop(): Promise<void> }>(it: Opened): Opened;
}

/** Gives each test of a file such a place, and takes it away when the test has ended. Called once, at the top of the file. */
export function testPlace(): TestPlace {
  let folder: TemporaryFolder;
  const opened: { stop(): Promise<void> }[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    for (const each of opened.splice(0).reverse()) await each.stop();
    await folder.remove();
  });
  const place: TestPlace = {
    get folder() {
      return folder.path;
    },
    get record() {
      return join(folder.path, 'record');
    },
    start: async (definitions, options) => place.opened(await startServers(definitions, { folder: folder.path, ...options })),
    opened: (it) => {
      opened.push(it);
      return it;
    },
  };
  return place;
}
