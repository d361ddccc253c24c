import { homedir } from 'node:os';

import { definePlugin } from 'pegboard';

import type { Ground } from './permission-scene.ts';
import type { Desk } from './run-command.ts';

/** This machine with the tools that are here now, so that calls that really happened can be judged again; `project` is where they happened. */
export function realGround({ host, configuration }: Pick<Desk, 'host' | 'configuration'>, project: string): Ground {
  const pool = host.pool();
  const tools = definePlugin({
    name: 'as-here',
    setup: (scope) => {
      for (const { owner, builtin: _builtin, ...set } of pool.sources) scope.provideFrom(owner, set);
    },
  });
  return {
    userHome: homedir(),
    home: configuration.home,
    project,
    disk: undefined,
    builtins: [tools],
    has: (name) => pool.place(name) !== undefined,
  };
}
