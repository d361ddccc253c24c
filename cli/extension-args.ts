import type { Command } from 'commander';

/** What a command line asks of skills, agents and hooks. */
export type ExtensionRequest =
  | { readonly kind: 'skills list' }
  | { readonly kind: 'skills show'; readonly name: string }
  | { readonly kind: 'agents list' }
  | { readonly kind: 'hooks list' }
  | { readonly kind: 'hooks test'; readonly event: string; readonly input?: string | undefined };

/** Adds the commands that show what is written down beside tools, and try it. */
export function addExtensionCommands(program: Command, choose: (request: ExtensionRequest) => void): void {
  const skills = program.command('skills').description('written procedures and slash commands: list, show');
  skills
    .command('list')
    .description('all of them: whose they are, who may use them, what they are for')
    .action(() => choose({ kind: 'skills list' }));
  skills
    .command('show')
    .description('one of them: what it allows and forbids, and its text')
    .argument('<name>')
    .action((name: string) => choose({ kind: 'skills show', name }));
  program
    .command('agents')
    .description('agents that are described in files: list')
    .command('list')
    .description('all of them, and where they are described')
    .action(() => choose({ kind: 'agents list' }));
  const hooks = program.command('hooks').description('hooks of settings and plugins: list, test');
  hooks
    .command('list')
    .description('all of them in order, and which can never run')
    .action(() => choose({ kind: 'hooks list' }));
  hooks
    .command('test')
    .description('run the hooks of an event over an input of your own, and see what they say')
    .argument('<event>', 'PreToolUse, Stop, …')
    .option('--input <json>', 'what the event is about, as JSON, or @file')
    .action((event: string, { input }: { input?: string }) => choose({ kind: 'hooks test', event, input }));
}
