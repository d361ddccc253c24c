import { Option, type Command } from 'commander';
import { PegboardError } from 'pegboard';
import type { OtherHost } from 'pegboard/settings';

/** Whose settings a command changes: the person's for this folder, the folder's for everybody, the person's everywhere. */
export type Scope = 'local' | 'project' | 'user';

/** What a command line asks of the configuration. None of it starts anything but `mcp lock`. */
export type ConfigRequest =
  | { readonly kind: 'config show'; readonly key?: string | undefined }
  | { readonly kind: 'config path' }
  | ({ readonly kind: 'config set'; readonly key: string; readonly scope: Scope } & Setting)
  | { readonly kind: 'trust'; readonly folder?: string | undefined; readonly forget: boolean }
  | ({ readonly kind: 'mcp add'; readonly name: string; readonly scope: Scope } & ServerWords)
  | { readonly kind: 'mcp add-json'; readonly name: string; readonly json: string; readonly scope: Scope }
  | { readonly kind: 'mcp remove'; readonly name: string; readonly scope?: Scope | undefined }
  | { readonly kind: 'mcp list'; readonly check: boolean }
  | { readonly kind: 'mcp get'; readonly name: string; readonly logs: boolean }
  | { readonly kind: 'mcp tools'; readonly name: string; readonly tool?: string | undefined }
  | { readonly kind: 'mcp import'; readonly host: OtherHost; readonly file?: string | undefined; readonly scope: Scope }
  | { readonly kind: 'mcp approve'; readonly names: readonly string[] }
  | { readonly kind: 'mcp login'; readonly name: string; readonly browser: boolean }
  | { readonly kind: 'mcp logout'; readonly name: string }
  | { readonly kind: 'mcp lock' };

/** What becomes of a key: one value, one more or one less of a list, or nothing that is set. */
export type Setting = { readonly how: 'set' | 'add' | 'take'; readonly value: string } | { readonly how: 'unset' };

/** A server in the words of a command line. */
export interface ServerWords {
  /** An address or the name of a package. */
  readonly target?: string | undefined;
  /** What stands after `--`. */
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly serverCwd?: string | undefined;
  readonly transport?: Transport | undefined;
}

/** How a server is reached, as people call it. */
type Transport = 'stdio' | 'http' | 'sse';

const OTHER_HOSTS: readonly OtherHost[] = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex', 'gemini'];

interface AddOptions {
  readonly scope: Scope;
  readonly transport?: Transport;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly serverCwd?: string;
}

/** Adds the commands that read and change the configuration. */
export function addConfigCommands(program: Command, choose: (request: ConfigRequest) => void, argv: readonly string[]): void {
  const config = program.command('config').description('settings: what counts and where it stands');
  config
    .command('show')
    .description('values with their source, and what they won over; secrets are masked')
    .argument('[key]', 'with dots; a key above others shows all below it')
    .action((key: string | undefined) => choose({ kind: 'config show', key }));
  config
    .command('path')
    .description('every file that was looked for, the highest first')
    .action(() => choose({ kind: 'config path' }));
  config
    .command('set')
    .description('write a value to a file of settings; comments stay')
    .argument('<key>', 'with dots; a name with a dot in brackets: mcpServers["my.server"].command')
    .argument('[value]', 'JSON, or a text')
    .addOption(scopeOption('local'))
    .addOption(new Option('--add', 'put the value at the end of the list that is there').conflicts('remove'))
    .option('--remove', 'take the value out of the list that is there; without a value the whole key')
    .action((key: string, value: string | undefined, { scope, ...how }: { scope: Scope; add?: boolean; remove?: boolean }) =>
      choose({ kind: 'config set', key, scope, ...settingOf(key, value, how) }),
    );
  program
    .command('trust')
    .description('let what a folder brings count, its servers included; says what that is')
    .argument('[dir]', 'the folder to work in unless given')
    .option('--forget', 'take it back')
    .action((folder: string | undefined, { forget }: { forget?: boolean }) => choose({ kind: 'trust', folder, forget: forget === true }));
  addServerCommands(program, choose, argv);
}

function settingOf(key: string, value: string | undefined, how: { readonly add?: boolean; readonly remove?: boolean }): Setting {
  if (value !== undefined) return { how: how.add ? 'add' : how.remove ? 'take' : 'set', value };
  if (how.remove) return { how: 'unset' };
  throw new PegboardError('CLI_USAGE', {
    cause: `The value for "${key}" is missing. Put it behind the key, or take the key out of the file with --remove.`,
  });
}

function addServerCommands(program: Command, choose: (request: ConfigRequest) => void, argv: readonly string[]): void {
  const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  const mcp = program.command('mcp').description('servers in the settings: add, import, list, get, tools and more');
  mcp
    .command('add')
    .description('add a server: an address, an npm package, or a command line after -- or in quotes')
    .argument('<name>')
    .argument('[target...]', 'https://…, a package of npm, or -- command arguments…')
    .addOption(scopeOption('local'))
    .option('-e, --env <name=value>', 'a variable for its process; repeatable', collect)
    .option('-H, --header <name: value>', 'a header for its requests; repeatable', collect)
    .addOption(new Option('-t, --transport <kind>', 'what it is, where that is to be said').choices(['stdio', 'http', 'sse']))
    .option('--server-cwd <dir>', 'the folder its process starts in')
    .action((name: string, words: readonly string[], { scope, env = [], header = [], serverCwd, transport }: AddOptions) => {
      const dashes = argv.indexOf('--');
      const after = dashes < 0 ? 0 : argv.length - dashes - 1;
      const before = words.slice(0, words.length - after);
      const target = before.length === 1 ? before[0] : undefined;
      const command = target === undefined ? words : words.slice(1);
      choose({ kind: 'mcp add', name, scope, target, command, env, header, serverCwd, transport });
    });
  mcp
    .command('add-json')
    .description('add a server by its definition, as it stands in .mcp.json')
    .argument('<name>')
    .argument('<json>')
    .addOption(scopeOption('local'))
    .action((name: string, json: string, { scope }: { scope: Scope }) => choose({ kind: 'mcp add-json', name, json, scope }));
  mcp
    .command('import')
    .description('add the servers of another program; says first what that is')
    .addArgument(mcp.createArgument('<program>', 'whose').choices(OTHER_HOSTS))
    .option('--file <file>', 'its file, where it is not in its place')
    .addOption(scopeOption('user'))
    .action((host: OtherHost, { file, scope }: { file?: string; scope: Scope }) => choose({ kind: 'mcp import', host, file, scope }));
  mcp
    .command('remove')
    .description('take a server out of the settings')
    .argument('<name>')
    .addOption(scopeOption())
    .action((name: string, { scope }: { scope?: Scope }) => choose({ kind: 'mcp remove', name, scope }));
  mcp
    .command('list')
    .description('servers of all layers, what becomes of each and what is known of it; starts none')
    .option('--check', 'start each that may start, and say how that went')
    .action(({ check }: { check?: boolean }) => choose({ kind: 'mcp list', check: check === true }));
  mcp
    .command('get')
    .description('every definition of a server and what becomes of it; starts none')
    .argument('<name>')
    .option('--logs', 'what it has written beside the protocol, the newest last')
    .action((name: string, { logs }: { logs?: boolean }) => choose({ kind: 'mcp get', name, logs: logs === true }));
  mcp
    .command('tools')
    .description('the tools of a server as it lists them and as a model is sent them: what was repaired or left out')
    .argument('<name>')
    .argument('[tool]', 'one of them, with both its definitions')
    .action((name: string, tool: string | undefined) => choose({ kind: 'mcp tools', name, tool }));
  mcp
    .command('approve')
    .description('let servers of the project start as they are defined now')
    .argument('<name...>')
    .action((names: readonly string[]) => choose({ kind: 'mcp approve', names }));
  mcp
    .command('login')
    .description('sign in to a server in the browser; the address is printed as well')
    .argument('<name>')
    .option('--no-browser', 'open none: paste the address the browser came back to')
    .action((name: string, { browser }: { browser: boolean }) => choose({ kind: 'mcp login', name, browser }));
  mcp
    .command('logout')
    .description('give the tokens of a server back and forget them')
    .argument('<name>')
    .action((name: string) => choose({ kind: 'mcp logout', name }));
  mcp
    .command('lock')
    .description('write pegboard.lock: hashes of all servers and their tools as they are now')
    .action(() => choose({ kind: 'mcp lock' }));
}

function scopeOption(otherwise?: Scope): Option {
  const option = new Option('-s, --scope <scope>', 'whose settings').choices(['local', 'project', 'user']);
  return otherwise === undefined ? option : option.default(otherwise);
}
