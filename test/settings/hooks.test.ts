import { afterEach, beforeEach, expect, test } from 'vitest';

import { settingsPlace, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

const group = (command: string) => ({ hooks: [{ type: 'command', command }] });

test('M13.1 hooks of a project count once it is trusted, and what becomes of failures is never for a project to say', async () => {
  await place.put('.pegboard/settings.json', { hooks: { Stop: [group('project')], onFailure: 'open' }, disableAllHooks: true });
  expect((await place.read()).values['hooks']).toBeUndefined();
  await place.trust.accept(place.project);
  const { values } = await place.read();
  expect(values['hooks']).toEqual({ Stop: [group('project')] });
  expect(values['disableAllHooks']).toBeUndefined();
});

test('M13.1 hooks of several files add up, the highest layer first', async () => {
  await place.trust.accept(place.project);
  await place.put('.pegboard/settings.local.json', { hooks: { Stop: [group('own')] } });
  await place.put('.pegboard/settings.json', { hooks: { Stop: [group('project')], SessionEnd: [group('end')] } });
  await place.put('.claude/settings.json', { hooks: { Stop: [group('claude')] } });
  expect((await place.read()).values['hooks']).toEqual({
    Stop: [group('own'), group('project'), group('claude')],
    SessionEnd: [group('end')],
  });
});
