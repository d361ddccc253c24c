import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Command, SettingsCommand } from '../run-command.ts';
import type { Screen } from '../screen.ts';
import { openCatalogue } from '../search-test/catalogue-pool.ts';
import { readCatalogueRows } from '../search-test/catalogue-rows.ts';
import { openInstalled } from '../search-test/installed-pool.ts';
import { measure } from '../search-test/measure.ts';
import { readQueryRows, type QueryRow } from '../search-test/query-rows.ts';
import { reportJson, reportLines, reportOf } from '../search-test/report.ts';
import type { Searched } from '../search-test/searched.ts';
import { waitForServers } from '../wait-for-servers.ts';

/** What a search test is asked for. */
export interface SearchTestRequest {
  /** A file of query rows. */
  readonly queries: string;
  /** The least recall@5, 0 to 1, that is no failure. */
  readonly minRecall5?: number | undefined;
}

/** `search-test`: how well the queries find their tools among those that are installed. */
export function searchTestPool(request: SearchTestRequest): Command {
  return async (desk) => {
    const rows = await readQueryRows(request.queries);
    await waitForServers(desk);
    return test(request, rows, await openInstalled(desk.host), desk.screen);
  };
}

/** `search-test --catalogue`: among those of a file; nothing is started. */
export function searchTestCatalogue(request: SearchTestRequest & { readonly catalogue: string }): SettingsCommand {
  return async ({ screen }) => {
    const rows = await readQueryRows(request.queries);
    const searched = await openCatalogue(await readCatalogueRows(request.catalogue));
    for (const why of searched.leftOut) screen.warn(`pegboard: ${request.catalogue}: left out as a host would: ${why}`);
    return test(request, rows, searched, screen);
  };
}

async function test(
  { queries, minRecall5 }: SearchTestRequest,
  rows: readonly QueryRow[],
  searched: Searched,
  screen: Screen,
): Promise<ExitCode> {
  const report = reportOf(await measure({ file: queries, rows }, searched, progressOn(screen, rows.length)), searched);
  if (screen.json) screen.value(reportJson(report));
  else screen.print(reportLines(report, screen.width));
  const reached = report.metrics['recall@5'];
  if (minRecall5 === undefined || reached >= minRecall5) return exitCode.done;
  screen.warn(`pegboard: recall@5 is ${percent(reached)}, and at least ${percent(minRecall5)} were asked for with --min-recall5.`);
  return exitCode.failed;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

const SAID_EVERY_MS = 2_000;

/** A line now and then for whoever watches. */
function progressOn(screen: Screen, total: number): (done: number) => void {
  let said = performance.now();
  return (done) => {
    if (!process.stderr.isTTY || performance.now() - said < SAID_EVERY_MS) return;
    said = performance.now();
    screen.tell(`searched ${done} of ${total}`);
  };
}
