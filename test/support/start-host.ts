import { createHost, definePlugin, parseRule, type Host, type HostEvent, type HostOptions, type RuleList, type Tool } from 'pegboard';

import { temporaryFolder } from './temp-folder.ts';

/** What `createHost` takes, and shorter words for what tests often need. */
export interface StartOptions extends Omit<HostOptions, 'rules'> {
  /** Put up by a plugin named `test`. */
  readonly tools?: readonly Tool[] | undefined;
  /** Rules as a command line gives them. */
  readonly rules?: Partial<Record<RuleList, readonly string[]>> | undefined;
}

/** A host in folders of its own, with everything it told so far. */
export interface StartedHost {
  readonly host: Host;
  readonly events: readonly HostEvent[];
  /** Closes the host and removes its folders. */
  stop(): Promise<void>;
}

/** Starts a real host for a test: its home and working folder are temporary, its clock stands still and its ids count up unless given. */
export async function startHost(options: StartOptions = {}): Promise<StartedHost> {
  const folder = await temporaryFolder();
  const events: HostEvent[] = [];
  const { tools, rules = {}, plugins = [], listen, ...rest } = options;
  let ids = 0;
  try {
    const host = await createHost({
      cwd: folder.path,
      home: `${folder.path}/home`,
      clock: () => 0,
      id: () => `${++ids}`,
      ...rest,
      listen: (event) => {
        events.push(event);
        listen?.(event);
      },
      plugins: [...(tools ? [definePlugin({ name: 'test', tools })] : []), ...plugins],
      rules: (['allow', 'ask', 'deny'] as const).flatMap((list) => (rules[list] ?? []).map((text) => parseRule(text, list, 'cli'))),
    });
    const stop = async () => {
      await host.close();
      await folder.remove();
    };
    return { host, events, stop };
  } catch (cause) {
    await folder.remove();
    throw cause;
  }
}
