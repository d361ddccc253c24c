import { describe, expect, test } from 'vitest';

import { analyseCommand } from '../../../builtin-plugins/shell/command/analyse.ts';
import type { Member, Word } from '../../../builtin-plugins/shell/command/member.ts';

const shown = (word: Word | undefined): string => {
  if (word === undefined) return '';
  if (word.kind === 'text') return word.text;
  return word.kind === 'names' ? `<${word.patterns.join('|')}>` : `${word.prefix}?`;
};
const line = ({ name, args }: Member) => [...(name === undefined ? [] : [name]), ...args].map(shown).join(' ');
const analysed = (source: string) => analyseCommand(source, { directory: '/repo/app', home: '/home/someone' });
const open = (source: string) => analysed(source).members.filter(({ standing }) => standing === 'open');

describe('M5.1 every simple command is found, wherever it stands', () => {
  test.each([
    ['a && b || c; d & e | f |& g\nh', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['(a; { b; })', ['a', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['case $(a) in $(b)) c;; esac', ['a', 'b', 'c']],
    ['x "$(a "$(b)")" `c` <(d) >(e)', ['b', 'a ?', 'c', 'd', 'e', 'x ? ? /dev/null /dev/null']],
    ['x > $(a) <<< "$(b)"', ['a', 'b', 'x']],
    ['cat <<E\n$(a) `b`\nE\nc', ['a', 'b', 'cat', 'c']],
    ["cat <<'E'\n$(a)\nE\nc", ['cat', 'c']],
    ['X=$(a) b ${c:-$(d)}', ['a', 'd', 'b ?']],
    ['for i in $(a); do b; done', ['a', 'b']],
    ['! a; time -p b', ['a', 'b']],
    ['a # b; c\nd', ['a', 'd']],
  ])('%j', (source, lines) => expect(open(source).map(line)).toEqual(lines));
});

describe('M5.1 words are decoded, and what is not certain is said to be unknown', () => {
  test.each([
    ['r\\m \'a b\' "c"d $\'\\x65\\146\' $"g"', 'rm a b cd ef g'],
    ['a ~/x $HOME ${PWD}/y ~root', 'a /home/someone/x /home/someone /repo/app/y ?'],
    ['a {b,c}d *.ts "*" \\*', 'a bd cd <*.ts> * *'],
    ['a $X "p$X" --o=$X', 'a ? p? --o=?'],
    ['X=1; a $X "$X" $Y', 'a 1 1 ?'],
    ['X="1 2"; a $X "$X"', 'a ? 1 2'],
    ['true && X=1 || X=2; a $X', 'a ?'],
    ['(X=1); a "$X"', 'a ?'],
    ['for i in b c; do a "$i"; done', 'a <b|c>'],
    ['timeout -k 1 5 nice -n 3 command a b', 'a b'],
    ['timeout --unknown 5 a b', 'timeout --unknown 5 a b'],
    ['xargs a', 'a ?'],
  ])('%j', (source, last) => expect(line(open(source).at(-1) as Member)).toBe(last));
});

describe('M5.1 the folder is tracked', () => {
  const folders = (source: string) =>
    analysed(source)
      .members.filter((member) => line(member) === 'a')
      .map(({ directory, standing }) => `${standing} ${directory.kind === 'known' ? directory.path : '?'}`);
  test.each([
    ['cd x && a', ['open /repo/app/x']],
    ['cd x; a', ['open /repo/app/x', 'hidden /repo/app']],
    ['(cd x); a', ['open /repo/app']],
    ['cd x | a', ['open /repo/app']],
    ['cd "$X" && a', ['open ?']],
    ['cd "$X" && cd /y && a', ['open /y']],
    ['cd && a', ['open /home/someone']],
    ['cd - && a', ['open ?']],
    ['CDPATH=/z; cd x && a', ['open ?']],
    ['while b; do a; cd ..; done', ['open ?']],
    ['eval b; a', ['open ?', 'hidden /repo/app']],
  ])('%j', (source, expected) => expect(folders(source)).toEqual(expected));
});

describe('M5.1 what another command may run restricts', () => {
  const hidden = (source: string) => analysed(source).members.flatMap((member) => (member.standing === 'hidden' ? [line(member)] : []));
  test.each([
    ['sudo -u root a b', 'a b'],
    ['env X=1 a', 'a'],
    ["bash -xc 'a; b'", 'b'],
    ['eval "a" b', 'a b'],
    ["trap 'a' EXIT", 'a'],
    ['flock /l a', 'a'],
    ['find . -exec a {} +', 'a ?'],
    ['fd -x a', 'a'],
    ["env -S 'a b'", 'a b'],
    ['x | sh', '?'],
    ['sh <<E\na\nE', 'a'],
    ['sudo env nice a', 'a'],
  ])('%j', (source, expected) => expect(hidden(source)).toContain(expected));
});

describe('M5.1 what cannot be trusted is said to be so', () => {
  test.each([
    'a (b',
    'a "',
    'a $(',
    'cat <<E\nx',
    'a\u0007',
    'a\r\nb',
    'a\u00a0b',
    'a\u202eb',
    'a\u{e0041}',
    'a >&-b',
    `a ${'x'.repeat(10_001)}`,
  ])('%j', (source) => expect(analysed(source).problems).not.toEqual([]));
  test.each(['echo "é 日本 🙂 👩🏽‍💻"', 'a 2>&1 3>&- 4<&5-', 'a\tb'])('%j is fine', (source) => expect(analysed(source).problems).toEqual([]));
  test('never throws, however deep', () => {
    for (const source of ['('.repeat(9_000), '$('.repeat(4_000), '`'.repeat(9_001), '"$('.repeat(3_000)])
      expect(analysed(source).problems).not.toEqual([]);
  });
});
