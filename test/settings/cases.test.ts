import { definePlugin } from 'pegboard';
import { listedSources } from 'pegboard/mcp';
import { stopsHeadless } from 'pegboard/settings';
import { startHost } from 'pegboard/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';

import { settingsPlace, type Place } from './fixture.ts';

let place: Place;
beforeEach(async () => {
  place = await settingsPlace();
});
afterEach(() => place.folder.remove());

/** A host whose tools are those of two servers, and whose rules are those of the settings. */
async function hostOf() {
  const { rules } = await place.read();
  const listed = (server: string, ...names: readonly string[]) => ({
    server,
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
  });
  const sets = listedSources([listed('kb', 'get_page', 'del'), listed('kb2', 'get_page')]);
  const servers = definePlugin({
    name: 'servers',
    setup: (scope) => {
      for (const { owner, names: _names, ...set } of sets) scope.provideFrom(owner, set);
    },
  });
  const started = await startHost({ tools: [], plugins: [servers], turn: () => ({ rules }) });
  onTestFinished(started.stop);
  return async (tool: string) => (await started.host.explain(tool, {})).decision.kind;
}

test.each([
  ['mcp__kb__*', ['allow', 'allow', 'ask']],
  ['mcp__kb', ['allow', 'allow', 'ask']],
  ['mcp__kb__get*', ['allow', 'ask', 'ask']],
])('PERM-07 the allow rule %s covers the tools of its server that it names, and no other server', async (rule, expected) => {
  await place.putHome('settings.json', { permissions: { allow: [rule] } });
  const decide = await hostOf();
  const decided = ['mcp__kb__get_page', 'mcp__kb__del', 'mcp__kb2__get_page'].map(decide);
  expect(await Promise.all(decided)).toEqual(expected);
});

test('PERM-08 each rule that cannot be used is told with its line and why, and those beside it count', async () => {
  await place.putHome('settings.json', '{ "permissions": { "allow": [\n"mcp__*",\n"Bash(",\n"Nope(x",\n"mcp__kb__get_page"] } }');
  const { problems } = await place.read();
  expect(problems.map(({ error, place: { line } }) => [line, error.message.replace(/^.*?: /, '')])).toEqual([
    [2, expect.stringMatching(/^the allow rule "mcp__\*" is not usable: .* star .*It grants nothing\.$/)],
    [3, expect.stringMatching(/^the allow rule "Bash\(" is not usable: .* bracket .*It grants nothing\.$/)],
    [4, expect.stringMatching(/^the allow rule "Nope\(x" is not usable: .* bracket .*It grants nothing\.$/)],
  ]);
  const decide = await hostOf();
  expect([await decide('mcp__kb__get_page'), await decide('mcp__kb__del')]).toEqual(['allow', 'ask']);
});

test('PERM-08 a deny rule that cannot be used stops a run without a person, and asks before every call of its tool', async () => {
  await place.putHome('settings.json', { permissions: { allow: ['mcp__kb'], deny: ['mcp__kb__del(x'] } });
  const settings = await place.read();
  expect(stopsHeadless(settings)?.message).toMatch(/settings\.json:\d+:\d+: the deny rule "mcp__kb__del\(x" is not usable/);
  const decide = await hostOf();
  expect([await decide('mcp__kb__del'), await decide('mcp__kb__get_page')]).toEqual(['ask', 'allow']);
});

test('PERM-09 a file that cannot be read is named with its line, and the deny rules of the others hold', async () => {
  await place.putHome('settings.json', { permissions: { deny: ['mcp__kb__del'] } });
  const local = await place.put('.pegboard/settings.local.json', '{\n  "permissions": {\n    "allow": ["mcp__kb",]\n  },,\n}');
  const settings = await place.read();
  expect(settings.problems.map(({ error }) => error.message)).toEqual([expect.stringContaining(`${local}:4:`)]);
  const decide = await hostOf();
  expect([await decide('mcp__kb__del'), await decide('mcp__kb__get_page'), await decide('mcp__kb2__get_page')]).toEqual([
    'deny',
    'ask',
    'ask',
  ]);
});
