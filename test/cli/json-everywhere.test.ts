import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { Writable } from 'node:stream';

import { afterAll, beforeAll, test, vi } from 'vitest';

import { parseArgs } from '../../cli/args.ts';
import { runCommand } from '../../cli/run-command.ts';
import { Screen } from '../../cli/screen.ts';
import { commandsFrom } from './all-commands.ts';
import { cliPlace, type CliPlace } from './cli-place.ts';

let place: CliPlace;
beforeAll(async () => {
  place = await cliPlace();
  vi.stubEnv('PEGBOARD_HOME', place.home);
  const manifest = (name: string, more = {}) => JSON.stringify({ name, version: '1.0.0', ...more });
  await place.put(place.inFolder('shelf/pack/.claude-plugin/plugin.json'), manifest('pack'));
  await place.put(place.inFolder('shelf/pack/skills/one/SKILL.md'), '---\ndescription: does it\n---\nbody');
  const plugins = [{ name: 'pack', source: './pack' }];
  await place.put(place.inFolder('shelf/.claude-plugin/marketplace.json'), manifest('shelf', { owner: { name: 'o' }, plugins }));
  await place.put(place.inFolder('.mcp.json'), JSON.stringify({ mcpServers: { theirs: { command: 'no-such-program' } } }));
  await writeFile(place.inFolder('other.json'), JSON.stringify({ mcpServers: { brought: { command: 'no-such-program' } } }));
  await writeFile(place.inFolder('rules.json'), JSON.stringify({ permissions: { deny: ['Bash'] } }));
  await writeFile(place.inFolder('queries.jsonl'), JSON.stringify({ query: 'find files', gold: ['Glob'] }));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await place.temporary.remove();
});

/** What a command writes to a pipe, and its exit code. */
async function piped(words: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const paper = () => {
    const written: string[] = [];
    const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(String(chunk)), done()) });
    return { stream: stream as unknown as NodeJS.WriteStream, text: () => written.join('') };
  };
  const [out, err] = [paper(), paper()];
  const screen = new Screen(out.stream, err.stream);
  const parsed = parseArgs([...words, '--cwd', place.folder], 80);
  if (parsed.kind !== 'command') assert.fail(parsed.kind);
  screen.configure(parsed.options);
  const stop = { signal: new AbortController().signal, code: undefined, interrupt: () => undefined, first: () => () => undefined };
  const code = await runCommand(parsed.request, parsed.options, screen, stop);
  await screen.flush();
  return { code, out: out.text(), err: err.text() };
}

/** Commands that only look, with what they are given. */
const LOOKS: readonly (readonly string[])[] = [
  ['tools list'],
  ['tools search', 'files'],
  ['tools show', 'Read'],
  ['tools call', 'Glob', 'pattern=*', '--allow', 'Glob'],
  ['run', 'which files are here?', '--model', 'offline', '--allow', 'Glob'],
  ['search-test', './queries.jsonl'],
  ['search-history export'],
  ['doctor'],
  ['audit', '--last', '3'],
  ['audit export'],
  ['audit replay', '--last', '3', '--rules', './rules.json'],
  ['permissions explain', 'Bash', 'command=ls'],
  ['permissions list'],
  ['plugin list', '--all'],
  ['plugin details', 'pack', '--plugin-dir', './shelf/pack'],
  ['plugin marketplace list'],
  ['sessions list'],
  ['skills list'],
  ['skills show', 'pack:one', '--plugin-dir', './shelf/pack'],
  ['agents list'],
  ['hooks list'],
  ['config show'],
  ['config path'],
  ['mcp list'],
  ['mcp get', 'theirs'],
];
/** Commands that change something, in an order in which each can. */
const CHANGES: readonly (readonly string[])[] = [
  ['trust'],
  ['mcp approve', 'theirs'],
  ['config set', 'model', 'some-model'],
  ['permissions add', 'allow', 'Glob'],
  ['permissions remove', 'allow', 'Glob'],
  ['plugin marketplace add', './shelf', '--scope', 'user'],
  ['plugin enable', 'pack@shelf', '--scope', 'user'],
  ['plugin disable', 'pack@shelf', '--scope', 'user'],
  ['plugin marketplace remove', 'shelf'],
  ['plugin add', './shelf/pack', '--scope', 'user'],
  ['plugin remove', 'pack'],
  ['mcp add', 'mine', 'https://mcp.example.com/mcp'],
  ['mcp add-json', 'json', '{"command":"no-such-program"}'],
  ['mcp import', 'claude-desktop', '--file', './other.json', '--yes'],
  ['mcp remove', 'mine'],
  ['search-history clear'],
];
/** Those that need more than a folder: another session, a hook, a server that answers; `chat` and `audit follow` have no one value. */
const ELSEWHERE =
  'audit follow, chat, hooks test, mcp lock, mcp login, mcp logout, mcp tools, permissions test, sessions fork, sessions remove, sessions show';

/** What begins with `./` lies in the folder. */
const wordsOf = (command: string, given: readonly string[]) => [
  ...command.split(' '),
  ...given.map((word) => (word.startsWith('./') ? place.inFolder(word) : word)),
];
const named = (rows: readonly (readonly string[])[]) => rows.map(([command = '', ...given]) => ({ command, given }));

test('every command is tried here or named as one that is tried elsewhere', () => {
  const all = commandsFrom([]).map((path) => path.join(' '));
  const leaves = all.filter((name) => name === 'audit' || (name !== '' && !all.some((other) => other.startsWith(`${name} `))));
  const tried = named([...LOOKS, ...CHANGES]).map(({ command }) => command);
  assert.deepEqual([...tried, ...ELSEWHERE.split(', ')].sort(), [...leaves].sort());
});

test.each(named(LOOKS))(
  'in a pipe `$command` writes nothing that steers a terminal, and with --json one JSON value',
  async ({ command, given }) => {
    const words = wordsOf(command, given);
    const plain = await piped(words);
    const json = await piped([...words, '--json']);
    assert.deepEqual([plain.code, json.code], [0, 0], plain.err);
    assert.doesNotMatch(plain.out + plain.err + json.out + json.err, /\u001b/);
    assert.doesNotThrow(() => void JSON.parse(json.out), json.out);
  },
);

test.each(named(CHANGES))('with --json `$command` answers with one JSON value', async ({ command, given }) => {
  const words = wordsOf(command, given);
  const { code, out, err } = await piped([...words, '--json']);
  assert.equal(code, 0, err);
  assert.doesNotMatch(out + err, /\u001b/);
  assert.doesNotThrow(() => void JSON.parse(out), out);
});
