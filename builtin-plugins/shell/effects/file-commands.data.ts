import { READING_COMMANDS } from '../read-only/commands.data.ts';
import type { Spelling } from '../read-only/spelling.ts';

/** How a command touches files, by its words. */
export interface FileCommand extends Spelling {
  /** What is read ends up, under its own name, in the folder that is written to. */
  readonly lands?: true;
}

const file = (options: string, operands: Spelling['operands'], more: Partial<FileCommand> = {}): FileCommand => ({
  options,
  operands,
  globs: 'no-options',
  ...more,
});

const TARGET = '-t=write --target-directory=write';
const INTO = { standsForLast: '-t --target-directory', lands: true } as const;
const READING = READING_COMMANDS as Readonly<Record<string, Spelling | undefined>>;

/** A reading command with the options that do more than read. */
const also = (name: string, options: string, operands?: Spelling['operands']): FileCommand => {
  const known = READING[name];
  return file(`${known?.options ?? ''} ${options}`, operands ?? known?.operands ?? [], {
    ...(known?.standsForFirst !== undefined && { standsForFirst: known.standsForFirst }),
    ...(known?.deepens !== undefined && { deepens: known.deepens }),
    ...(known?.unnamed !== undefined && { unnamed: known.unnamed }),
  });
};

/** The commands that a person who lets edits through lets through as well, if every place they touch is one for edits (statement 44). */
export const EDITING_COMMANDS: Readonly<Record<string, FileCommand>> = {
  mkdir: file('-p --parents -v --verbose -m=text --mode=text', ['write*']),
  touch: file('-a -c --no-create -d=text --date=text -f -h --no-dereference -m -r=file --reference=file -t=text --time=text', ['write*']),
  // Whatever option a glob turns into, it removes nothing that it does not name.
  rm: file(
    '-f --force -i -I --interactive[=text] --one-file-system --preserve-root[=text] -r -R --recursive -d --dir -v --verbose',
    ['remove*'],
    { globs: 'anywhere' },
  ),
  rmdir: file('-p --parents -v --verbose --ignore-fail-on-non-empty', ['remove-itself*']),
  mv: file(
    `-f --force -i --interactive -n --no-clobber -u --update[=text] -v --verbose -T --no-target-directory --strip-trailing-slashes ${TARGET}`,
    ['edit*', 'write'],
    INTO,
  ),
  cp: file(
    '-a --archive -d -f --force -i --interactive -n --no-clobber -P --no-dereference -p --preserve[=text] --no-preserve=text -R -r --recursive ' +
      `--reflink[=text] --sparse=text -T --no-target-directory -u --update[=text] -v --verbose -x --one-file-system --strip-trailing-slashes --remove-destination ${TARGET}`,
    ['file*', 'write'],
    { ...INTO, deepens: '-a --archive -R -r --recursive' },
  ),
  sed: also('sed', '-i[=suffix] --in-place[=suffix]', ['sed-script', 'edit*']),
};

const READ = file('', ['file*']);
const READ_MORE = file('-n=number -p=text -t=text -x=text -s=number -l=number -w=number -o=text -e=text -b=text', ['file*']);
const REPLACE = file('-S=text --suffix=text -T=number --threads=number -b=number', ['edit*']);
const WRITE = file('', ['write*']);
const OWNER = file('--reference=file -R --recursive', ['text', 'write-below*'], { standsForFirst: '--reference' });
const SEARCH = file('-e=text -A=number -B=number -C=number -g=text -G=text -t=text -T=text -d=number -E=text', ['text', 'tree*'], {
  unnamed: 'here',
});
const AWK = file(
  '-F=text -v=text -f=file --file=file -i=text --include=text -o[=write] -p[=write] -d[=write] --field-separator=text --assign=text',
  ['text', 'file*'],
  {
    standsForFirst: '-f --file',
  },
);
const EDITOR = file('-c=text --cmd=text -S=file -s=file -u=file -w=write -W=write', ['edit*']);
const LINKING = file(`-b -f -i -n -r -s -v -L -P -T -S=text ${TARGET}`, ['file*', 'write'], INTO);
const SHREDDING = file('-n=number --iterations=number -s=text --size=text --random-source=file -f -u -v -x -z', ['write*']);

const IN_PLACE = '-i --include --inplace --in-place';
const SCRIPT = file('-i[=text] -e=text -E=text -I=text -M=text -m=text -r=text', ['text', 'edit*'], {
  requires: '-i',
  standsForFirst: '-e -E',
});

/** Commands that write to what they read, if one of their options says so. */
export const IN_PLACE_COMMANDS: Readonly<Record<string, FileCommand>> = {
  sed: {
    ...also('sed', '-i[=suffix] --in-place[=suffix] -f=file --file=file', ['sed-script', 'edit*']),
    requires: IN_PLACE,
    standsForFirst: '-e --expression -f --file',
  },
  awk: { ...AWK, operands: ['text', 'edit*'], requires: IN_PLACE },
  gawk: { ...AWK, operands: ['text', 'edit*'], requires: IN_PLACE },
  perl: SCRIPT,
  ruby: SCRIPT,
};

/** Other commands whose words name files. Here nothing is accepted: it says what of them is a file, as far as their words tell. */
export const FILE_COMMANDS: Readonly<Record<string, FileCommand>> = {
  sort: also('sort', '-o=write --output=write -T=write --temporary-directory=write --files0-from=file --compress-program=text'),
  uniq: also('uniq', '', ['file?', 'write?']),
  tree: also('tree', '-o=write --output=write --fromfile -l -R'),
  sed: also('sed', '-f=file --file=file'),
  file: also('file', '-f=file --files-from=file -m=text --magic-file=text'),
  wc: also('wc', '--files0-from=file'),
  du: also('du', '--files0-from=file -L --dereference -D -H'),
  grep: also('grep', '-R --dereference-recursive -d=text --directories=text'),
  base64: also('base64', '-o=write --output=write -i=file --input=file', ['file*']),
  date: also('date', '-r=file --reference=file -f=file --file=file -s=text -d=text'),
  jq: also('jq', '-f=file --from-file=file -L=tree'),
  less: file('-o=write -O=write --log-file=write -k=file -T=file -t=text -p=text -P=text -x=text -j=text -z=number -b=number', ['file*']),
  more: READ,
  most: READ,
  bat: READ_MORE,
  batcat: READ_MORE,
  strings: READ_MORE,
  zcat: READ,
  bzcat: READ,
  xzcat: READ,
  zgrep: file('-e=text -f=file -A=number -B=number -C=number -m=number', ['text', 'file*'], { standsForFirst: '-e -f' }),
  pr: READ_MORE,
  expand: READ,
  unexpand: READ,
  cksum: READ,
  sum: READ,
  b2sum: READ,
  base32: READ,
  look: file('', ['text', 'file?']),
  sdiff: file('-o=write --output=write', ['tree*']),
  diff3: READ,
  shuf: file('-o=write --output=write -n=number -i=text --random-source=file', ['file*']),
  xxd: file('-s=text -l=number -c=number -g=number -o=text -n=text', ['file?', 'write?']),
  iconv: file('-f=text -t=text -o=write --output=write', ['file*']),
  split: file('-a=number -b=text -C=text -l=number -n=text --filter=text --additional-suffix=text', ['file?', 'write?']),
  yq: file('-i --inplace -o=text -p=text -s=text', ['text', 'edit*']),
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  source: READ,
  '.': READ,
  ag: SEARCH,
  ack: SEARCH,
  fd: SEARCH,
  fdfind: SEARCH,
  tee: WRITE,
  truncate: file('-s=text --size=text -r=file --reference=file', ['write*']),
  shred: SHREDDING,
  mkfifo: WRITE,
  mknod: file('-m=text', ['write', 'text*']),
  unlink: file('', ['remove-itself*']),
  link: file('', ['file', 'write']),
  ln: LINKING,
  install: file(`-m=text --mode=text -o=text --owner=text -g=text --group=text -S=text ${TARGET}`, ['file*', 'write'], INTO),
  rsync: file(
    '-e=text --rsh=text --rsync-path=text --exclude=text --include=text --exclude-from=file --include-from=file --files-from=file --password-file=file ' +
      '--backup-dir=write --temp-dir=write -T=write --log-file=write --partial-dir=write --chmod=text --chown=text -f=text --filter=text',
    ['tree*', 'write-below'],
    { lands: true },
  ),
  scp: file('-i=file -F=file -P=number -o=text -c=text -l=number -S=text -J=text', ['tree*', 'write'], { lands: true }),
  patch: file(
    '-o=write --output=write -i=file --input=file -r=write --reject-file=write -d=write-below --directory=write-below -p=number',
    ['write', 'file'],
  ),
  chmod: file('--reference=file -R --recursive', ['text', 'write-below*'], { standsForFirst: '--reference' }),
  chown: OWNER,
  chgrp: OWNER,
  chattr: file('', ['text', 'write*']),
  setfacl: file('-m=text -x=text -M=file', ['write*']),
  gzip: REPLACE,
  gunzip: REPLACE,
  bzip2: REPLACE,
  bunzip2: REPLACE,
  xz: REPLACE,
  unxz: REPLACE,
  zstd: file('-o=write', ['edit*']),
  zip: file('-i=text -x=text -b=write', ['write', 'tree*']),
  unzip: file('-d=write-below -x=text', ['file', 'text*']),
  curl: file(
    '-o=write --output=write --output-dir=write-below -T=file --upload-file=file -K=file --config=file -c=write --cookie-jar=write -b=text --cookie=text ' +
      '-D=write --dump-header=write --trace=write --trace-ascii=write --stderr=write --libcurl=write --etag-save=write --etag-compare=file --hsts=write --alt-svc=write -E=file --cert=file ' +
      '--key=file --cacert=file --netrc-file=file -d=text --data=text --data-binary=text --data-raw=text --data-urlencode=text --json=text -F=text --form=text ' +
      '-H=text --header=text -X=text --request=text -A=text --user-agent=text -e=text --referer=text -u=text --user=text -m=number --max-time=number ' +
      '-x=text --proxy=text -w=text --write-out=text -r=text --range=text --url=text --connect-timeout=number --retry=number --resolve=text',
    ['text*'],
  ),
  wget: file(
    '-O=write --output-document=write -P=write-below --directory-prefix=write-below -o=write --output-file=write -a=write --append-output=write -i=file ' +
      '--input-file=file --post-file=file --body-file=file --load-cookies=file --save-cookies=write --warc-file=write --config=file --header=text --post-data=text ' +
      '--user=text --password=text -U=text --user-agent=text -t=number -T=number -e=text --use-askpass=text',
    ['text*'],
  ),
  vim: EDITOR,
  vi: EDITOR,
  nvim: EDITOR,
  ex: EDITOR,
  ed: EDITOR,
  nano: EDITOR,
  emacs: EDITOR,
  sqlite3: file('-cmd=text -init=file', ['edit', 'text*']),
  wipefs: WRITE,
  mkswap: WRITE,
  blkdiscard: WRITE,
  fdisk: WRITE,
  sfdisk: WRITE,
  cfdisk: WRITE,
  sgdisk: WRITE,
  gdisk: WRITE,
  parted: file('', ['write', 'text*']),
  badblocks: WRITE,
  hdparm: WRITE,
};
