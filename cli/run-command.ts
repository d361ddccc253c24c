import type { GlobalOptions, Request } from './args.ts';
import { exitCode, type ExitCode } from './exit-code.ts';
import { openHost, type OpenHost } from './open-host.ts';
import type { Screen } from './screen.ts';
import type { Stop } from './stop.ts';

/** What a command has to work with. */
export interface Desk extends OpenHost {
  readonly screen: Screen;
  readonly options: GlobalOptions;
  readonly stop: Stop;
}
export type Command = (desk: Desk) => Promise<ExitCode>;

/** These end as what they did went; everything else that went well over a wrong configuration ends as that. */
const OWN_END: ReadonlySet<Request['kind']> = new Set(['tools call', 'run']);

/** Opens a host for a command, runs it and closes the host. */
export async function runCommand(request: Request, options: GlobalOptions, screen: Screen, stop: Stop): Promise<ExitCode> {
  const command = await commandOf(request);
  // Doctor lists all problems in its answer, and saying each once is enough.
  const listed = request.kind === 'doctor' && !options.json;
  const opened = await openHost(options, screen, stop, listed ? () => undefined : (line) => screen.warn(line));
  try {
    const code = await command({ ...opened, screen, options, stop });
    if (code !== exitCode.done || OWN_END.has(request.kind)) return code;
    return opened.problems.some(({ blame }) => blame === 'config') ? exitCode.config : code;
  } finally {
    await opened.host.close();
  }
}

/** The command of a request; what is wrong with the request itself is thrown before anything is started. */
async function commandOf(request: Request): Promise<Command> {
  switch (request.kind) {
    case 'tools list':
      return (await import('./commands/tools-list.ts')).toolsList;
    case 'tools search':
      return (await import('./commands/tools-search.ts')).toolsSearch(request.query, request.limit);
    case 'tools show':
      return (await import('./commands/tools-show.ts')).toolsShow(request.name);
    case 'tools call':
      return (await import('./commands/tools-call.ts')).toolsCall(request);
    case 'run':
      return (await import('./commands/run.ts')).run(request.prompt, request.model);
    case 'doctor':
      return (await import('./commands/doctor.ts')).doctor;
  }
}
