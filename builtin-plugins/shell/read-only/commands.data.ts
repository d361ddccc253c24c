import type { Spelling } from './spelling.ts';

/** Every option of theirs only reads, so a glob may stand for operands. */
const plain = (options: string, operands: Spelling['operands'], more: Partial<Spelling> = {}): Spelling => ({
  options,
  operands,
  globs: 'anywhere',
  ...more,
});

/** Some options of theirs write or run something, so nothing may stand there that could turn into one. */
const strict = (options: string, operands: Spelling['operands'], more: Partial<Spelling> = {}): Spelling => ({
  options,
  operands,
  globs: 'nowhere',
  ...more,
});

const text = (options: string) => plain(options, ['file*']);
const CHECKSUM = plain('-b --binary -t --text --tag -z --zero', ['file*']);
const GREP = plain(
  '-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -e=text --regexp=text -f=file --file=file -i -y --ignore-case --no-ignore-case ' +
    '-w --word-regexp -x --line-regexp -z --null-data -s --no-messages -v --invert-match -V -m=number --max-count=number -b --byte-offset -n ' +
    '--line-number --line-buffered -H --with-filename -h --no-filename --label=text -o --only-matching -q --quiet --silent --binary-files=text -a ' +
    '--text -I -D=text --devices=text -r --recursive --include=text --exclude=text --exclude-from=file --exclude-dir=text -L --files-without-match ' +
    '-l --files-with-matches -c --count -T --initial-tab -Z --null -A=number --after-context=number -B=number --before-context=number -C=number ' +
    '--context=number -# --group-separator=text --no-group-separator --color[=text] --colour[=text] -U --binary -u',
  ['text', 'file*'],
  { standsForFirst: '-e --regexp -f --file', deepens: '-r --recursive', unnamed: 'here-if-deep' },
);

/**
 * The commands that only read, as long as their words are spelt like this (permissions.md, statements 34 to 36). What follows links
 * out of a folder, takes names from a file, writes, or runs a program is not here. `--help` and `--version` are accepted everywhere.
 */
export const READING_COMMANDS: Readonly<Record<string, Spelling>> = {
  ls: plain(
    '-a --all -A --almost-all --author -b --escape --block-size=text -B --ignore-backups -c -C --color[=text] -d --directory -D --dired -f -F ' +
      '--classify[=text] --file-type --format=text --full-time -g --group-directories-first -G --no-group -h --human-readable --si ' +
      '-H --dereference-command-line --dereference-command-line-symlink-to-dir --hide=text --hyperlink[=text] --indicator-style=text -i --inode -I=text ' +
      '--ignore=text -k --kibibytes -l -m -n --numeric-uid-gid -N --literal -o -p -q --hide-control-chars --show-control-chars -Q --quote-name ' +
      '--quoting-style=text -r --reverse -R --recursive -s --size -S --sort=text --time=text --time-style=text -t -T=number --tabsize=number -u -U -v ' +
      '-w=number --width=number -x -X -Z --context --zero -1',
    ['file*'],
    { deepens: '-R --recursive', unnamed: 'here-if-deep' },
  ),
  cat: text(
    '-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T --show-tabs -u -v --show-nonprinting',
  ),
  head: text('-c=number --bytes=number -n=number --lines=number -# -q --quiet --silent -v --verbose -z --zero-terminated'),
  tail: text(
    '-c=number --bytes=number -n=number --lines=number -# -f --follow[=text] -F --max-unchanged-stats=number --pid=number -q --quiet --silent --retry ' +
      '-s=number --sleep-interval=number -v --verbose -z --zero-terminated -r',
  ),
  wc: text('-c --bytes -m --chars -l --lines -L --max-line-length -w --words --total=text'),
  stat: text('-L --dereference -f --file-system --cached=text -c=text --format=text --printf=text -t --terse -x'),
  du: plain(
    '-0 --null -a --all --apparent-size -B=text --block-size=text -b --bytes -c --total -d=number --max-depth=number -h --human-readable --inodes -k ' +
      '-l --count-links -m -P --no-dereference -S --separate-dirs --si -s --summarize -t=number --threshold=number --time[=text] --time-style=text ' +
      '-X=file --exclude-from=file --exclude=text -x --one-file-system',
    ['tree*'],
    { unnamed: 'here' },
  ),
  df: text(
    '-a --all -B=text --block-size=text -h --human-readable -H --si -i --inodes -k -l --local -m --no-sync --output[=text] -P --portability --total ' +
      '-t=text --type=text -T --print-type -x=text --exclude-type=text -v',
  ),
  cut: text(
    '-b=text --bytes=text -c=text --characters=text -d=text --delimiter=text -f=text --fields=text -n --complement -s --only-delimited ' +
      '--output-delimiter=text -z --zero-terminated',
  ),
  tr: plain('-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1', ['text', 'text?']),
  nl: text(
    '-b=text --body-numbering=text -d=text --section-delimiter=text -f=text --footer-numbering=text -h=text --header-numbering=text -i=number ' +
      '--line-increment=number -l=number --join-blank-lines=number -n=text --number-format=text -p --no-renumber -s=text --number-separator=text ' +
      '-v=number --starting-line-number=number -w=number --number-width=number',
  ),
  basename: plain('-a --multiple -s=text --suffix=text -z --zero', ['shown*']),
  dirname: plain('-z --zero', ['shown*']),
  realpath: text(
    '-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q --quiet --relative-to=file --relative-base=file -s --strip ' +
      '--no-symlinks -z --zero',
  ),
  readlink: text(
    '-f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n --no-newline -q --quiet -s --silent -v --verbose -z --zero',
  ),
  tac: text('-b --before -r --regex -s=text --separator=text'),
  rev: text(''),
  od: text(
    '-A=text --address-radix=text --endian=text -j=number --skip-bytes=number -N=number --read-bytes=number -S=number --strings[=number] -t=text ' +
      '--format=text -v --output-duplicates -w[=number] --width[=number] -a -b -c -d -f -i -l -o -s -x',
  ),
  hexdump: text(
    '-b --one-byte-octal -c --one-byte-char -C --canonical -d --two-bytes-decimal -o --two-bytes-octal -x --two-bytes-hex -L[=text] --color[=text] ' +
      '-e=text --format=text -f=file --format-file=file -n=number --length=number -s=number --skip=number -v --no-squeezing',
  ),
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha224sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha384sum: CHECKSUM,
  sha512sum: CHECKSUM,
  cmp: plain('-b --print-bytes -i=number --ignore-initial=number -l --verbose -n=number --bytes=number -s --quiet --silent -v', [
    'file',
    'file',
    'number?',
    'number?',
  ]),
  diff: plain(
    '--normal -q --brief -s --report-identical-files -c -C=number --context[=number] -u -U=number --unified[=number] -# -e --ed -n --rcs -y ' +
      '--side-by-side -W=number --width=number --left-column --suppress-common-lines -p --show-c-function -F=text --show-function-line=text --label=text ' +
      '-t --expand-tabs -T --initial-tab --tabsize=number --suppress-blank-empty -r --recursive --no-dereference -N --new-file ' +
      '--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case -x=text --exclude=text -X=file --exclude-from=file -S=text ' +
      '--starting-file=text --from-file=linked-tree --to-file=linked-tree -i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b ' +
      '--ignore-space-change -w --ignore-all-space -B --ignore-blank-lines -I=text --ignore-matching-lines=text -a --text --strip-trailing-cr -D=text ' +
      '--ifdef=text --line-format=text --old-line-format=text --new-line-format=text --unchanged-line-format=text --old-group-format=text ' +
      '--new-group-format=text --changed-group-format=text --unchanged-group-format=text -d --minimal --horizon-lines=number --speed-large-files ' +
      '--color[=text] --palette=text -v',
    // Of two folders it reads what lies in them, behind links too.
    ['linked-tree*'],
  ),
  comm: text('-1 -2 -3 --check-order --nocheck-order --output-delimiter=text --total -z --zero-terminated'),
  paste: text('-d=text --delimiters=text -s --serial -z --zero-terminated'),
  fold: text('-b --bytes -s --spaces -w=number --width=number -#'),
  fmt: text(
    '-c --crown-margin -p=text --prefix=text -s --split-only -t --tagged-paragraph -u --uniform-spacing -w=number --width=number -g=number --goal=number -#',
  ),
  column: text(
    '-t --table -n=text --table-name=text -O=text --table-order=text -N=text --table-columns=text -l=number --table-columns-limit=number -E=text ' +
      '--table-noextreme=text -d --table-noheadings -e --table-header-repeat -H=text --table-hide=text -R=text --table-right=text -T=text ' +
      '--table-truncate=text -W=text --table-wrap=text -L --keep-empty-lines -J --json -r=text --tree=text -i=text --tree-id=text -p=text ' +
      '--tree-parent=text -c=number --output-width=number -o=text --output-separator=text -s=text --separator=text -x --fillrows',
  ),
  join: text(
    '-a=number -e=text -i --ignore-case -j=number -o=text -t=text -v=number -1=number -2=number --check-order --nocheck-order --header -z --zero-terminated',
  ),
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  jq: plain(
    '-c --compact-output -n --null-input -e --exit-status -s --slurp -r --raw-output -j --join-output -R --raw-input -C --color-output -M ' +
      '--monochrome-output -S --sort-keys -a --ascii-output --tab --indent=number --unbuffered --stream --stream-errors --seq --raw-output0 ' +
      '--arg~text,text --argjson~text,text --slurpfile~text,file --rawfile~text,file --args --jsonargs -h',
    ['jq-filter', 'file*'],
  ),
  echo: plain('', ['shown*'], { noOptions: true }),
  printf: plain('', ['printf-format', 'shown*']),
  true: plain('', ['shown*'], { noOptions: true }),
  false: plain('', ['shown*'], { noOptions: true }),
  ':': plain('', ['shown*'], { noOptions: true }),
  pwd: plain('-L --logical -P --physical', []),
  cd: plain('-L -P -e', ['file']),
  seq: plain('-f=text --format=text -s=text --separator=text -w --equal-width -#', ['number', 'number?', 'number?']),
  sleep: plain('', ['number*']),
  id: plain('-a -Z --context -g --group -G --groups -n --name -r --real -u --user -z --zero', ['text*']),
  whoami: plain('', []),
  uname: plain(
    '-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m --machine -p --processor -i --hardware-platform -o --operating-system',
    [],
  ),
  // With an operand it sets the name of the machine; of a process others would be shown its environment.
  hostname: { options: '', operands: [], globs: 'nowhere', noOptions: true },
  ps: { options: '', operands: [], globs: 'nowhere', noOptions: true },
  which: plain('-a --all -s', ['text*']),
  type: plain('-a -f -p -P -t', ['text*']),
  command: plain('-v -V', ['text*'], { requires: '-v -V' }),
  read: plain('-r', ['fresh-name'], { requires: '-r' }),
  break: plain('', ['number?']),
  continue: plain('', ['number?']),

  sed: strict(
    '-n --quiet --silent -e=sed-script --expression=sed-script -E -r --regexp-extended -s --separate -u --unbuffered -z --null-data -l=number ' +
      '--line-length=number --posix --debug --sandbox',
    ['sed-script', 'file*'],
    { standsForFirst: '-e --expression' },
  ),
  sort: strict(
    '-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i --ignore-nonprinting -M --month-sort -h ' +
      '--human-numeric-sort -n --numeric-sort -R --random-sort --random-source=file -r --reverse --sort=text -V --version-sort --batch-size=number -c ' +
      '--check[=text] -C --debug -k=text --key=text -m --merge -s --stable -S=text --buffer-size=text -t=text --field-separator=text ' +
      '--parallel=number -u --unique -z --zero-terminated',
    ['file*'],
  ),
  rg: strict(
    '-e=text --regexp=text -f=file --file=file -A=number --after-context=number -B=number --before-context=number -C=number --context=number ' +
      '--auto-hybrid-regex -a --text --binary --block-buffered -b --byte-offset -s --case-sensitive --color=text --colors=text --column --no-column ' +
      '--context-separator=text --field-context-separator=text --field-match-separator=text -c --count --count-matches --crlf --debug --trace ' +
      '--dfa-size-limit=text --regex-size-limit=text -E=text --encoding=text --engine=text --files -l --files-with-matches --files-without-match -F ' +
      '--fixed-strings -g=text --glob=text --glob-case-insensitive --iglob=text --heading --no-heading -. --hidden --no-hidden -i --ignore-case ' +
      '--ignore-file=file --include-zero -v --invert-match --json -n --line-number -N --no-line-number --line-buffered -x --line-regexp -M=number ' +
      '--max-columns=number --max-columns-preview -m=number --max-count=number -d=number --max-depth=number --maxdepth=number --max-filesize=text --mmap --no-mmap -U ' +
      '--multiline --multiline-dotall --no-config --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global ' +
      '--no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-messages --no-require-git --no-unicode -0 --null --null-data --one-file-system -o ' +
      '--only-matching --passthru --path-separator=text -P --pcre2 -p --pretty -q --quiet -r=text --replace=text -S --smart-case --sort=text ' +
      '--sortr=text --stats --stop-on-nonmatch -j=number --threads=number --trim -t=text --type=text -T=text --type-not=text --type-list --type-add=text ' +
      '--type-clear=text -u --unrestricted --vimgrep -H --with-filename -I --no-filename -w --word-regexp -V',
    ['text', 'tree*'],
    // `--files` has no pattern, and whatever stands there is a place.
    { standsForFirst: '-e --regexp -f --file --files --type-list', unnamed: 'here' },
  ),
  tree: strict(
    '-a -d -f -i -x -s -h --si --du -D -F -p -u -g -q -N -Q -r -t -c -v -U -A -S -n -C -J -X -L~number -P~text -I~text --gitignore --ignore-case ' +
      '--matchdirs --prune --noreport --dirsfirst --filesfirst --sort=text --charset=text --filelimit~number --timefmt~text --inodes --device --metafirst --nolinks',
    ['tree*'],
    { unnamed: 'here' },
  ),
  file: strict(
    '-b --brief -e=text --exclude=text -F=text --separator=text -i --mime --apple --extension --mime-type --mime-encoding -k --keep-going -L ' +
      '--dereference -h --no-dereference -n --no-buffer -N --no-pad -0 --print0 -r --raw -v',
    ['file*'],
  ),
  date: strict('-u --utc --universal -R --rfc-email -I[=text] --iso-8601[=text]', ['date-format?']),
  uniq: strict(
    '-c --count -d --repeated -D --all-repeated[=text] -f=number --skip-fields=number --group[=text] -i --ignore-case -s=number --skip-chars=number -u ' +
      '--unique -z --zero-terminated -w=number --check-chars=number',
    ['file?'],
  ),
  base64: strict('-d --decode -w=number --wrap=number', ['file?']),
};
