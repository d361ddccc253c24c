import type { Spelling } from './spelling.ts';

/** Which commits. */
const COMMITS =
  '-n=number -# --max-count=number --skip=number --since=text --after=text --until=text --before=text --author=text --committer=text --grep=text ' +
  '--all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --merges --no-merges ' +
  '--min-parents=number --max-parents=number --first-parent --not --all --branches[=text] --tags[=text] --remotes[=text] --glob=text --exclude=text ' +
  '--reflog --cherry --cherry-mark --cherry-pick --left-right --left-only --right-only -g --walk-reflogs --merge --boundary --simplify-by-decoration ' +
  '--full-history --dense --sparse --simplify-merges --ancestry-path --date-order --author-date-order --topo-order --reverse --no-walk[=text] ' +
  '--ignore-missing --follow --full-diff --source --use-mailmap --no-use-mailmap --mailmap --no-mailmap --remove-empty';

/** How a commit looks. Nothing of it checks a signature. */
const LOOKS =
  '--pretty[=git-format] --format=git-format --oneline --abbrev-commit --no-abbrev-commit --abbrev[=number] --no-abbrev --encoding=text ' +
  '--date=text --relative-date --parents --children --graph --no-graph --show-linear-break[=text] --decorate[=text] --no-decorate --decorate-refs=text ' +
  '--decorate-refs-exclude=text --clear-decorations --notes[=text] --no-notes --show-notes[=text] --log-size --color[=text] --no-color --expand-tabs[=number] --no-expand-tabs';

/** How changes look. Nothing of it writes a file, runs a program of the configuration or leaves the repository. */
const CHANGES =
  '-p -u --patch -s --no-patch -U=number --unified=number --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram ' +
  '--indent-heuristic --no-indent-heuristic --anchored=text --diff-algorithm=text --stat[=text] --stat-width=number --stat-name-width=number ' +
  '--stat-count=number --stat-graph-width=number --compact-summary --numstat --shortstat --dirstat[=text] --cumulative --summary -z --name-only ' +
  '--name-status --color[=text] --no-color --color-moved[=text] --no-color-moved --color-moved-ws=text --word-diff[=text] --word-diff-regex=text ' +
  '--color-words[=text] --no-renames --rename-empty --no-rename-empty --check --ws-error-highlight=text --full-index --binary --abbrev[=number] ' +
  '-B[=number] --break-rewrites[=number] -M[=number] --find-renames[=number] -C[=number] --find-copies[=number] --find-copies-harder -D ' +
  '--irreversible-delete -l=number --diff-filter=text -S=text -G=text --find-object=text --pickaxe-all --pickaxe-regex -R --relative[=text] ' +
  '--no-relative -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -I=text ' +
  '--ignore-matching-lines=text --inter-hunk-context=number -W --function-context --exit-code --quiet --no-ext-diff --no-textconv ' +
  '--ignore-submodules[=submodule-part] --src-prefix=text --dst-prefix=text --no-prefix --default-prefix --line-prefix=text --ita-invisible-in-index -c --cc ' +
  '--combined-all-paths -m --diff-merges=merges-shown --no-diff-merges -t -r';

const REFS =
  '--count=number --sort=git-order --points-at=text --contains?=text --no-contains?=text --merged?=text --no-merged?=text --ignore-case -i --color[=text] --no-color --format=git-format --omit-empty';

const git = (options: string, operands: Spelling['operands'], more: Partial<Spelling> = {}): Spelling => ({
  options,
  operands,
  globs: 'nowhere',
  ...more,
});

/** Revisions, paths, or a path at a revision: which of them they are depends on the repository. */
const THINGS = ['file*'] as const;

/**
 * What of `git` only reads: by the words behind it, longest first, every accepted form. Anything else may write, run what the
 * configuration names, or be an alias.
 */
export const GIT_FORMS: Readonly<Record<string, readonly Spelling[]>> = {
  status: [
    git(
      '-s --short -b --branch --show-stash --porcelain[=text] --long -v --verbose -u[=text] --untracked-files[=text] --ignore-submodules[=submodule-part] ' +
        '--ignored[=text] -z --column[=text] --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=number]',
      THINGS,
    ),
  ],
  diff: [git(`${CHANGES} --cached --staged --merge-base -0 -1 -2 -3 --base --ours --theirs`, THINGS)],
  log: [git(`${COMMITS} ${LOOKS} ${CHANGES} -L=line-range`, THINGS)],
  show: [git(`${COMMITS} ${LOOKS} ${CHANGES}`, THINGS)],
  blame: [
    git(
      '-L=text -l -t -e --show-email -w -M[=number] -C[=number] -s -f --show-name -n --show-number -p --porcelain --line-porcelain --incremental ' +
        '--date=text --since=text --root --show-stats --score-debug --abbrev=number --first-parent --reverse --color-lines --color-by-age --ignore-rev=text ' +
        '--minimal -c -b --progress --no-progress',
      THINGS,
    ),
  ],
  'rev-parse': [
    git(
      '--verify -q --quiet --sq --short[=number] --not --abbrev-ref[=text] --symbolic --symbolic-full-name --all --branches[=text] --tags[=text] ' +
        '--remotes[=text] --glob=text --exclude=text --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir ' +
        '--absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --shared-index-path ' +
        '--resolve-git-dir=tree --git-path=text --show-object-format[=text] --local-env-vars --revs-only --no-revs --flags --no-flags --default=text ' +
        '--since=text --after=text --until=text --before=text --path-format=text --disambiguate=text',
      THINGS,
    ),
  ],
  'ls-files': [
    git(
      '-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u --unmerged -k --killed -z -t -v -f --directory --no-empty-directory ' +
        '-x=text --exclude=text --exclude-standard --error-unmatch --full-name --abbrev[=number] --debug --eol --deduplicate --sparse --resolve-undo ' +
        '-X=file --exclude-from=file --exclude-per-directory=text',
      THINGS,
    ),
  ],
  'ls-tree': [
    git(
      '-d -r -t -l --long -z --name-only --name-status --object-only --abbrev[=number] --full-name --full-tree --format=git-format',
      THINGS,
    ),
  ],
  describe: [
    git(
      '--dirty[=text] --all --tags --contains --abbrev=number --candidates=number --exact-match --long --match=text --exclude=text --always --first-parent',
      ['revision*'],
    ),
  ],
  'merge-base': [git('-a --all --octopus --independent --is-ancestor --fork-point', ['revision*'])],
  shortlog: [git(`${COMMITS} -n --numbered -s --summary -e --email -w[=text] -c --group=text --format=git-format --date=text`, THINGS)],
  'rev-list': [
    git(
      `${COMMITS} ${LOOKS} --count --objects --objects-edge --objects-edge-aggressive --object-names --no-object-names --disk-usage[=text] --timestamp ` +
        '--header --quiet --unpacked --bisect --bisect-vars --bisect-all --no-commit-header --commit-header -z',
      THINGS,
    ),
  ],
  'show-ref': [
    git('--head --heads --branches --tags -d --dereference -s --hash[=number] --verify --abbrev[=number] -q --quiet', ['revision*']),
  ],
  'for-each-ref': [git(`${REFS} -s --shell -p --perl --python --tcl`, ['revision*'])],
  'name-rev': [git('--tags --refs=text --exclude=text --all --name-only --no-undefined --undefined --always', ['revision*'])],
  branch: [
    git(
      `${REFS} --show-current -v --verbose -q --quiet -a --all -r --remotes --list --column[=text] --no-column --abbrev[=number] --no-abbrev`,
      [],
    ),
    git(`${REFS} -v --verbose -a --all -r --remotes --list --column[=text] --no-column --abbrev[=number] --no-abbrev`, ['revision*'], {
      requires: '--list',
    }),
  ],
  tag: [
    git(`${REFS} -l --list -n[=number] --column[=text] --no-column`, []),
    git(`${REFS} -l --list -n[=number] --column[=text] --no-column`, ['revision*'], { requires: '-l --list' }),
  ],
  remote: [git('-v --verbose', [])],
  'remote get-url': [git('--push --all', ['revision'])],
  'stash list': [git(`${COMMITS} ${LOOKS} ${CHANGES}`, [])],
  reflog: [git(`${COMMITS} ${LOOKS} ${CHANGES}`, [])],
  'reflog show': [git(`${COMMITS} ${LOOKS} ${CHANGES}`, THINGS)],
  'reflog exists': [git('', ['revision'])],
  'worktree list': [git('-v --verbose --porcelain -z', [])],
  config: [
    git('-l --list --global --system --local --worktree --show-origin --show-scope --name-only -z --null --includes --no-includes', [], {
      requires: '-l --list',
    }),
    git(
      '--get --global --system --local --worktree --show-origin --show-scope --name-only -z --null --type=text --bool --int --bool-or-int --path ' +
        '--expiry-date --default=text --includes --no-includes',
      ['revision', 'text?'],
      { requires: '--get' },
    ),
  ],
  '--version': [git('--build-options', [])],
  version: [git('--build-options', [])],
};
