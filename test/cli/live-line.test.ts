import assert from 'node:assert/strict';
import { test } from 'vitest';

import { Screen } from '../../cli/screen.ts';
import { fakeTerminal, linesSeen } from './chat-terminal.ts';

test('what takes a moment is said on the last line of the terminal, which anything else that is written takes the place of', async () => {
  const { screen, shows, written } = fakeTerminal();
  screen.busy('Waiting for the answer');
  await shows('… Waiting for the answer');
  await shows('Waiting for the answer (1 s)');
  screen.text('Here it is.');
  await shows('Here it is.');
  assert.deepEqual(linesSeen(written().replaceAll('\x1b[K', '\x1b[J'), 80), ['Here it is.', '']);
  screen.busy(undefined);
});

test('while a person types, nothing is drawn, and after it again', async () => {
  const { screen, shows, written } = fakeTerminal();
  screen.busy('Running it');
  await shows('… Running it');
  const before = written();
  let during = '';
  await screen.still(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    during = written().slice(before.length);
  });
  assert.equal(during, '\r\x1b[K');
  await shows(/Running it[^]*Running it/);
  screen.busy(undefined);
});

test('with --quiet, with --json and where no terminal is, nothing is drawn', async () => {
  const cases = [
    { quiet: true, json: false, isTTY: true },
    { quiet: false, json: true, isTTY: true },
    { quiet: false, json: false, isTTY: false },
  ];
  const opened = cases.map(({ isTTY, ...options }) => {
    const { output, written } = fakeTerminal();
    const screen = new Screen(output, Object.assign(output, { isTTY }));
    screen.configure({ ...options, debug: false });
    screen.busy('Waiting for the answer');
    return { screen, written };
  });
  // It would have been drawn twice by then.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.deepEqual(
    opened.map(({ written }) => written()),
    ['', '', ''],
  );
  for (const { screen } of opened) screen.busy(undefined);
});
