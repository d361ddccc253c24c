import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'vitest';

import { fakeServer, type FakeServerPlan } from '../support/fake-server.ts';
import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let temporary: TemporaryFolder;
let home: string;
let board: readonly string[];
beforeEach(async () => {
  temporary = await temporaryFolder();
  home = join(temporary.path, 'home');
  const file = join(temporary.path, 'mcp.json');
  await writeFile(file, JSON.stringify({ mcpServers: { lamps: fakeServer(LAMPS) } }));
  board = ['--mcp-config', file, '--model', 'offline'];
});
afterEach(() => temporary.remove());

const text = (words: string) => ({ result: { content: [{ type: 'text', text: words }] } });
const LAMPS: FakeServerPlan = {
  tools: [
    {
      name: 'dim_lamp',
      description: 'Dims a lamp of the house to a level.',
      inputSchema: { type: 'object', properties: { lamp: { type: 'string' }, level: { type: 'integer' } }, required: ['lamp', 'level'] },
    },
    {
      name: 'list_lamps',
      description: 'Lists all lamps of the house.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    },
    { name: 'repair_lamp', description: 'Repairs every broken bulb at once.', inputSchema: { type: 'object', properties: {} } },
  ],
  scripts: {
    list_lamps: [{ kind: 'answer', ...text('kitchen, cellar') }],
    dim_lamp: [{ kind: 'answer', ...text('dimmed') }],
    repair_lamp: [{ kind: 'answer', result: { content: [{ type: 'text', text: 'no bulbs in stock' }], isError: true } }],
  },
};
const run = (prompt: string, ...args: string[]): Promise<CliRun> => runCli(['run', prompt, ...board, ...args], { home });

interface Story {
  readonly session: string;
  readonly model: string;
  readonly reason: string;
  readonly isError: boolean;
  readonly text: string;
  readonly turns: number;
  readonly toolCalls: readonly {
    tool: string;
    input: unknown;
    outcome: string;
    text: string;
    isError: boolean;
    decision?: { kind: string; step: string; reason: object };
  }[];
  readonly permissionDenials: readonly { tool: string; input: unknown }[];
}

test('M10.1 run finds a tool, is allowed, calls it and prints the result; each step is shown', async () => {
  const { code, stdout, stderr } = await run('list all lamps of the house', '--allow', 'mcp__lamps');
  assert.equal(code, 0);
  assert.match(stdout, /kitchen, cellar/);
  assert.match(stdout, /offline driver: keyword search, no language model/);
  const steps = [
    /^search +ToolSearch .*lamps/m,
    /^decision +mcp__lamps__list_lamps allowed: the rule mcp__lamps \(cli, --allow\)/m,
    /^call +mcp__lamps__list_lamps \{/m,
    /^result +kitchen, cellar/m,
  ];
  const places = steps.map((step) => stderr.search(step));
  assert.ok(
    places.every((place) => place >= 0),
    stderr,
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('M10.1 run --json is one JSON value with session, reason, text, turns and calls', async () => {
  const { code, stdout } = await run('dim the lamp "kitchen" to level 40', '--allow', 'mcp__lamps', '--json');
  const story = JSON.parse(stdout) as Story;
  assert.equal(code, 0);
  assert.deepEqual([story.model, story.reason, story.isError, story.permissionDenials], ['offline', 'completed', false, []]);
  assert.ok(story.session !== '' && story.turns >= 2);
  const call = story.toolCalls.find(({ tool }) => tool === 'mcp__lamps__dim_lamp');
  assert.deepEqual(
    [call?.input, call?.outcome, call?.text, call?.decision?.kind],
    [{ lamp: 'kitchen', level: 40 }, 'done', 'dimmed', 'allow'],
  );
  assert.match(story.text, /dimmed/);
});

test('M4.11 CFG-04 a run that ends with a refusal is exit code 3, and the denials can be read', async () => {
  const { code, stdout, stderr } = await run('dim the lamp "kitchen" to level 40', '--json');
  const story = JSON.parse(stdout) as Story;
  assert.equal(code, 3);
  assert.equal(story.isError, true);
  assert.deepEqual(
    story.permissionDenials.map(({ tool, input }) => ({ tool, input })),
    [{ tool: 'mcp__lamps__dim_lamp', input: { lamp: 'kitchen', level: 40 } }],
  );
  assert.match(stderr, /decision +mcp__lamps__dim_lamp refused: no rule allows it/);
  const said = await run('dim the lamp "kitchen" to level 40');
  assert.equal(said.code, 3);
  assert.match(said.stderr, /mcp__lamps__dim_lamp was refused: no rule allows it, and there is nobody to ask\./);
  assert.match(said.stderr, /--allow mcp__lamps__dim_lamp or --allow mcp__lamps, or answer with --yes/);
});

test('M4.6 --yes answers in a run too', async () => {
  const { code, stdout, stderr } = await run('dim the lamp "kitchen" to level 40', '--yes');
  assert.equal(code, 0);
  assert.match(stdout, /dimmed/);
  assert.match(stderr, /allowed: answered by --yes/);
});

test('CFG-04 a run whose last call failed is exit code 1', async () => {
  const { code, stdout, stderr } = await run('repair every broken bulb', '--allow', 'mcp__lamps');
  assert.equal(code, 1);
  assert.match(`${stdout}${stderr}`, /no bulbs in stock/);
});

test('a request for which there is no tool calls nothing', async () => {
  const { code, stdout } = await run('translate my thesis into Latin hexameters', '--allow', 'mcp__lamps', '--json');
  const story = JSON.parse(stdout) as Story;
  assert.equal(code, 0);
  assert.deepEqual(
    story.toolCalls.filter(({ tool }) => tool.startsWith('mcp__')),
    [],
  );
});

test('- reads the request from stdin', async () => {
  const { code, stdout } = await runCli(['run', '-', ...board, '--allow', 'mcp__lamps'], { home, input: 'list all lamps\nof the house\n' });
  assert.equal(code, 0);
  assert.match(stdout, /kitchen, cellar/);
  assert.equal((await runCli(['run', '-', ...board], { home, input: '\n' })).code, 2);
});

test('CFG-04 an interrupted run ends with exit code 130 and still one JSON value', async () => {
  const plugin = `${packageFolder}test/fixtures/plugins/works`;
  const { code, stdout } = await runCli(['run', 'wait until it is stopped', '--model', 'offline', '--json', '--plugin-dir', plugin], {
    home,
    signalAfter: { text: '1 of 2: begun', signal: 'SIGINT' },
  });
  assert.equal(code, 130);
  const story = JSON.parse(stdout) as Story;
  assert.deepEqual([story.reason, story.isError], ['aborted_tools', true]);
});

test('an interrupted run says so in words', async () => {
  const plugin = `${packageFolder}test/fixtures/plugins/works`;
  const { code, stderr } = await runCli(['run', 'wait until it is stopped', '--model', 'offline', '--plugin-dir', plugin], {
    home,
    signalAfter: { text: '1 of 2: begun', signal: 'SIGINT' },
  });
  assert.equal(code, 130);
  assert.match(stderr, /^pegboard: the run was interrupted during a call$/m);
});

test('a fault of the configuration that a run did not need is a line, and the run ends by its own outcome', async () => {
  const broken = join(temporary.path, 'broken.json');
  await writeFile(broken, '{"mcpServers":{"odd":{"args":["x"]}}}');
  const { code, stdout, stderr } = await run('list all lamps of the house', '--allow', 'mcp__lamps', '--mcp-config', broken);
  assert.equal(code, 0);
  assert.match(stdout, /kitchen, cellar/);
  assert.equal(stderr.split('\n').filter((line) => line.includes('"odd"')).length, 1, stderr);
  const refused = await run('dim the lamp "kitchen" to level 40', '--mcp-config', broken);
  assert.equal(refused.code, 3);
});

test('the folder of --cwd is where built-ins work', async () => {
  const folder = join(temporary.path, 'work');
  await mkdir(folder);
  await writeFile(join(folder, 'note.txt'), 'remember the milk');
  const { code, stdout } = await runCli(['tools', 'call', 'Read', 'file_path=note.txt', '--cwd', folder], { home });
  assert.equal(code, 0);
  assert.match(stdout, /remember the milk/);
});

test('the demo servers: run prints the echo', async () => {
  const { code, stdout } = await runCli(
    [
      'run',
      '--model',
      'offline',
      'please echo the message "hi board"',
      '--mcp-config',
      'examples/demo/mcp.json',
      '--allow',
      'mcp__everything',
    ],
    { home },
  );
  assert.equal(code, 0);
  assert.match(stdout, /hi board/);
});

test('M10.3 --max-turns and --max-tokens end a run with a sentence that names the limit', async () => {
  const turns = await run('list all lamps of the house', '--allow', 'mcp__lamps', '--max-turns', '1');
  assert.equal(turns.code, 1);
  assert.match(turns.stderr, /as many turns as it may take \(--max-turns\)/);
  const tokens = await run('list all lamps of the house', '--allow', 'mcp__lamps', '--max-tokens', '1');
  assert.equal(tokens.code, 1);
  assert.match(tokens.stderr, /its tokens were used up \(--max-tokens\)/);
  const wrong = await run('list', '--max-turns', '0');
  assert.equal(wrong.code, 2);
});
