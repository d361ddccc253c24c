import { appendFile, mkdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from 'pegboard';
import { builtinPlugins, findSession, forkSession, listSessions, openSaved, removeSession } from 'pegboard/builtin-plugins';
import { requestProblems, scriptedModel, startHost, type StartedHost } from 'pegboard/testing';

import { follow, userTexts } from '../core/play.ts';
import { fakeTool } from '../support/fake-tools.ts';
import { testHome } from './test-home.ts';
import { there } from '../support/there.ts';

const Count = fakeTool('Count', {
  isReadOnly: () => true,
  checkPermissions: async () => ({ kind: 'allow', reason: { by: 'tool', detail: 'a test' } }),
  call: async () => 'counted',
});
const place = testHome();

async function start(): Promise<StartedHost> {
  const nth = place.count;
  let ids = 0;
  return place.opened(await startHost({ home: place.home, builtins: builtinPlugins(), tools: [Count], id: () => `id-${nth}-${++ids}` }));
}

async function kept(): Promise<string> {
  const { host } = await start();
  const session = host.session();
  await follow(session, 'Count.', { model: scriptedModel([{ calls: [{ name: 'Count' }] }, { text: 'Done.' }]) });
  await session.close();
  return session.id;
}

const transcriptOf = (id: string) => join(place.home, 'sessions', id, 'transcript.jsonl');
const line = (role: string, ...content: readonly unknown[]) =>
  `${JSON.stringify({ at: 0, kind: 'message', message: { role, content } })}\n`;
const text = (words: string) => ({ type: 'text', text: words });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Count', input: {} });
const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [text('counted')] });

/** Goes on with a session, and what a strict endpoint says of the request. */
async function goOn(
  id: string,
): Promise<{ readonly session: Session; readonly problems: readonly string[]; readonly texts: readonly string[] }> {
  const { host } = await start();
  const session = host.session({ saved: await openSaved(place.home, id) });
  const model = scriptedModel([{ text: 'Here.' }]);
  await follow(session, 'Are you there?', { model });
  const { system: _empty, maxTokens: max_tokens, ...request } = there(model.requests[0]);
  return { session, problems: requestProblems({ ...request, max_tokens, model: 'scripted' }), texts: userTexts(request.messages) };
}

test.each<readonly [string, string]>([
  [
    'an answer of nothing',
    line('assistant') + line('assistant', text('')) + line('assistant', text(' \n'), use('x')) + line('user', answer('x')),
  ],
  ['a message of nothing', line('user') + line('user', text(''))],
  ['blocks of the other side', line('user', use('x')) + line('assistant', answer('x')) + line('assistant', { type: 'image' })],
  ['a result that answers nothing', line('user', answer('nobody')) + line('user', answer('nobody'), text('still here'))],
  ['two results for one call', line('assistant', use('x')) + line('user', answer('x'), answer('x')) + line('user', answer('x'))],
  ['one call twice in one answer', line('assistant', use('x'), use('x')) + line('user', answer('x'))],
  ['one answer twice', line('assistant', use('x')).repeat(2) + line('user', answer('x')).repeat(2)],
  [
    'a call with an old id among new ones',
    line('assistant', use('x')) +
      line('user', answer('x')) +
      line('assistant', use('x'), use('y')) +
      line('user', answer('x'), answer('y')),
  ],
  ['a system message', line('system', text('obey'))],
  ['an answer cut in the middle of a line', line('assistant', text('cut')).slice(0, 40)],
  ['another host’s head', '{"kind":"session","version":1,"id":"other","cwd":"/","agent":"main","at":0}\n'],
])('SCHED-06 a transcript with %s is gone on with, and nothing of it is rewritten', async (_what, lines) => {
  const id = await kept();
  await appendFile(transcriptOf(id), lines);
  const before = await readFile(transcriptOf(id), 'utf8');
  const { problems, texts } = await goOn(id);
  expect(problems).toEqual([]);
  expect(texts.filter((each) => each === 'Count.' || each === 'Are you there?')).toEqual(['Count.', 'Are you there?']);
  expect((await readFile(transcriptOf(id), 'utf8')).startsWith(before)).toBe(true);
});

test('a session that two hosts go on with at once is written by one of them, and the other one says so', async () => {
  const id = await kept();
  const saved = await openSaved(place.home, id);
  const [one, other] = [await start(), await start()];
  const sessions = [one, other].map(({ host }) => host.session({ saved }));
  for (const [at, session] of sessions.entries()) await follow(session, `From ${at}.`, { model: scriptedModel([{ text: 'Yes.' }]) });
  for (const session of sessions) await session.close();
  const reports = [one, other].map(
    ({ events }) => events.filter((event) => event.kind === 'report' && event.message.includes('written down')).length,
  );
  expect(reports).toEqual([0, 1]);
  const { texts, problems } = await goOn(id);
  expect(problems).toEqual([]);
  expect(texts).toContain('From 0.');
  expect(texts).not.toContain('From 1.');
});

test('a fork of a session that is at work has what was written so far, and both go on', async () => {
  const { host } = await start();
  const session = host.session();
  let forked = '';
  const model = scriptedModel([{ calls: [{ name: 'Count' }] }, { text: 'Done.' }]);
  for await (const event of session.run('Count.', { model }))
    if (event.kind === 'tool_result') forked = await forkSession(place.home, await findSession(place.home, session.id), 0);
  await expect(removeSession(place.home, session.id)).rejects.toMatchObject({ code: 'SESSION_IN_USE' });
  await session.close();
  expect((await goOn(forked)).problems).toEqual([]);
  expect((await goOn(session.id)).problems).toEqual([]);
});

test('a session behind a link is taken away without what the link leads to, and what is no file is no session', async () => {
  const id = await kept();
  const outside = join(place.folder, 'outside');
  await rename(join(place.home, 'sessions', id), outside);
  await symlink(outside, join(place.home, 'sessions', id));
  await removeSession(place.home, id);
  expect((await stat(join(outside, 'transcript.jsonl'))).isFile()).toBe(true);
  await mkdir(join(place.home, 'sessions', 'folder', 'transcript.jsonl'), { recursive: true });
  await writeFile(join(place.home, 'sessions', 'stray'), 'no folder');
  expect(await listSessions(place.home)).toEqual([]);
});

test('times that lie in the future or before all time change the order of the list and nothing else', async () => {
  const [one, other] = [await kept(), await kept()];
  await utimes(transcriptOf(one), new Date(4e12), new Date(4e12));
  await utimes(transcriptOf(other), new Date(-1e9), new Date(-1e9));
  expect((await listSessions(place.home)).map(({ id }) => id)).toEqual([one, other]);
  expect((await goOn(other)).problems).toEqual([]);
});

test('STATE-03 an agent has a list of tasks of its own, and so has every session of a host', async () => {
  const { host } = await start();
  const parent = host.session();
  const child = host.session({ agent: 'explore' });
  const add = (session: Session, subject: string) => session.call('TaskCreate', { subject, description: subject });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((subject) => add(parent, subject)));
  await Promise.all(['x', 'y'].map((subject) => add(child, subject)));
  await child.call('TaskUpdate', { taskId: '1', status: 'deleted' });
  await child.close();
  const listed = JSON.stringify((await parent.call('TaskList', {})).result.content);
  expect([...listed.matchAll(/#\d \[pending\] (\w)/g)].map(([, subject]) => subject)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
