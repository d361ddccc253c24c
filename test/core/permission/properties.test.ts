import fc from 'fast-check';
import { createHost, definePlugin, parseRule, type HostOptions, type Mode, type Rule, type RuleList, type RuleSource } from 'pegboard';
import { expect, test } from 'vitest';

import { allTools, emptyDisk } from './tools.ts';

const STRICT = { allow: 0, ask: 1, deny: 2 } as const;
const sources: readonly RuleSource[] = ['policy', 'cli', 'local', 'project', 'user', 'session', 'command', 'feature'];
const modes: readonly Mode[] = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'auto', 'dontAsk'];
const paths = ['a.txt', 'src/a.ts', 'src/deep/b.ts', '.git/config', '/etc/hosts', '~/.ssh/id', 'link/x', '../out'];
const calls = fc.record({
  tool: fc.constantFrom('Look', 'Put', 'Change', 'Act', 'Peek', 'Person', 'Shell'),
  input: fc.record({
    file_path: fc.constantFrom(...paths),
    text: fc.constantFrom('ls', 'python x', '/etc/hosts', 'https://evil.example/'),
  }),
});
const contents = ['src/**', '*.ts', './a.txt', '//etc/**', '~/.ssh/**', '/src/*', '**', 'text:ls', 'ls', 'python *'];
const restricting = fc.constantFrom(
  'Look',
  'Put',
  'Change',
  'Act',
  '*',
  'P*',
  'path(~/.ssh/**)',
  'path(src/**)',
  'host(evil.example)',
  ...contents.flatMap((text) => ['Look', 'Change', 'Act', 'Shell'].map((name) => `${name}(${text})`)),
);
const granting = fc.constantFrom(
  'Look',
  'Put',
  'Change',
  'Act',
  'Shell',
  'Person',
  ...contents.flatMap((text) => ['Look', 'Change', 'Act', 'Shell'].map((name) => `${name}(${text})`)),
);

const ruleIn = (list: RuleList): fc.Arbitrary<Rule> =>
  fc
    .tuple(list === 'allow' ? granting : restricting, fc.constantFrom(...sources))
    .map(([text, source]) => parseRule(text, list, source, { folder: '/desk/app' }));
const rules = fc.array(fc.oneof(ruleIn('allow'), ruleIn('ask'), ruleIn('deny')), { maxLength: 8 });
const hooks = fc.constantFrom(undefined, 'allow' as const, 'ask' as const, 'deny' as const);

interface Situation {
  readonly mode: Mode;
  readonly hook: 'allow' | 'ask' | 'deny' | undefined;
  readonly call: { readonly tool: string; readonly input: unknown };
}
const situations: fc.Arbitrary<Situation> = fc.record({ mode: fc.constantFrom(...modes), hook: hooks, call: calls });

async function decide(given: readonly Rule[], { mode, hook, call }: Situation) {
  const plugins = [definePlugin({ name: 'tools', tools: allTools })];
  if (hook) plugins.push(definePlugin({ name: 'hooks', hooks: { 'tool.before': () => ({ kind: hook, reason: hook }) } }));
  const disk = emptyDisk({ '/desk/app/link': '/etc' });
  const options: HostOptions = { plugins, cwd: '/desk/app', home: '/home/me/.pegboard', userHome: '/home/me', disk, mode, rules: given };
  const host = await createHost(options);
  const { decision } = await host.explain(call.tool, call.input);
  await host.close();
  return decision;
}

const RUNS = { numRuns: 150 } as const;

test('M4.4 adding a deny never turns a deny or an ask into an allow', async () => {
  await fc.assert(
    fc.asyncProperty(rules, ruleIn('deny'), situations, async (before, added, situation) => {
      const [first, second] = [await decide(before, situation), await decide([...before, added], situation)];
      expect(STRICT[second.kind]).toBeGreaterThanOrEqual(STRICT[first.kind]);
    }),
    RUNS,
  );
});

test('M4.4 adding an allow never overrides a deny, an ask rule, a guard or plan mode', async () => {
  await fc.assert(
    fc.asyncProperty(rules, ruleIn('allow'), situations, async (before, added, situation) => {
      const [first, second] = [await decide(before, situation), await decide([...before, added], situation)];
      const open = (first.kind === 'ask' && first.step === '3') || (first.kind === 'deny' && first.step === 'ask');
      expect(open || second.kind === first.kind, `${first.kind} ${first.step} became ${second.kind} ${second.step}`).toBe(true);
    }),
    RUNS,
  );
});

test('M4.4 the order of layers and of rules never changes the verdict, only the rule that is named', async () => {
  const shuffled = rules.chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.shuffledSubarray([...all], { minLength: all.length }),
      fc.array(fc.constantFrom(...sources), { minLength: all.length, maxLength: all.length }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(shuffled, situations, async ([all, order, from], situation) => {
      const moved = order.map((rule, at) => ({ ...rule, source: from[at] ?? rule.source }));
      const [first, second] = [await decide(all, situation), await decide(moved, situation)];
      expect([second.kind, second.step]).toEqual([first.kind, first.step]);
    }),
    RUNS,
  );
});

test('M4.8 no rules, mode or hook allow a write to a protected place', async () => {
  await fc.assert(
    fc.asyncProperty(rules, situations, async (given, { mode, hook }) => {
      const decision = await decide(given, { mode, hook, call: { tool: 'Put', input: { file_path: '.git/config' } } });
      expect(decision.kind).not.toBe('allow');
    }),
    RUNS,
  );
});
