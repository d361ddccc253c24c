import { InvalidArgumentError, Option, type Command } from 'commander';

/** Which lines of the log are wanted; each member that is there must fit. */
export interface AuditFilter {
  readonly tool?: string | undefined;
  /** `ask`: whatever was asked about, however that ended. */
  readonly decision?: 'allow' | 'ask' | 'deny' | 'none' | undefined;
  readonly session?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** What a command line asks of the log. Only `replay` starts anything, and calls nothing. */
export type AuditRequest = { readonly filter: AuditFilter } & (
  | { readonly kind: 'audit list'; readonly last: number }
  | { readonly kind: 'audit follow' }
  | { readonly kind: 'audit export'; readonly file?: string | undefined }
  | { readonly kind: 'audit replay'; readonly rules: string }
);

const FILTERS = 'tool, decision, session, since';

/** Adds the commands that read the log. */
export function addAuditCommands(program: Command, choose: (request: AuditRequest) => void): void {
  const audit = program
    .command('audit')
    .description(`what was called, how it was judged and what became of it; with follow, export, replay; filters: ${FILTERS}`)
    .option('--tool <name>', 'calls of this tool; * stands for any text')
    .addOption(
      new Option('--decision <decision>', 'how calls were judged; ask: somebody was asked').choices(['allow', 'ask', 'deny', 'none']),
    )
    .option('--session <id>', 'calls of this session')
    .option('--since <when>', 'a date, a time, or how long ago: 30m, 12h, 7d', since)
    .option('-n, --last <n>', 'at most so many, the last ones', positive, 50)
    .action((options: AuditFilter & { readonly last: number }) =>
      choose({ kind: 'audit list', filter: filterOf(options), last: options.last }),
    );
  const filter = () => filterOf(audit.opts<AuditFilter>());
  audit
    .command('follow')
    .description('calls as they end, of all sessions, until it is stopped; with --json one object a line')
    .action(() => choose({ kind: 'audit follow', filter: filter() }));
  audit
    .command('export')
    .description('all lines as JSONL, to stdout or a file')
    .argument('[file]')
    .action((file: string | undefined) => choose({ kind: 'audit export', filter: filter(), file }));
  audit
    .command('replay')
    .description('what would have been decided otherwise under other rules; nothing is called')
    .requiredOption('--rules <file>', 'JSON with allow, ask, deny, or settings with them under permissions')
    .action(({ rules }: { rules: string }) => choose({ kind: 'audit replay', filter: filter(), rules }));
}

function filterOf({ tool, decision, session, since: from }: AuditFilter): AuditFilter {
  return { tool, decision, session, since: from };
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function since(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNITS[unit] ?? 0);
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Give a date (2026-11-30), a time (2026-11-30T18:00:00Z), or how long ago (30m, 12h, 7d).');
  return at;
}

function positive(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number from 1.');
}
