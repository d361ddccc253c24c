import { join } from 'node:path';

import { afterEach, beforeEach } from 'vitest';

import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

/** A folder of one test, and in it the home that its hosts share one after the other. */
export interface TestHome {
  readonly folder: string;
  readonly home: string;
  /** How many hosts were opened in this test. */
  readonly count: number;
  /** Stops a host after the test. */
  opened<Started extends { stop(): Promise<void> }>(started: Started): Started;
}

/** Gives each test of a file such a place, and takes it away when the test has ended. Called once, at the top of the file. */
export function testHome(): TestHome {
  let temporary: TemporaryFolder;
  const hosts: { stop(): Promise<void> }[] = [];
  beforeEach(async () => {
    temporary = await temporaryFolder();
  });
  afterEach(async () => {
    for (const each of hosts.splice(0)) await each.stop();
    await temporary.remove();
  });
  return {
    get folder() {
      return temporary.path;
    },
    get home() {
      return join(temporary.path, 'home');
    },
    get count() {
      return hosts.length;
    },
    opened: (started) => {
      hosts.push(started);
      return started;
    },
  };
}
