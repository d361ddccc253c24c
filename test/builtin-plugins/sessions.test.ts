import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'vitest';

import { defineState, textOf, type RunEvent } from 'pegboard';
import { builtinPlugins, findSession, forkSession, listSessions, openSaved, removeSession } from 'pegboard/builtin-plugins';

import { fakeTool } from '../support/fake-tools.ts';
import { beginLongRun, killAndResume } from '../support/kill-and-resume.ts';
import { requestProblems } from '../support/request-problems.ts';
import { scriptedModel, type ScriptedTurn } from '../support/scripted-model.ts';
import { startHost, type StartedHost, type StartOptions } from '../support/start-host.ts';
import { there } from '../support/there.ts';
import { testHome } from './test-home.ts';

const place = testHome();

const counted = defineState('counted', () => ({ calls: 0 }), {
  write: ({ calls }) => calls,
  read: (kept) => ({ calls: Number(kept) }),
});
const Count = fakeTool('Count', {
  isReadOnly: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async (_input, context) => `counted ${++context.state(counted).calls}`,
});

async function start(options: StartOptions = {}): Promise<StartedHost> {
  return place.opened(await startHost({ home: place.home, builtins: builtinPlugins(), tools: [Count], ...options }));
}

async function drain(events: AsyncIterable<RunEvent>): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const CALL_THEN_END: readonly ScriptedTurn[] = [{ calls: [{ name: 'Count' }] }, { text: 'Done.' }];

/** One conversation of one call, written down and closed; gives its id. */
async function keptSession(prompt = 'Count something.'): Promise<string> {
  const { host } = await start({ id: () => `id-${place.count}-${Math.round(performance.now() * 1000)}` });
  const session = host.session();
  await drain(session.run(prompt, { model: scriptedModel(CALL_THEN_END) }));
  await session.close();
  return session.id;
}

const transcriptOf = (id: string) => join(place.home, 'sessions', id, 'transcript.jsonl');

describe('a transcript', () => {
  test('is JSON lines for its owner only, and there is none for a session that asked no model', async () => {
    const { host } = await start();
    await host.call('Count', {});
    await host.session().close();
    assert.deepEqual(await readdir(join(place.home, 'sessions')).catch(() => []), []);
    const id = await keptSession();
    assert.equal((await stat(transcriptOf(id))).mode & 0o777, 0o600);
    const lines = (await readFile(transcriptOf(id), 'utf8')).trimEnd().split('\n');
    const kinds = lines.map((line) => (JSON.parse(line) as { readonly kind: string }).kind);
    assert.equal(kinds[0], 'session');
    assert.deepEqual(
      [...new Set(kinds)].sort(),
      ['call', 'disclosed', 'epoch', 'message', 'request', 'session', 'settled', 'state'].filter((kind) => kinds.includes(kind)),
    );
    assert.equal(kinds.filter((kind) => kind === 'message').length, 4);
  });

  test('M10 a resumed session goes on with its history, its state and its loaded set, byte for byte', async () => {
    const { host } = await start();
    const first = scriptedModel(CALL_THEN_END);
    const session = host.session();
    await drain(session.run('Count something.', { model: first }));
    await session.close();
    const { host: later } = await start();
    const second = scriptedModel([{ calls: [{ name: 'Count' }] }, { text: 'Done again.' }]);
    const resumed = later.session({ saved: await openSaved(place.home, session.id) });
    assert.equal(resumed.id, session.id);
    await drain(resumed.run('Again.', { model: second }));
    const sent = there(second.requests[0]);
    const before = there(first.requests.at(-1));
    assert.equal(JSON.stringify(sent.tools), JSON.stringify(before.tools));
    assert.equal(JSON.stringify(sent.messages.slice(0, before.messages.length)), JSON.stringify(before.messages));
    assert.match(JSON.stringify(there(second.requests[1]).messages.at(-1)), /counted 2/);
  });

  test('whose last line was torn is gone on with, and what comes after stands on lines of its own', async () => {
    const id = await keptSession();
    await appendFile(transcriptOf(id), '{"at":0,"kind":"message","message":{"role":"user","con');
    const saved = await openSaved(place.home, id);
    assert.equal(saved.broken, 1);
    const { host } = await start();
    const model = scriptedModel([{ text: 'Here.' }]);
    const resumed = host.session({ saved });
    await drain(resumed.run('Are you there?', { model }));
    await resumed.close();
    const { system: _empty, maxTokens: max_tokens, ...request } = there(model.requests[0]);
    assert.deepEqual(requestProblems({ ...request, max_tokens, model: 'scripted' }), []);
    assert.equal((await openSaved(place.home, id)).broken, 1);
  });

  test('with lines that are no records is gone on with without them', async () => {
    const id = await keptSession();
    await appendFile(
      transcriptOf(id),
      '{"kind":"message","message":{"role":"user","content":[{"type":"text"}]}}\n{"kind":"settled"}\n[]\nnull\n{"kind":"state"}\n',
    );
    assert.equal((await openSaved(place.home, id)).broken, 5);
  });

  test('that a process writes cannot be gone on with by another one, until that one is gone', async () => {
    const folder = place.folder;
    const running = beginLongRun({ home: place.home, cwd: folder, log: join(folder, 'log'), dump: join(folder, 'dump'), turns: 1_000 });
    const id = await running.id;
    while (!(await listSessions(place.home)).some((session) => session.id === id)) await new Promise((resolve) => setTimeout(resolve, 5));
    await assert.rejects(openSaved(place.home, id), { code: 'SESSION_IN_USE' });
    await assert.rejects(removeSession(place.home, id), { code: 'SESSION_IN_USE' });
    running.kill();
    await running.exit;
    assert.equal((await openSaved(place.home, id)).id, id);
  });
});

describe('after SIGKILL anywhere', () => {
  test.each([3, 9, 17, 30])(
    'a run killed after %i lines of its calls is resumed with a valid history; nothing is started twice, nothing lost',
    async (lines) => {
      const folder = join(place.folder, `killed-${lines}`);
      await mkdir(folder);
      const run = await killAndResume(folder, 6, lines, lines % 4);
      assert.deepEqual({ problems: run.problems, twice: run.twice, lost: run.lost }, { problems: [], twice: [], lost: [] });
      assert.match(run.over, /^over completed/);
    },
  );
});

describe('kept sessions', () => {
  test('are listed with their first words, found by the beginning of their id, and one that is none is named', async () => {
    const id = await keptSession('Tidy the attic.');
    const [session] = await listSessions(place.home);
    assert.deepEqual({ id: session?.id, title: session?.title, agent: session?.agent }, { id, title: 'Tidy the attic.', agent: 'main' });
    assert.equal((await findSession(place.home, id.slice(0, 6))).id, id);
    await assert.rejects(findSession(place.home, 'nothing'), { code: 'SESSION_UNKNOWN' });
    await assert.rejects(findSession(place.home, '../../etc'), { code: 'SESSION_UNKNOWN' });
  });

  test('are forked into a copy that goes its own way', async () => {
    const id = await keptSession();
    const fork = await forkSession(place.home, await findSession(place.home, id), 0);
    const { host } = await start();
    const model = scriptedModel([{ text: 'Elsewhere.' }]);
    const before = await readFile(transcriptOf(id), 'utf8');
    const session = host.session({ saved: await openSaved(place.home, fork) });
    await drain(session.run('Another way.', { model }));
    await session.close();
    assert.match(textOf(there(there(model.requests[0]).messages[0]).content), /Count something/);
    assert.equal(await readFile(transcriptOf(id), 'utf8'), before);
  });

  test('are taken away whole', async () => {
    const id = await keptSession();
    await removeSession(place.home, id);
    assert.deepEqual(await listSessions(place.home), []);
  });

  test('are not kept where the settings say so', async () => {
    const { host } = await start({ pluginOptions: { transcripts: { enabled: false } } });
    await drain(host.run('Count something.', { model: scriptedModel(CALL_THEN_END) }));
    assert.deepEqual(await listSessions(place.home), []);
  });
});
