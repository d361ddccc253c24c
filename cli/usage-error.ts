import type { Command, CommanderError } from 'commander';
import { PegboardError, nearest } from 'pegboard';

/** Commander's words as one sentence, with the nearest name where one is near and all names where none is. */
export function usageError(cause: CommanderError, argv: readonly string[], program: Command, printed: string): PegboardError<'CLI_USAGE'> {
  if (printed !== '') return new PegboardError('CLI_USAGE', { cause: noCommand(argv, program, printed) });
  const [first = '', ...more] = cause.message.replace(/^error: /, '').split('\n');
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`;
  const parts = [
    sentence,
    commandMeant(first, argv, program) || more.join(' ').trim() || hintFor(cause.code, first, argv, program),
    '`pegboard --help` shows what there is.',
  ];
  return new PegboardError('CLI_USAGE', { cause: parts.filter(Boolean).join(' ') });
}

/** The command of a group that was written like an option. */
function commandMeant(message: string, argv: readonly string[], program: Command): string {
  const group = program.commands.find((command) => argv.includes(command.name()));
  const meant = group?.commands.find((command) => message.endsWith(`unknown option '--${command.name()}'`));
  return group && meant ? `(Did you mean \`pegboard ${group.name()} ${meant.name()}\`?)` : '';
}

/** Commander prints the help both where a command is missing and where help for an unknown one is wanted. */
function noCommand(argv: readonly string[], program: Command, printed: string): string {
  const [asked, wanted] = argv.includes('help') ? argv.slice(argv.indexOf('help')).filter((word) => !word.startsWith('-')) : [];
  if (asked === undefined || wanted === undefined) return `A command is missing.\n${printed.trimEnd()}`;
  return `There is no command '${wanted}'. ${commandsOf(argv, program)}`;
}

function commandsOf(argv: readonly string[], program: Command): string {
  const group = program.commands.find((command) => command.commands.length > 0 && argv.includes(command.name())) ?? program;
  return `There are: ${group.commands.map((command) => command.name()).join(', ')}.`;
}

function hintFor(code: string, message: string, argv: readonly string[], program: Command): string {
  if (code === 'commander.excessArguments' && argv.includes('audit')) return commandsOf(argv, program);
  if (code === 'commander.excessArguments' && argv.includes('run')) return 'Put the request in quotes.';
  if (code === 'commander.unknownOption' && argv.includes('mcp') && argv.includes('add')) return 'A command line stands after `--`.';
  if (code === 'commander.unknownCommand') return commandsOf(argv, program);
  const flag = code === 'commander.unknownOption' ? /'(-[^'=]+)/.exec(message)?.[1] : undefined;
  const near =
    flag === undefined
      ? undefined
      : nearest(
          flag,
          program.options.flatMap(({ long }) => long ?? []),
        );
  return near === undefined ? '' : `(Did you mean ${near}?)`;
}
