import { parseRule, type Tool } from 'pegboard';
import { openWorkspace } from 'pegboard/kit';

import { analyseCommand } from '../../builtin-plugins/shell/command/analyse.ts';
import { partsOfCommand } from '../../builtin-plugins/shell/judge/call-parts.ts';
import { matchPart } from '../../core/permission/part-rules.ts';
import { judgeCallParts } from '../../core/permission/judge-parts.ts';
import { RuleBook } from '../../core/permission/rule-book.ts';

const RULES = [
  parseRule('Bash(npm test)', 'allow', 'project'),
  parseRule('Bash(make *)', 'allow', 'project'),
  parseRule('Bash(curl *)', 'deny', 'project'),
  parseRule('Read(./secret/**)', 'deny', 'project'),
];

/** Judges commands by what the pipeline has for parts, without a host around it: only the verdict, as quickly as it can be had. */
export function partsJudge(): (command: string) => Promise<'allow' | 'ask' | 'deny'> {
  const disk = { windows: false, ignoresCase: false, readLink: async () => undefined, isPlain: async () => true };
  const workspace = openWorkspace(['/repo/app'], '/home/someone', disk);
  const book = new RuleBook(RULES);
  const facts = { mode: 'default', agent: 'main', headless: undefined, branch: undefined, workspace } as const;
  const tool = {
    name: 'Bash',
    kind: 'shell',
    ruleNames: ['Bash'],
    aliases: [],
    restrictedAs: [],
    fileRules: [],
    inputSchema: {},
  } as unknown as Tool;
  const rules = book.of(tool, ['Bash']);
  return async (command) => {
    const call = await partsOfCommand(analyseCommand(command, { directory: '/repo/app', home: '/home/someone' }), {
      start: '/repo/app',
      workspace,
    });
    const view = { tool, input: {}, workspace, context: { workspace }, parts: async () => call } as unknown as Parameters<
      typeof matchPart
    >[1];
    const denied = await Promise.all(rules.partly.deny.map((rule) => matchPart(rule, view, book, facts)));
    if (denied.includes('yes')) return 'deny';
    const { restriction, guard, end } = await judgeCallParts(call, view, rules, { rules: book, mode: 'default', facts, own: [] });
    if (restriction.kind === 'deny') return 'deny';
    return restriction.kind === 'ask' || guard !== undefined || denied.includes('unclear') ? 'ask' : end.kind;
  };
}
