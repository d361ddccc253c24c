import { subcommandAt } from '../command/git-carriers.ts';
import { textOf, type Word } from '../command/member.ts';
import { readWords, textWord, type Place } from '../read-only/read-words.ts';
import { GIT_FORMS } from '../read-only/git.data.ts';
import type { Spelling } from '../read-only/spelling.ts';

const form = (options: string, operands: Spelling['operands']): Spelling => ({ options, operands, globs: 'anywhere' });

/** Subcommands of git whose operands are files it changes. */
const CHANGING: Readonly<Record<string, Spelling>> = {
  clone: form('-b=text --branch=text --depth=number -o=text -u=text -c=text --template=tree --reference=tree --separate-git-dir=write', [
    'text',
    'write?',
  ]),
  init: form('-b=text --initial-branch=text --template=tree --separate-git-dir=write', ['write?']),
  mv: form('', ['edit*', 'write']),
  rm: form('', ['remove*']),
  restore: form('-s=text --source=text', ['write*']),
  checkout: form('-b=text -B=text --orphan=text --conflict=text --pathspec-from-file=file', ['write*']),
  apply: form('-p=number -C=number --exclude=text --include=text --directory=write-below', ['file*']),
  am: form('--directory=write-below', ['file*']),
  archive: form('-o=write --output=write --format=text --prefix=text --remote=text', ['text*']),
  bundle: form('', ['text', 'write', 'text*']),
  'format-patch': form('-o=write-below --output-directory=write-below', ['text*']),
  worktree: form('-b=text -B=text --reason=text', ['text', 'write', 'text*']),
  config: form('-f=edit --file=edit --blob=text --type=text --default=text', ['text*']),
};

/** Options of git itself that have a value. */
const BEFORE = '-C=tree -c=text --git-dir=tree --work-tree=tree --namespace=text --config-env=text --exec-path[=tree] --super-prefix=text';

/** What git writes by its words: files that it names, and its own configuration. */
export function placesOfGit(words: readonly Word[]): readonly Place[] {
  const at = subcommandAt(words);
  const before = readWords(words.slice(0, at), form(BEFORE, [])).places;
  const name = textOf(words[at]) ?? '';
  // What does not only read may change the folder that it is sent to.
  const elsewhere = Object.hasOwn(GIT_FORMS, name) ? [] : before.map((place): Place => ({ ...place, does: 'writes', reach: 'itself' }));
  const all = words.slice(at + 1);
  // What stands before it is a branch, or may be one.
  const dashes = name === 'checkout' ? all.findIndex((word) => textOf(word) === '--') : 0;
  const behind = dashes === -1 ? [] : all.slice(dashes);
  const output = readWords(behind, form('--output=write', ['text*'])).places;
  const changes = Object.hasOwn(CHANGING, name) ? CHANGING[name] : undefined;
  const named = changes === undefined ? [] : readWords(behind, changes).places;
  return [...before, ...elsewhere, ...output, ...named, ...shownBy(name, all), ...(name === 'config' ? ownConfiguration(behind) : [])];
}

/** Subcommands beside those that only read which print or pack what stands in files that nobody named. */
const SHOWING = /^(grep|archive|bundle|fast-export|format-patch|range-diff|whatchanged|diff-(tree|index|files)|difftool|checkout-index)$/;

/** What such a one shows: what stands behind `--`, or else all of the repository. */
function shownBy(name: string, words: readonly Word[]): readonly Place[] {
  if (!SHOWING.test(name) && !(name === 'stash' && textOf(words[0]) === 'show')) return [];
  const dashes = words.findIndex((word) => textOf(word) === '--');
  const named = dashes === -1 ? [] : words.slice(dashes + 1);
  return (named.length > 0 ? named : [textWord('.')]).map((word) => ({ does: 'reads', reach: 'below', word }));
}

const ASKING = /^(--get.*|-l|--list|get|list)$/;

/** Whatever does not ask for a value sets one, in a file that git obeys. */
function ownConfiguration(words: readonly Word[]): readonly Place[] {
  const texts = words.map((word) => textOf(word) ?? '');
  const operands = texts.filter((text) => !text.startsWith('-'));
  const asks =
    texts.some((text) => ASKING.test(text)) ||
    (operands.length < 2 && !texts.some((text) => /^(--unset|--remove|--rename|-e$|--edit|--add)/.test(text)));
  if (asks || texts.some((text) => /^(-f|--file)/.test(text))) return [];
  const file = texts.some((text) => /^--(gl|sy)/.test(text)) ? '~/.gitconfig' : '.git/config';
  return [{ does: 'writes', reach: 'itself', word: textWord(file) }];
}
