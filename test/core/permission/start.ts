import { onTestFinished } from 'vitest';
import { definePlugin, parseRule, type HookHandlers, type Judged, type Rule, type RuleList } from 'pegboard';
import { startHost } from 'pegboard/testing';

import { allTools, emptyDisk } from './tools.ts';

type Start = NonNullable<Parameters<typeof startHost>[0]>;

/** A host over an empty disk, working in `/desk/app` for `/home/me`; it is closed when the test ends. */
export async function started(
  options: Start & { readonly hook?: HookHandlers | undefined; readonly more?: readonly Rule[] | undefined } = {},
) {
  const { hook, more, rules = {}, ...rest } = options;
  const parsed = (['allow', 'ask', 'deny'] as const).flatMap((list) => (rules[list] ?? []).map((text) => ruleOf(text, list)));
  const result = await startHost({
    tools: allTools,
    cwd: '/desk/app',
    home: '/home/me/.pegboard',
    userHome: '/home/me',
    disk: emptyDisk(),
    ...(hook ? { plugins: [definePlugin({ name: 'hooks', hooks: hook })] } : {}),
    ...rest,
    turn: () => ({ rules: [...parsed, ...(more ?? [])], ...rest.turn?.() }),
  });
  onTestFinished(result.stop);
  const decide = async (tool: string, input: unknown = {}): Promise<Judged> => (await result.host.explain(tool, input)).decision;
  /** `ask 1g` */
  const verdict = async (tool: string, input: unknown = {}) => {
    const { kind, step } = await decide(tool, input);
    return `${kind} ${step}`;
  };
  return { ...result, decide, verdict };
}

export function ruleOf(text: string, list: RuleList, origin: Parameters<typeof parseRule>[3] = {}): Rule {
  return parseRule(text, list, 'project', { folder: '/desk/app', ...origin });
}
