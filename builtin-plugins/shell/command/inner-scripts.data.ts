/** Words of a command that are shell text, or a command, to it. */
export interface InnerScript {
  /** Names of commands, parted by blanks. */
  readonly commands: string;
  /** Options whose value it is, parted by blanks: glued, behind `=`, or the next word. */
  readonly options?: string;
  /** What stands before it within a word or a value. */
  readonly behind?: RegExp;
  /** It is a word of its own, at any place. */
  readonly anywhere?: true;
}

const SSH_COMMANDS = /^\s*(?:Proxy|Local|KnownHosts|Remote)Command[\s=]+/i;
const EDITOR_SHELL = /^\s*:?\d*(?:[rw]\s*)?!\s*|^\s*:?sh(?:ell)?\s+|^.*?\bsystem(?:list)?\((?=["'])/s;

/** What runs what it is told in words of its own. It is for restrictions: nobody is let through by it. */
export const INNER_SCRIPTS: readonly InnerScript[] = [
  { commands: 'tar bsdtar gtar', options: '--to-command --use-compress-program -I --info-script --new-volume-script -F --rsh-command' },
  { commands: 'tar bsdtar gtar', options: '--checkpoint-action', behind: /^exec=/ },
  { commands: 'zip', options: '-TT --unzip-command' },
  { commands: 'rsync', options: '-e --rsh --rsync-path' },
  { commands: 'ssh scp sftp sshfs rsync', options: '-o', behind: SSH_COMMANDS },
  { commands: 'scp sftp', options: '-S' },
  { commands: 'split gsplit', options: '--filter' },
  { commands: 'sort gsort', options: '--compress-program' },
  { commands: 'rg', options: '--pre --hostname-bin' },
  { commands: 'man', options: '-P --pager -H --html' },
  { commands: 'vim vi nvim view ex gvim vimdiff', options: '-c --cmd +', behind: EDITOR_SHELL },
  { commands: 'less more', options: '+', behind: /^\s*!\s*/ },
  {
    commands: 'gdb lldb',
    options: '-ex -eval-command --eval-command -o --one-line',
    behind: /^\s*(?:!|shell\s|(?:platform\s+)?shell\s)\s*/,
  },
  { commands: 'make gmake', anywhere: true, behind: /^(?:SHELL|[A-Z]*CC|MAKE)=/ },
  { commands: 'socat', anywhere: true, behind: /^(?:EXEC|SYSTEM|SHELL):/i },
  { commands: 'nc ncat netcat', options: '-e -c --exec --sh-exec' },
  { commands: 'sqlite3', anywhere: true, behind: /^\s*\.(?:shell|system)\s+/ },
  { commands: 'psql mysql mariadb', anywhere: true, behind: /^.*?\\!\s*/s },
  { commands: 'psql mysql mariadb', options: '-c --command -e --execute', behind: /^.*?\\!\s*/s },
  { commands: 'dc bc ed', options: '-e --expression', behind: /^\s*!\s*/ },
  { commands: 'npx npm', options: '-c --call' },
  { commands: 'hyperfine', anywhere: true },
  { commands: 'expect', options: '-c', behind: /^\s*(?:spawn|exec|system)\s+/ },
  { commands: 'powershell pwsh', options: '-c -Command -command /c' },
  { commands: 'cmd cmd.exe', options: '/c /k /C /K' },
  { commands: 'start-stop-daemon', options: '--exec -x --startas -a' },
  { commands: 'nix-shell', options: '--run --command' },
];

/** Variables whose value programs run. */
export const RUN_BY_PROGRAMS =
  /^(GIT_(PAGER|EDITOR|SEQUENCE_EDITOR|SSH|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|(MAN|SYSTEMD_|DELTA_|BAT_|GH_)?PAGER|(GH_|SUDO_|HG|SVN_)?EDITOR|VISUAL|FCEDIT|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|PS[0124]|BROWSER|GH_BROWSER|SSH_ASKPASS|SUDO_ASKPASS|RSYNC_RSH|CVS_RSH|SVN_SSH|HGEDITOR|TAR_RSH|MAKE|CC|CXX|SHELL)$/;

/** They run a program that is given in words; what it has the system do stands there in quotes. */
export const CODE_RUNNERS =
  'awk gawk mawk nawk perl perl5 python python2 python3 pypy pypy3 node nodejs deno bun ruby php lua luajit osascript emacs tclsh Rscript julia elixir groovy jshell';

/** What in such a program may run a command. */
export const RUNS_COMMAND =
  /system|exec|spawn|popen|subprocess|getline|shell|child_process|\bsh\b|\|&?\s*["']|["']\s*\|&?|`|%x|Open3|\bqx\b|\brun\b/i;
