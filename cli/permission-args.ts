import { Option, type Command } from 'commander';
import type { RuleList } from 'pegboard';

import type { Scope } from './config-args.ts';

/** What a command line asks about permission. Only `explain` starts anything. */
export type PermissionRequest =
  | { readonly kind: 'permissions explain'; readonly name: string; readonly input?: string | undefined; readonly pairs: readonly string[] }
  | { readonly kind: 'permissions test'; readonly file: string }
  | { readonly kind: 'permissions list'; readonly scope?: Scope | undefined }
  | { readonly kind: 'permissions add' | 'permissions remove'; readonly list: RuleList; readonly rule: string; readonly scope: Scope };

/** Adds the commands that explain, try and change the rules. */
export function addPermissionCommands(program: Command, choose: (request: PermissionRequest) => void): void {
  const permissions = program.command('permissions').description('rules: explain, test, list, add, remove');
  permissions
    .command('explain')
    .description('how a call would be judged: decision, step, reason and every rule considered; nothing is called')
    .argument('<name>')
    .argument('[key=value...]', 'input, typed by the schema of the tool')
    .option('--input <json>', 'the whole input as JSON, or @file')
    .action((name: string, pairs: string[], { input }: { input?: string }) => choose({ kind: 'permissions explain', name, input, pairs }));
  permissions
    .command('test')
    .description('unit tests of a policy: calls with rules and what is expected, one JSON object a line')
    .argument('<file>', 'JSONL with {id, tool, input, expect} and perhaps cwd, mode, rules, ctx')
    .action((file: string) => choose({ kind: 'permissions test', file }));
  permissions
    .command('list')
    .description('all rules that count, where they stand, and which of them can never decide')
    .addOption(scopeOption())
    .action(({ scope }: { scope?: Scope }) => choose({ kind: 'permissions list', scope }));
  for (const verb of ['add', 'remove'] as const)
    permissions
      .command(verb)
      .description(verb === 'add' ? 'write a rule to a file of settings' : 'take a rule out of a file of settings')
      .addArgument(permissions.createArgument('<list>', 'which list').choices(['allow', 'ask', 'deny']))
      .argument('<rule>', 'Read(./src/**), mcp__server, path(~/.ssh/**) …')
      .addOption(scopeOption().default('local'))
      .action((list: RuleList, rule: string, { scope }: { scope: Scope }) => choose({ kind: `permissions ${verb}`, list, rule, scope }));
}

function scopeOption(): Option {
  return new Option('--scope <scope>', 'whose settings; rules of a session end with it').choices(['local', 'project', 'user']);
}
