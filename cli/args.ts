import { Command, CommanderError, Help, InvalidArgumentError, Option } from 'commander';
import { MODES, PegboardError } from 'pegboard';

import { addAuditCommands, type AuditRequest } from './audit-args.ts';
import { addConfigCommands, type ConfigRequest } from './config-args.ts';
import { addExtensionCommands, type ExtensionRequest } from './extension-args.ts';
import { addPermissionCommands, type PermissionRequest } from './permission-args.ts';
import { displayWidth } from './render/width.ts';
import { wrapped } from './render/wrapped.ts';
import { addPluginCommands, type PluginRequest } from './plugin-args.ts';
import { addSessionCommands, resumedOf, type Resumed, type SessionRequest } from './session-args.ts';
import { usageError } from './usage-error.ts';
import { wantsJson } from './wants-json.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly yes: boolean;
  readonly cwd?: string | undefined;
  /** A file, or JSON. */
  readonly settings?: string | undefined;
  readonly preset?: string | undefined;
  readonly permissionMode?: string | undefined;
  readonly dangerouslySkipPermissions?: boolean | undefined;
  readonly mcpConfig: readonly string[];
  readonly pluginDir: readonly string[];
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** One request to a model, and the bounds of the run. */
export interface RunRequest {
  readonly kind: 'run';
  readonly prompt?: string | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly output?: 'text' | 'json' | 'stream-json' | undefined;
  /** The kept session it goes on with; a new one unless given. */
  readonly resumed?: Resumed | undefined;
}

/** A conversation at a terminal. */
export interface ChatRequest {
  readonly kind: 'chat';
  readonly model?: string | undefined;
  readonly resumed?: Resumed | undefined;
  /** Lines only, whatever the terminal can do. */
  readonly plain?: boolean | undefined;
}

type Resuming = { readonly resume?: string; readonly continue?: boolean };
type ChatOptions = Omit<ChatRequest, 'kind' | 'resumed'> & Resuming;
type RunOptions = Omit<RunRequest, 'kind' | 'prompt' | 'resumed'> & Resuming;

/** What a command line asks for. */
export type Request =
  | { readonly kind: 'tools list' }
  | { readonly kind: 'tools search'; readonly query: string; readonly limit: number; readonly explain: boolean }
  | { readonly kind: 'tools show'; readonly name: string }
  | { readonly kind: 'tools call'; readonly name: string; readonly input?: string | undefined; readonly pairs: readonly string[] }
  | RunRequest
  | ChatRequest
  | {
      readonly kind: 'search-test';
      readonly queries: string;
      readonly catalogue?: string | undefined;
      readonly minRecall5?: number | undefined;
    }
  | { readonly kind: 'search-history export' | 'search-history clear' }
  | { readonly kind: 'doctor'; readonly session?: string | undefined }
  | AuditRequest
  | PermissionRequest
  | PluginRequest
  | SessionRequest
  | ExtensionRequest
  | ConfigRequest;

export type Invocation =
  | { readonly kind: 'command'; readonly request: Request; readonly options: GlobalOptions }
  /** A text to print; with `--json` it is one JSON value already. */
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version'; readonly json: boolean };

/** Reads a command line (design 1.2); one without a command is a chat where somebody sits at a terminal. Throws CLI_USAGE with the nearest name for what is not known. */
export function parseArgs(argv: readonly string[], width: number, atTerminal = false): Invocation {
  const json = wantsJson(argv);
  const said = { out: '', err: '' };
  const root = buildCommands(argv, Number.isFinite(width) ? width : 100, said);
  try {
    root.program.parse(argv, { from: 'user' });
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    if (atTerminal && !json && cause.code === 'commander.help' && root.program.args.length === 0) return root.invocation({ kind: 'chat' });
    if (cause.code === 'commander.version') return { kind: 'version', json };
    // Commander takes its exit code for help from the process, which stands at failure until a command has ended.
    if (cause.exitCode === 0 || said.out !== '') return { kind: 'help', text: said.out };
    throw usageError(cause, argv, root.program, said.err);
  }
  const request = root.request();
  if (request === undefined) throw new PegboardError('CLI_USAGE', { cause: 'A command is missing. `pegboard --help` shows all of them.' });
  return root.invocation(request);
}

function buildCommands(argv: readonly string[], width: number, said: { out: string; err: string }) {
  let request: Request | undefined;
  const choose = (chosen: Request) => void (request = chosen);
  const program = new Command('pegboard')
    .description('A plugin host for the tools that AI agents use: one pool, one search, one permission pipeline.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void (said.out += text),
      writeErr: (text) => void (said.err += text),
      outputError: () => undefined,
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
    })
    .configureHelp({
      showGlobalOptions: true,
      ...(wantsJson(argv)
        ? { formatHelp: helpAsJson }
        : {
            minWidthToWrap: LEGIBLE,
            formatItem: helpItem,
            styleUsage: (usage) => wrapped(usage, width - 'Usage: '.length, '  ').join('\n'),
          }),
    })
    .version('', '--version', 'print the version');
  addGlobalOptions(program);

  const tools = program.command('tools').description('what can be called: list, search, show, call');
  tools
    .command('list')
    .description('the pool in order: source, state and why, bytes, tokens')
    .action(() => choose({ kind: 'tools list' }));
  tools
    .command('search')
    .description('tools by name or by what they do; select:A,B finds exact names')
    .argument('<query>')
    .option('-k <n>', 'at most so many', positive, 5)
    .option('--explain', 'which words were met where, and what each adds to the score')
    .action((query: string, { k, explain }: { k: number; explain?: boolean }) =>
      choose({ kind: 'tools search', query, limit: k, explain: explain === true }),
    );
  tools
    .command('show')
    .description('the full definition of a tool, as a model is sent it')
    .argument('<name>')
    .action((name: string) => choose({ kind: 'tools show', name }));
  tools
    .command('call')
    .description('call a tool through the permission pipeline')
    .argument('<name>')
    .argument('[key=value...]', 'input, typed by the schema of the tool; arrays and objects as JSON')
    .option('--input <json>', 'the whole input as JSON, or @file')
    .action((name: string, pairs: string[], { input }: { input?: string }) => choose({ kind: 'tools call', name, input, pairs }));
  program
    .command('run')
    .description('one request, then exit')
    .argument('[prompt]', 'the request; - reads it from stdin, and beside a request what is piped in goes with it')
    .option('--model <name>', 'who answers: a model of the Messages API, or offline (keyword search, no language model)')
    .addOption(new Option('--output <form>', 'stream-json: one event a line').choices(['text', 'json', 'stream-json']))
    .option('--max-turns <n>', 'at most so many requests to the model', positive)
    .option('--max-tokens <n>', 'at most so many tokens, of all requests and answers together', positive)
    .addOption(new Option('--resume <id>', 'go on with a kept session').conflicts('continue'))
    .option('--continue', 'go on with the session of this folder that was written last')
    .action((prompt: string | undefined, { resume, continue: last, ...options }: RunOptions) =>
      choose({ kind: 'run', prompt, ...options, resumed: resumedOf({ resume, last }) }),
    );
  program
    .command('chat')
    .description('a conversation at the terminal; `pegboard` alone begins one')
    .option('--model <name>', 'who answers: a model of the Messages API, or offline (keyword search, no language model)')
    .addOption(new Option('--resume <id>', 'go on with a kept session').conflicts('continue'))
    .option('--continue', 'go on with the session of this folder that was written last')
    .option('--plain', 'a line to type in and the answers above it, nothing else')
    .action(({ resume, continue: last, ...options }: ChatOptions) =>
      choose({ kind: 'chat', ...options, resumed: resumedOf({ resume, last }) }),
    );
  program
    .command('search-test')
    .description('how well a search finds the tools that a file of queries wants')
    .argument('<queries.jsonl>', 'rows {query, gold:[names]}; perhaps id, kind, mode')
    .option('--catalogue <file.jsonl>', 'rows {id, server, name, description, inputSchema} instead of the installed tools; gold are ids')
    .option('--min-recall5 <share>', 'fail below this recall@5, like 0.9', share)
    .action((queries: string, options: { catalogue?: string; minRecall5?: number }) =>
      choose({ kind: 'search-test', queries, ...options }),
    );
  const history = program.command('search-history').description('which tools were called after which searches, as kept in the home folder');
  history
    .command('export')
    .description('all of it as JSON')
    .action(() => choose({ kind: 'search-history export' }));
  history
    .command('clear')
    .description('forget all of it')
    .action(() => choose({ kind: 'search-history clear' }));
  program
    .command('doctor')
    .description('configuration, plugins, servers, rules and what is wrong with them')
    .option('--session <id>', 'how well the cache of a kept session held, and what it cost')
    .action(({ session }: { session?: string }) => choose({ kind: 'doctor', session }));
  addAuditCommands(program, choose);
  addPermissionCommands(program, choose);
  addPluginCommands(program, choose);
  addSessionCommands(program, choose);
  addExtensionCommands(program, choose);
  addConfigCommands(program, choose, argv);
  const invocation = (of: Request): Invocation => {
    return { kind: 'command', request: of, options: { ...NO_OPTIONS, ...program.opts<Partial<GlobalOptions>>() } };
  };
  return { program, request: () => request, invocation };
}

function addGlobalOptions(program: Command): void {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  program
    .option('--json', 'one JSON value on stdout, nothing else')
    .option('--cwd <dir>', 'the folder to work in')
    .option('--settings <file|json>', 'settings that come before those of the folder')
    .option('--preset <name>', 'a smaller pool: bare has shell, read and edit only', presetName)
    .option('--mcp-config <file>', 'servers to start, in the form of .mcp.json; repeatable', collect)
    .option('--plugin-dir <dir>', 'a folder or a .zip with a plugin; repeatable', collect)
    .option('--allow <rule>', 'what may be called: Read, mcp__server, mcp__server__tool; repeatable', collect)
    .option('--ask <rule>', 'what a person is asked about; repeatable', collect)
    .option('--deny <rule>', 'what is hidden and refused; repeatable', collect)
    .addOption(
      new Option('--permission-mode <mode>', 'how calls are judged that no rule speaks of; auto has no judge here and blocks them').choices(
        MODES,
      ),
    )
    .option(
      '--dangerously-skip-permissions',
      'the mode bypassPermissions: only rules, guards and tools that need a person still stop a call',
    )
    .option('--yes', 'answer yes where no rule says to ask')
    .option('--quiet', 'no progress on stderr')
    .option('--debug', 'more on stderr');
}

const NO_OPTIONS: GlobalOptions = {
  json: false,
  quiet: false,
  debug: false,
  yes: false,
  mcpConfig: [],
  pluginDir: [],
  allow: [],
  ask: [],
  deny: [],
};

function presetName(text: string): string {
  if (text === 'bare') return text;
  if (text === 'coordinator' || text === 'repl')
    throw new InvalidArgumentError(
      `The preset "${text}" comes with the tools it restricts, which are not part of this version. There is: bare.`,
    );
  throw new InvalidArgumentError('There is: bare.');
}

function positive(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number from 1.');
}

function share(text: string): number {
  if (/^(0(\.\d+)?|1(\.0+)?|\.\d+)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a share from 0 to 1, like 0.9.');
}

/** What is narrower cannot be read line by line. */
const LEGIBLE = 24;

/** Where the room beside what it describes is narrow, or too narrow for one of its words, a description stands below. */
function helpItem(term: string, termWidth: number, description: string, help: Help): string {
  const width = help.helpWidth ?? 80;
  const longest = Math.max(LEGIBLE, ...description.split(' ').map(displayWidth));
  if (width - termWidth - 4 >= longest) return Help.prototype.formatItem.call(help, term, termWidth, description, help);
  const below = description === '' ? [] : wrapped(`    ${description}`, width, '    ');
  return [...wrapped(`  ${term}`, width, '      '), ...below].join('\n');
}

function helpAsJson(command: Command, help: Help): string {
  const named = (term: string, description: string) => ({ term, description });
  return JSON.stringify({
    usage: help.commandUsage(command),
    description: help.commandDescription(command),
    arguments: help.visibleArguments(command).map((each) => named(help.argumentTerm(each), help.argumentDescription(each))),
    commands: help.visibleCommands(command).map((each) => named(help.subcommandTerm(each), help.subcommandDescription(each))),
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map((each) =>
      named(help.optionTerm(each), help.optionDescription(each)),
    ),
  });
}
