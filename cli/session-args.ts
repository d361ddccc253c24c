import type { Command } from 'commander';

/** What a command line asks of the kept sessions. None of it starts anything. */
export type SessionRequest =
  | { readonly kind: 'sessions list'; readonly all: boolean }
  | { readonly kind: 'sessions show'; readonly id: string }
  | { readonly kind: 'sessions fork'; readonly id: string }
  | { readonly kind: 'sessions remove'; readonly ids: readonly string[] };

/** Which kept session a run goes on with. */
export type Resumed = { readonly kind: 'id'; readonly id: string } | { readonly kind: 'last' };

/** Adds the commands that read and change what is kept of conversations. */
export function addSessionCommands(program: Command, choose: (request: SessionRequest) => void): void {
  const sessions = program.command('sessions').description('conversations that are kept: list, show, fork, remove');
  sessions
    .command('list')
    .description('those of this folder, the one written last first')
    .option('--all', 'those of every folder')
    .action(({ all }: { all?: boolean }) => choose({ kind: 'sessions list', all: all === true }));
  sessions
    .command('show')
    .description('what was said and called, in order; with --json everything that is written down')
    .argument('<id>', 'an id, or how one begins')
    .action((id: string) => choose({ kind: 'sessions show', id }));
  sessions
    .command('fork')
    .description('a copy under an id of its own, to go on with in another direction')
    .argument('<id>', 'an id, or how one begins')
    .action((id: string) => choose({ kind: 'sessions fork', id }));
  sessions
    .command('remove')
    .description('take sessions away, with the results that were kept of them')
    .argument('<id...>', 'ids, or how they begin')
    .action((ids: readonly string[]) => choose({ kind: 'sessions remove', ids }));
}

/** Reads `--resume` and `--continue`. */
export function resumedOf({
  resume,
  last,
}: {
  readonly resume?: string | undefined;
  readonly last?: boolean | undefined;
}): Resumed | undefined {
  if (resume !== undefined) return { kind: 'id', id: resume };
  return last ? { kind: 'last' } : undefined;
}
