import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { cliPlace, type CliPlace } from './cli-place.ts';

let place: CliPlace;
beforeEach(async () => void (place = await cliPlace()));
afterEach(() => place.temporary.remove());

interface Listed {
  readonly id: string;
  readonly title: string;
}
const run = (...args: string[]) => place.json('run', '--model', 'offline', ...args) as Promise<{ readonly session: string }>;
const list = (...args: string[]) => place.json('sessions', 'list', ...args) as Promise<readonly Listed[]>;

test('run --continue goes on with the last session of the folder, --resume with the one that is named', async () => {
  const { session } = await run('Find files named notes');
  assert.equal((await run('--continue', 'And files named plans')).session, session);
  assert.equal((await run('--resume', session.slice(0, 8), 'And again')).session, session);
  assert.deepEqual(
    (await list()).map(({ id, title }) => ({ id, title })),
    [{ id: session, title: 'Find files named notes' }],
  );
  const { stdout } = await place.pegboard('sessions', 'show', session);
  assert.match(stdout, /> Find files named notes[\s\S]*> And files named plans[\s\S]*> And again/);
});

test('sessions fork, list and remove', async () => {
  const { session } = await run('Find files named notes');
  const { id } = (await place.json('sessions', 'fork', session)) as { readonly id: string };
  assert.deepEqual(new Set((await list()).map((each) => each.id)), new Set([session, id]));
  assert.deepEqual(await place.json('sessions', 'remove', session), { removed: [session] });
  assert.deepEqual(
    (await list('--all')).map((each) => each.id),
    [id],
  );
});

test('a session that nobody knows is named with what is there, and --resume and --continue exclude each other', async () => {
  const unknown = await place.pegboard('run', '--model', 'offline', '--resume', 'nothing', 'Go on');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no one session "nothing".*sessions list/);
  const none = await place.pegboard('run', '--model', 'offline', '--continue', 'Go on');
  assert.equal(none.code, 2);
  assert.match(none.stderr, /is kept; begin one with/);
  assert.equal((await place.pegboard('run', '--model', 'offline', '--continue', '--resume', 'x', 'Go on')).code, 2);
});
