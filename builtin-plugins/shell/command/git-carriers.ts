import type { Carried } from './carriers.ts';
import { textOf, type Word } from './member.ts';

/** Options of git itself whose value is the next word. */
const VALUED = /^(-C|-c|--git-dir|--work-tree|--namespace|--config-env|--super-prefix|--attr-source)$/;
/** Settings whose value is a program, or a file of more settings. */
const PROGRAM =
  /^(core\.(pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|interactive\.difffilter|(diff|merge|filter|difftool|mergetool|browser|man|guitool|tar|trailer|hook)\..+\.(command|cmd|driver|textconv|clean|smudge|process|path)|diff\.external|credential\.(.+\.)?helper|gpg\.(.+\.)?(program|defaultkeycommand)|pager\..+|remote\..+\.(uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|submodule\..+\.update|sendemail\..+(cmd|server)|web\.browser)$/i;
/** Settings whose value is a file with more settings, or a folder of programs. */
const ELSEWHERE = /^(include\.path|includeif\..+\.path|core\.hookspath|init\.templatedir)$/i;
/** Options of subcommands whose value is a command, glued or the next word. */
const RUNS_VALUE =
  /^(--exec|--extcmd|--upload-pack|--receive-pack|--open-files-in-pager|--(env|tree|index|parent|msg|commit|tag-name)-filter|--setup)$/;

/** Where a letter has such a value. */
const BY_LETTER = /^((rebase|difftool) -x|grep -O)$/;

/** What git runs by its words: aliases and programs of settings that are given with it, what is done for each submodule or commit. */
export function carriedByGit(args: readonly Word[]): Carried {
  const at = subcommandAt(args);
  const [name, ...words] = args.slice(at);
  const subcommand = textOf(name);
  const given = args.slice(0, at).flatMap((word, index) => (textOf(args[index - 1]) === '-c' ? [word] : []));
  const settings = [...given.map(settingOf), ...(subcommand === 'config' ? [pairOf(words)] : [])];
  // What is kept under a name now runs under it later.
  const isAlias = (key: string | undefined) =>
    subcommand === 'config' ? key?.startsWith('alias.') === true : key === `alias.${subcommand?.toLowerCase() ?? ''}`;
  const aliases = settings.filter((each) => isAlias(each.key) && each.value !== '' && each.value?.startsWith('!') === false);
  const doubt = settings.some(
    ({ key, value }) =>
      key === undefined || ELSEWHERE.test(key) || (value === undefined && (PROGRAM.test(key) || key.startsWith('alias.'))),
  );
  const isCut = args.slice(0, at).some((word) => /^--(config-env|exec-path)(=|$)/.test(startOf(word)));
  const values = words.flatMap((word, index) => {
    const before = textOf(words[index - 1]) ?? '';
    const isValue = RUNS_VALUE.test(before) || (before === '-x' && BY_LETTER.test(`${subcommand} -x`));
    return [...gluedTo(word, subcommand), ...(isValue ? [word] : [])];
  });
  const runs = subcommand === 'bisect' && textOf(words[0]) === 'run' ? [words.slice(1)] : [];
  const each = subcommand === 'submodule' ? behindForeach(words) : undefined;
  const unknown = doubt || isCut || [...values, ...(each ?? [])].some(({ kind }) => kind !== 'text');
  return {
    // The same without the options of git itself, as rules speak of it.
    commands: [
      ...(at > 0 && name !== undefined ? [[GIT, name, ...words]] : []),
      ...aliases.map(({ value = '' }) => [GIT, ...value.split(/\s+/).map(plainWord), ...(subcommand === 'config' ? [] : words)]),
      ...runs,
    ],
    scripts: [
      ...settings.flatMap(({ key = '', value }) => scriptOf(key, value)),
      ...values.flatMap((word) => textOf(word) ?? []),
      ...(each === undefined ? [] : [each.flatMap((word) => textOf(word) ?? []).join(' ')]),
    ],
    ...(unknown && { unknown: 'git runs what nobody has written out' }),
  };
}

/** Where the subcommand stands behind the options of git itself. */
export function subcommandAt(words: readonly Word[]): number {
  let at = 0;
  while (at < words.length) {
    const text = startOf(words[at]);
    if (!text.startsWith('-')) return at;
    at += VALUED.test(text) ? 2 : 1;
  }
  return at;
}

/** What a word begins with for certain. */
function startOf(word: Word | undefined): string {
  return textOf(word) ?? (word?.kind === 'unknown' ? word.prefix : '');
}

interface Setting {
  readonly key: string | undefined;
  readonly value: string | undefined;
}

function settingOf(word: Word): Setting {
  const [, key, value] = /^([^=]+)(?:=(.*))?$/s.exec(textOf(word) ?? (word.kind === 'unknown' ? word.prefix : '')) ?? [];
  return { key: key?.toLowerCase(), value: word.kind === 'text' ? value : undefined };
}

/** `git config NAME VALUE`, with options anywhere. */
function pairOf(words: readonly Word[]): Setting {
  const [key, value] = words.filter((word) => !/^(-.*|set)$/s.test(textOf(word) ?? ''));
  return { key: textOf(key)?.toLowerCase() ?? '', value: value === undefined ? '' : textOf(value) };
}

function scriptOf(key: string, value: string | undefined): readonly string[] {
  if (value === undefined || value === '') return [];
  if (key.startsWith('alias.')) return value.startsWith('!') ? [value.slice(1)] : [];
  return PROGRAM.test(key) ? [value.replace(/^!/, '')] : [];
}

/** `--exec=make`, `-Oless`. */
function gluedTo(word: Word, subcommand: string | undefined): readonly Word[] {
  const text = textOf(word) ?? '';
  const [, long = '', value = ''] = /^(--[a-z-]+)=(.*)$/s.exec(text) ?? [];
  if (RUNS_VALUE.test(long)) return [plainWord(value)];
  return text.length > 2 && BY_LETTER.test(`${subcommand} ${text.slice(0, 2)}`) ? [plainWord(text.slice(2))] : [];
}

function behindForeach(words: readonly Word[]): readonly Word[] | undefined {
  const at = words.findIndex((word) => textOf(word) === 'foreach');
  const rest = words.slice(at + 1);
  const from = rest.findIndex((word) => !/^(--recursive|--quiet|-q|--)$/.test(textOf(word) ?? ''));
  return at === -1 || from === -1 ? undefined : rest.slice(from);
}

function plainWord(text: string): Word {
  return { kind: 'text', text, source: text, quoted: false, expanded: false };
}

const GIT = plainWord('git');
