import { createHost, parseRule, type DecisionExplanation, type Mode, type RuleList } from 'pegboard';
import { builtinPlugins } from 'pegboard/builtin-plugins';

type Rules = Readonly<Partial<Record<RuleList, readonly string[]>>>;

/** A host that judges commands on a disk that is not there. */
export interface Judge {
  explain(command: string): Promise<DecisionExplanation>;
  /** How a command would end, in one word. */
  verdict(command: string): Promise<'allow' | 'ask' | 'deny'>;
  close(): Promise<void>;
}

/** Opens one that works in `/repo/app`, with `links` on its disk. Nothing is ever run. */
export async function openJudge(
  rules: Rules = {},
  mode: Mode = 'default',
  links: Readonly<Record<string, string>> = {},
  windows = false,
): Promise<Judge> {
  const all = (['allow', 'ask', 'deny'] as const).flatMap((list) =>
    (rules[list] ?? []).map((text) => parseRule(text, list, 'project', { folder: '/repo/app' })),
  );
  const host = await createHost({
    builtins: builtinPlugins({ shell: { imagined: true } }),
    cwd: '/repo/app',
    home: '/home/someone/.pegboard',
    userHome: '/home/someone',
    disk: {
      windows,
      ignoresCase: windows,
      readLink: async (path) => links[path],
      isPlain: async () => Object.keys(links).length === 0,
      list: async (folder) => {
        const below = Object.keys(links).filter((path) => path.startsWith(`${folder}/`));
        const steps = below.map((path) => path.slice(folder.length + 1).split('/'));
        return steps.map(([name = '', ...more]) => ({ name, isLink: more.length === 0 }));
      },
    },
    turn: () => ({ rules: all, mode }),
  });
  const session = host.session({ mode });
  const explain = (command: string) => session.explain('Bash', { command });
  return { explain, verdict: async (command) => (await explain(command)).decision.kind, close: () => host.close() };
}
