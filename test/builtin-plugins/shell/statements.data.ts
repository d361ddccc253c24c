import type { Mode } from 'pegboard';

type Verdict = 'allow' | 'ask' | 'deny';

/** Commands and how they are judged, by the number of the statement in the permissions' specification that says so. */
export interface Statement {
  readonly number: string;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: Mode;
  readonly links?: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly [Verdict, string])[];
}

/** Commands of one verdict. */
export const rows = (verdict: Verdict, ...commands: readonly string[]) => commands.map((command) => [verdict, command] as const);
/** Where only what restricts is of interest. */
export const wide = { allow: ['Bash(*)'] };

/** How a command is read: one entry, or several, for each. */
export const READING_STATEMENTS: readonly Statement[] = [
  {
    number: '17',
    rows: [...rows('ask', 'ls (', "echo 'a", 'cat <<EOF\nls', `echo ${'$('.repeat(45)}ls${')'.repeat(45)}`), ...rows('allow', 'ls')],
  },
  {
    number: '17',
    deny: ['Bash(curl *)'],
    ...wide,
    rows: rows('deny', "curl a; echo 'b", 'ls ( ; curl a', `curl a; echo ${'b'.repeat(10_001)}`),
  },
  { number: '17', rows: rows('ask', `echo ${'b'.repeat(10_001)}`) },
  {
    number: '18',
    rows: [
      ...rows(
        'ask',
        'ls\r',
        'echo "a\u00a0b"',
        "echo '\u200b'",
        'echo "\u202e"',
        'echo "\u2028"',
        'echo "\u{e0041}"',
        'ls\u0007',
        `ls${' '.repeat(120)}-l`,
      ),
      ...rows('allow', 'echo "grüße 漢字 🙂"', 'ls\t-l'),
    ],
  },
  {
    number: '19',
    deny: ['Bash(curl *)'],
    ...wide,
    rows: rows(
      'deny',
      ...['ls && curl a', 'ls & curl a', 'ls |& curl a', '(curl a)', '{ curl a; }', 'if curl a; then ls; fi', 'while curl a; do ls; done'],
      ...['for i in $(curl a); do ls; done', 'case x in x) curl a;; esac', 'f() { curl a; }', 'time curl a', '! curl a', 'cat <(curl a)'],
      ...[
        'X=$(curl a) ls',
        'ls > "$(curl a)"',
        'cat <<< "$(curl a)"',
        'cat <<E\n$(curl a)\nE',
        'echo ${x:-$(curl a)}',
        'echo $(( $(curl a) ))',
      ],
      ...['[[ -n $(curl a) ]]', 'case $(curl a) in *) ls;; esac', 'coproc curl a', 'ls\ncurl a'],
    ),
  },
  {
    number: '20',
    deny: ['Bash(curl *)'],
    ...wide,
    rows: [
      ...rows('allow', "cat <<'E'\n$(curl a)\nE", 'cat <<\\E\n$(curl a)\nE', "cat <<'E'F\n$(curl a)\nEF", "ls # 'it\nls", 'ls # curl a'),
      ...rows('deny', "cat <<'E'\nx\nE\ncurl a", 'cu\\\nrl a', 'echo $\\\n(curl a)', "ls # it's\ncurl a", 'ls # \\\ncurl a'),
    ],
  },
  { number: '21', deny: ['Bash(rm *)'], ...wide, rows: rows('deny', "'r'm a", 'r\\m a', "$'\\x72m' a", '"rm" a', "r''m a") },
  { number: '21', rows: rows('allow', "'l's", "$'\\x6cs'", 'c\\at a') },
  { number: '22', rows: rows('ask', '$X a', '$(echo ls)', '{ls,-l}', 'l?', '~/ls', '=ls', './ls', '/tmp/ls') },
  { number: '22', deny: ['Bash(rm *)'], ...wide, rows: rows('deny', '/bin/rm a', './rm a') },
  {
    number: '23',
    rows: rows(
      'ask',
      ...[
        'echo "${x@P}"',
        'echo ${!x}',
        'echo ${x=a}',
        'echo ${x:=a}',
        'echo ${x[y]}',
        '(( a = b ))',
        'let a=b',
        '[[ x -eq y ]]',
        '[ -v x ]',
        'eval ls',
      ],
      ...[
        'source a',
        '. a',
        'exec ls',
        "trap 'ls' EXIT",
        'coproc ls',
        'alias a=b',
        'f() { ls; }',
        'export A=b',
        'declare A=b',
        'set -x',
        'shopt -s x',
      ],
      ...[
        'enable -f a b',
        'hash -p a b',
        'mapfile -C ls',
        'printf -v a b',
        'PATH=a',
        'history',
        'fc',
        'local a',
        'readonly a=b',
        'complete -C a b',
      ],
    ),
  },
  {
    number: '24',
    rows: [
      ...rows('allow', 'for x in src; do cat "$x/a"; done', 'for f in *.ts; do cat "$f"; done', 'echo "$UNKNOWN"', 'cat "$PWD/a"'),
      ...rows('ask', 'cat "$X"', 'cat $HOME/a', 'sort $X', 'cat ~/a', 'find $X'),
    ],
  },
  {
    number: '24',
    deny: ['Read(./.env)'],
    ...wide,
    rows: rows('deny', 'x=.env; cat $x', 'x=.e; cat "$x"nv', 'for f in .env; do cat $f; done'),
  },
  {
    number: '25',
    rows: [
      ...rows('allow', 'cd src && cat ../a'),
      ...rows('ask', 'cd src && cat ../../a', 'cd "$X" && cat a', 'pushd .. && cat a', 'cd ..; cat a'),
    ],
  },
  {
    number: '26',
    deny: ['Bash(curl *)'],
    ...wide,
    rows: [...rows('deny', `${'ls; '.repeat(120)}curl a`), ...rows('allow', `${'ls; '.repeat(120)}ls`)],
  },
  {
    number: '27',
    allow: ['Bash(*)', 'Edit(./out/**)'],
    deny: ['Edit(./fixed/**)'],
    rows: [
      ...rows('allow', 'ls > out/a', 'ls >> out/a', 'ls &> out/a', '{ ls; } > out/a'),
      ...rows(
        'ask',
        'ls > a',
        'ls > ../a',
        'ls > ~/a',
        'ls > out/*',
        'ls > "$X"',
        'ls {fd}> out/a',
        'ls > .git/config',
        'ls >& a',
        'ls <> a',
      ),
      ...rows('deny', 'ls > fixed/a', 'ls >| fixed/a', '( ls ) 2> fixed/a', 'ls &>> fixed/a'),
    ],
  },
  { number: '27', mode: 'acceptEdits', rows: [...rows('allow', 'ls > a'), ...rows('ask', 'ls > ../a', 'ls > .bashrc')] },
  {
    number: '28',
    rows: [
      ...rows('allow', 'ls > /dev/null', 'ls 2>&1', 'ls 2>&-', 'ls 2>&1-'),
      ...rows('ask', 'find . 2>&--delete', 'ls >&-a', 'ls <&1a'),
    ],
  },
  { number: '29', rows: [...rows('ask', 'cat < /dev/tcp/a/1', 'ls > /dev/udp/a/1', 'cat < /etc/passwd'), ...rows('allow', 'cat < a')] },
  { number: '29', deny: ['Read(./a)'], rows: rows('deny', 'cat < a', 'wc < src/../a') },
];
