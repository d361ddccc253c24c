import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';

import { displayLines } from '../../cli/render/terminal.ts';
import { tableLines, type Column } from '../../cli/render/table.ts';
import { displayWidth, fitWidth } from '../../cli/render/width.ts';
import { Screen, type Line } from '../../cli/screen.ts';
import { packageFolder, runCli } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let home: TemporaryFolder;
beforeAll(async () => void (home = await temporaryFolder()));
afterAll(() => home.remove());

const longCall = (lines: number) => [
  'tools',
  'call',
  'LongText',
  `lines=${lines}`,
  '--json',
  '--quiet',
  '--plugin-dir',
  `${packageFolder}test/fixtures/plugins/works`,
];

/** A stream that keeps what is written, as a terminal or as a pipe. */
function stream(terminal: { readonly columns: number } | undefined) {
  const written: string[] = [];
  const writable = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(String(chunk)), done()) });
  const isTTY = terminal !== undefined;
  return { stream: Object.assign(writable, { isTTY, ...terminal }) as unknown as NodeJS.WriteStream, text: () => written.join('') };
}

const plain = (lines: readonly Line[]) =>
  lines.map((line) => (typeof line === 'string' ? line : line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')));

/** What our own styles write. */
const OURS = /\u{1b}\[(?:1|2|22|3[0-9])m/gu;
const HOSTILE = 'a\u001b[2Jb\u009b31m c\u0007d\re\u202ef\tg\nh';

test('a long answer reaches a slow reader whole', async () => {
  const child = spawn(process.execPath, [`${packageFolder}dist/cli/main.js`, ...longCall(20_000)], {
    env: { ...process.env, PEGBOARD_HOME: home.path },
  });
  const parts: string[] = [];
  child.stdout.setEncoding('utf8');
  for await (const part of child.stdout as AsyncIterable<string>) {
    parts.push(part);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { content } = JSON.parse(parts.join('')) as { content: readonly { text: string }[] };
  assert.ok(parts.join('').length > 600_000);
  assert.equal(content[0]?.text.split('\n').length, 20_000);
});

test('a reader that has seen enough is no fault: no stack trace, and the command ends', async () => {
  const child = spawn(process.execPath, [`${packageFolder}dist/cli/main.js`, ...longCall(20_000)], {
    env: { ...process.env, PEGBOARD_HOME: home.path },
  });
  const errors: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0);
  assert.doesNotMatch(errors.join(''), /EPIPE|Error|at .*\.js/);
});

test('on a terminal no text from outside carries control sequences', () => {
  const out = stream({ columns: 80 });
  const err = stream({ columns: 80 });
  const screen = new Screen(out.stream, err.stream);
  screen.text(HOSTILE);
  screen.warn([{ text: HOSTILE, style: 'red' }]);
  screen.print(tableLines([{ title: 'name' }], [[HOSTILE]], 80));
  assert.ok(out.text().startsWith('a\\u001b[2Jb\\u009b31m c\\u0007d\\re\\u202ef\tg\nh\n'), JSON.stringify(out.text()));
  const foreign = [out, err].map(({ text }) => stripVTControlCharacters(text()));
  assert.equal(
    foreign
      .join('')
      .match(/\p{Cc}|\u202e/gu)
      ?.filter((control) => control !== '\n' && control !== '\t').length,
    0,
  );
  assert.deepEqual(
    [out, err].map(({ text }) => text().replaceAll(OURS, '').includes('\u001b')),
    [false, false],
  );
});

test('in a pipe a result is what it is, byte for byte, and without colour', () => {
  const out = stream(undefined);
  const screen = new Screen(out.stream, stream(undefined).stream);
  screen.text(HOSTILE);
  screen.print([[{ text: 'bold', style: 'bold' }]]);
  assert.equal(out.text(), `${HOSTILE}\nbold\n`);
});

test('NO_COLOR is honoured on a terminal', () => {
  const before = process.env['NO_COLOR'];
  process.env['NO_COLOR'] = '1';
  try {
    const out = stream({ columns: 80 });
    new Screen(out.stream, stream(undefined).stream).print([[{ text: 'bold', style: 'bold' }]]);
    assert.equal(out.text(), 'bold\n');
  } finally {
    if (before === undefined) delete process.env['NO_COLOR'];
    else process.env['NO_COLOR'] = before;
  }
});

test('a table fits the terminal, wide characters counted as two columns', () => {
  const rows = [
    ['plain', 'a text that is much longer than the terminal is wide, so that it has to be cut somewhere'],
    ['日本語のツール', '中文说明,同样太长,所以也必须在某处截断,否则一行会折成两行,表格就乱了'],
    ['emoji 🎉🎉', 'é combining e\u0301'],
  ];
  const lines = plain(tableLines([{ title: 'name' }, { title: 'hint' }], rows, 40));
  for (const line of lines) assert.ok(displayWidth(line) <= 40, line);
  const starts = lines.map((line) => displayWidth(line.slice(0, line.search(/hint|a text|中文|é/))));
  assert.equal(new Set(starts).size, 1, lines.join('\n'));
  assert.equal(displayWidth('日本語'), 6);
  assert.equal(fitWidth('日本語', 4), '日…');
});

const LEAVING: readonly Column[] = [
  { title: 'name', holds: 'longest' },
  { title: 'source', leaves: { turn: 1, to: 'nowhere' } },
  { title: 'state', leaves: { turn: 3, to: 'below' } },
  { title: 'bytes', align: 'right', leaves: { turn: 2, to: 'nowhere' } },
];
const LONG = 'mcp__everything__get-structured-content';
const ROWS = [
  [LONG, 'mcp__everything', 'deferred', '321'],
  ['Read', 'files', 'loaded', '12'],
];

test.each([
  { width: Number.POSITIVE_INFINITY, head: `name${' '.repeat(37)}source           state     bytes` },
  { width: 64, head: `name${' '.repeat(37)}state     bytes` },
  { width: 50, head: `name${' '.repeat(37)}state` },
  { width: 40, head: 'name' },
])('on $width columns other columns leave, in their turn, before a name is cut', ({ width, head }) => {
  const lines = plain(tableLines(LEAVING, ROWS, width));
  assert.equal(lines[0]?.trimEnd(), head);
  assert.ok(lines.some((line) => line.startsWith(LONG)));
  assert.ok(lines.every((line) => displayWidth(line) <= width));
  assert.match(lines.join('\n'), /Read\s+(files +)?loaded/);
});

test('a name is cut where it would be wider than the terminal, and never where it always holds', () => {
  assert.deepEqual(plain(tableLines(LEAVING, ROWS, 20)), ['name', 'mcp__everything__ge…', '    deferred', 'Read', '    loaded']);
  const always = LEAVING.map((column, at) => (at === 0 ? { ...column, holds: 'always' as const } : column));
  assert.equal(plain(tableLines(always, ROWS, 20))[1]?.trimEnd(), LONG);
});

test('a cell is one line whatever it holds', () => {
  const lines = plain(tableLines([{ title: 'name' }, { title: 'n', align: 'right' }], [['two\nlines\u001b[2J', '7']], 80));
  assert.deepEqual(lines.length, 2);
  assert.match(lines[1] ?? '', /^two\\nlines\\u001b\[2J +7$/);
});

test('M1.6 every word of the display vocabulary has its picture on a terminal', () => {
  const drawn = (display: Parameters<typeof displayLines>[0]) => plain(displayLines(display, 60));
  assert.deepEqual(drawn({ kind: 'text', text: 'a\nb\n' }), ['a', 'b']);
  assert.deepEqual(drawn({ kind: 'markdown', text: '# a' }), ['# a']);
  assert.deepEqual(drawn({ kind: 'markdown', text: '```bash\nls\ncat a\n```' }), ['ls', 'cat a']);
  assert.deepEqual(drawn({ kind: 'markdown', text: '```\na\n```\nb' }), ['```', 'a', '```', 'b']);
  assert.deepEqual(drawn({ kind: 'list', items: ['a', 'b'] }), ['- a', '- b']);
  assert.deepEqual(drawn({ kind: 'table', columns: ['x', 'y'], rows: [['1', '2']] }), ['x  y', '1  2']);
  assert.deepEqual(drawn({ kind: 'diff', path: 'f.txt', before: 'a\nb\nc', after: 'a\nB\nc' }), ['f.txt:2', '- b', '+ B']);
  assert.deepEqual(drawn({ kind: 'image', mediaType: 'image/png', base64: 'AAAA' }), ['[image image/png, 3 bytes]']);
});

test('a JSON answer has no byte more on stdout', async () => {
  const { stdout } = await runCli(longCall(1), { home: home.path });
  assert.deepEqual(`${JSON.stringify(JSON.parse(stdout))}\n`, stdout);
});
