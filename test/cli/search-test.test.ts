import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, test } from 'vitest';

import { packageFolder, runCli, type CliRun } from '../support/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temp-folder.ts';

let home: TemporaryFolder;
beforeAll(async () => void (home = await temporaryFolder()));
afterAll(() => home.remove());

const pegboard = (...args: string[]): Promise<CliRun> => runCli(['search-test', ...args], { home: home.path });
const lines = (rows: readonly unknown[]) => rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');

/** Writes rows, or lines as they are, to a file and gives its path. */
async function file(name: string, rows: readonly unknown[]): Promise<string> {
  const path = `${home.path}/${name}.jsonl`;
  await writeFile(path, lines(rows));
  return path;
}

interface Report {
  readonly queries: readonly {
    readonly id: string;
    readonly query: string;
    readonly gold: readonly string[];
    readonly ranked: readonly string[];
  }[];
  readonly metrics: Readonly<Record<string, number>> & { readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>> };
  readonly timing: Readonly<Record<'buildMs' | 'p50Us' | 'p99Us', number>>;
  readonly misses: readonly {
    readonly id: string;
    readonly wanted: { readonly id: string; readonly source: string };
    readonly rank: number | null;
    readonly instead: readonly { readonly id: string; readonly source: string }[];
  }[];
}

/** Tests queries over a catalogue and reads the answer. */
async function report(
  catalogue: readonly unknown[],
  queries: readonly unknown[],
  ...more: string[]
): Promise<Report & { readonly code: number | null }> {
  const paths = [await file('queries', queries), '--catalogue', await file('catalogue', catalogue)];
  const { code, stdout, stderr } = await pegboard(...paths, '--json', ...more);
  assert.notEqual(stdout, '', stderr);
  return { ...(JSON.parse(stdout) as Report), code };
}

const orchestra = [
  { id: 'o1', server: 'orchestra', name: 'tune_violin', description: 'Tunes a violin.' },
  { id: 'o2', server: 'orchestra', name: 'tune_cello', description: 'Tunes a cello.' },
  { id: 'o3', server: 'orchestra', name: 'print_score', description: 'Prints the score of a symphony.' },
  { id: 'g1', server: 'garage', name: 'change_tyre', description: 'Changes a tyre of a car.' },
  { id: 'g2', server: 'garage', name: 'wash_car', description: 'Washes a car.' },
];

test('search-test --json has one entry a query in the order of the file, with ids best first', async () => {
  const { queries, metrics, timing, misses, code } = await report(orchestra, [
    { id: 'second', query: 'wash car', gold: ['g2'] },
    { id: 'first', query: 'tune violin', gold: ['o1'] },
    { query: 'print score', gold: ['o3'] },
  ]);
  assert.equal(code, 0);
  assert.deepEqual(
    queries.map(({ id, query, gold, ranked }) => [id, query, gold, ranked[0]]),
    [
      ['second', 'wash car', ['g2'], 'g2'],
      ['first', 'tune violin', ['o1'], 'o1'],
      ['line 3', 'print score', ['o3'], 'o3'],
    ],
  );
  assert.deepEqual(queries[0]?.ranked, ['g2', 'g1']);
  assert.deepEqual([metrics['queries'], metrics['recall@1'], metrics['mrr@10'], metrics['ndcg@10'], metrics['tools']], [3, 1, 1, 1, 5]);
  assert.deepEqual(misses, []);
  for (const time of [timing.buildMs, timing.p50Us, timing.p99Us]) assert.ok(time >= 0);
});

test('search-test: mode all counts the share of the gold, mode any one of it, and each kind has its own figures', async () => {
  const both = ['o1', 'g2'];
  const { metrics } = await report(orchestra, [
    { query: 'tune violin', gold: both, kind: 'share' },
    { query: 'tune violin', gold: both, kind: 'one', mode: 'any' },
    { query: 'tune violin', gold: ['o2'], kind: 'second' },
  ]);
  const { share, one, second } = metrics.kinds;
  assert.deepEqual([share?.['recall@5'], one?.['recall@5'], second?.['recall@1'], second?.['recall@3']], [0.5, 1, 0, 1]);
  assert.deepEqual([share?.['mrr@10'], one?.['mrr@10'], second?.['mrr@10']], [1, 1, 0.5]);
  const ideal = 1 + 1 / Math.log2(3);
  assert.deepEqual(
    [share?.['ndcg@10'], one?.['ndcg@10'], second?.['ndcg@10']],
    [1 / ideal, 1, 1 / Math.log2(3)].map((gain) => Number(gain.toFixed(4))),
  );
  assert.equal(metrics['recall@5'], Number((2.5 / 3).toFixed(4)));
});

test('search-test: a class is found by any of its members and counts once; its other members keep their places', async () => {
  const catalogue = [
    { id: 'a', server: 'alpha', name: 'search', cls: 'search', description: 'Searches alpha.' },
    { id: 'b', server: 'beta', name: 'search', cls: 'search', description: 'Searches by date, author and language.' },
    { id: 'c', server: 'gamma', name: 'find_places_on_maps', description: 'Finds places on maps; can search for roads.' },
  ];
  const { metrics, queries } = await report(catalogue, [
    { query: 'search', gold: ['b'], kind: 'one' },
    { query: 'search', gold: ['a', 'b', 'c'], kind: 'two' },
  ]);
  assert.deepEqual([...(queries[0]?.ranked ?? [])].slice(0, 2).sort(), ['a', 'b']);
  assert.deepEqual([metrics.kinds['one']?.['recall@1'], metrics.kinds['two']?.['recall@1']], [1, 0.5]);
  assert.deepEqual(metrics.kinds['two']?.['ndcg@10'], Number((1.5 / (1 + 1 / Math.log2(3))).toFixed(4)));
});

test('search-test: the same tool of another server stands behind what is different', async () => {
  const search = (id: string, server: string) => ({ id, server, name: 'search', description: `Searches ${server}.` });
  const maps = { id: 'c', server: 'gamma', name: 'search_maps', description: 'Searches maps.' };
  const { queries } = await report([search('a', 'alpha'), search('b', 'beta'), maps], [{ query: 'search', gold: ['b'] }]);
  const [first, second, third] = queries[0]?.ranked ?? [];
  assert.deepEqual([[first, third].sort(), second], [['a', 'b'], 'c']);
});

test('search-test says of each miss which tool of which pack took the place, and how far down the wanted one stands', async () => {
  const crowd = Array.from({ length: 7 }, (_, at) => ({
    id: `n${at}`,
    server: 'crowd',
    name: `open_door_${at}x`,
    description: 'Opens a door.',
  }));
  const catalogue = [
    ...crowd,
    { id: 'gate', server: 'castle', name: 'raise_gate', description: 'Raises a gate. The door behind it stays closed.' },
  ];
  const queries = [{ id: 'q', query: 'open door', gold: ['gate'] }];
  const { misses } = await report(catalogue, queries);
  assert.deepEqual(
    misses.map(({ id, wanted, rank, instead }) => [id, wanted, rank, instead.length, instead[0]?.source]),
    [['q', { id: 'gate', source: 'castle' }, 8, 5, 'crowd']],
  );
  const { stdout } = await pegboard(await file('queries', queries), '--catalogue', await file('catalogue', catalogue));
  assert.match(stdout, /most often in the way: crowd \(1\)/);
  assert.match(stdout, /open door +raise_gate of castle +8 +open_door_\dx of crowd/);
});

test('search-test keeps every row apart: equal names on two servers and on one, names no model could be told, no description, no schema', async () => {
  const long = 'read the meter '.repeat(8).trim();
  const catalogue = [
    { id: 'one', server: 'north', name: 'read', description: 'Reads the northern gauge.' },
    { id: 'two', server: 'south', name: 'read', description: 'Reads the southern gauge.' },
    { id: 'three', server: 'south', name: 'read', description: 'Reads the equatorial thermometer.' },
    { id: 'four', server: '', name: 'read', description: 'Reads a barometer.' },
    { id: 'five', server: '', name: 'read', description: 'Reads a hygrometer.' },
    { id: 'six', server: 'my server/ü', name: 'Prüfe Zähler!', description: null },
    { id: 'seven', name: long },
    {
      id: 'eight',
      server: 'x',
      name: 'weigh',
      inputSchema: { type: 'object', properties: { parcel: { type: 'str', description: 'a parcel' } } },
    },
  ];
  const wanted = ['northern', 'southern', 'equatorial', 'barometer', 'hygrometer', 'prüfe', 'meter', 'parcel'];
  const { queries, metrics } = await report(
    catalogue,
    wanted.map((query, at) => ({ query, gold: [catalogue[at]?.id] })),
  );
  assert.deepEqual(
    queries.map(({ ranked }) => ranked[0]),
    catalogue.map(({ id }) => id),
  );
  assert.equal(metrics['tools'], catalogue.length);
});

test('search-test leaves out what a host would leave out, says which line that is, and counts it as not found', async () => {
  const huge = { type: 'object', properties: { ['x'.repeat(150_000)]: { type: 'string' } } };
  const catalogue = [...orchestra, { id: 'huge', server: 'garage', name: 'paint_car', description: 'Paints a car.', inputSchema: huge }];
  const paths = [await file('queries', [{ query: 'paint car', gold: ['huge'] }]), '--catalogue', await file('catalogue', catalogue)];
  const { code, stdout, stderr } = await pegboard(...paths, '--json');
  const { metrics, misses } = JSON.parse(stdout) as Report;
  assert.deepEqual([code, metrics['tools'], metrics['recall@10'], misses[0]?.rank], [0, 5, 0, null]);
  assert.match(stderr, /catalogue\.jsonl: left out as a host would: line 6 \(huge\): its input schema is/);
});

test('search-test refuses a file with lines that are no rows: file, line and what is wrong of each, exit code 2, no figure', async () => {
  const queries = await file('queries', ['{"query":"x","gold":["o1"]}', '{"query":', '[1]']);
  const broken = await pegboard(queries, '--catalogue', await file('catalogue', orchestra));
  assert.deepEqual([broken.code, broken.stdout], [2, '']);
  assert.match(broken.stderr, /queries\.jsonl:2: it is not JSON/);
  assert.match(broken.stderr, /queries\.jsonl:3: it is no JSON object/);
  await file('queries', ['', { gold: ['o1'] }, { query: 'x', gold: [] }, { query: 'x', gold: ['o1'], mode: 'most' }]);
  const { code, stdout, stderr } = await pegboard(queries, '--catalogue', await file('catalogue', orchestra), '--json');
  assert.deepEqual([code, (JSON.parse(stdout) as { error: { code: string } }).error.code], [2, 'SEARCH_TEST_ROWS']);
  for (const says of [/:2: "query" should be a text/, /:3: "gold" should be a list/, /:4: "mode" should be/]) assert.match(stderr, says);
});

test('search-test refuses gold that the catalogue does not have, and names its row', async () => {
  const queries = [{ query: 'x', gold: ['o1'] }, ...Array.from({ length: 12 }, () => ({ query: 'x', gold: ['o1', 'o9'] }))];
  const { code, stdout, stderr } = await pegboard(await file('queries', queries), '--catalogue', await file('catalogue', orchestra));
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /queries\.jsonl:2: the catalogue has no id "o9"[^]*and 2 more/);
});

test('search-test refuses a catalogue with broken rows, and an id that stands twice', async () => {
  const catalogue = [
    { id: 'a', name: 'x' },
    { id: 'a', name: 'y' },
    { id: 'b', server: 's' },
    { id: 'c', name: 'x', inputSchema: 'none' },
  ];
  const { code, stderr } = await pegboard(
    await file('queries', [{ query: 'x', gold: ['a'] }]),
    '--catalogue',
    await file('catalogue', catalogue),
  );
  assert.equal(code, 2);
  for (const says of [/:2: the id "a" stands in line 1 already/, /:3: "name" should be a text/, /:4: "inputSchema" should be an object/])
    assert.match(stderr, says);
});

test('search-test names a file that is not there, and a share that is none', async () => {
  const missing = await pegboard(`${home.path}/nowhere.jsonl`);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /nowhere\.jsonl/);
  const empty = await pegboard(await file('queries', ['']));
  assert.match(empty.stderr, /queries\.jsonl: it has no rows/);
  const share = await pegboard('queries.jsonl', '--min-recall5', '90');
  assert.equal(share.code, 2);
  assert.match(share.stderr, /from 0 to 1/);
});

test('search-test --min-recall5 fails with a sentence where the figure is lower, after the figures', async () => {
  const paths = [
    await file('queries', [
      { query: 'wash car', gold: ['g2'] },
      { query: 'zebra', gold: ['o1'] },
    ]),
    '--catalogue',
    await file('catalogue', orchestra),
  ];
  const low = await pegboard(...paths, '--min-recall5', '0.9', '--json');
  assert.equal(low.code, 1);
  assert.match(low.stderr, /recall@5 is 50\.0 %, and at least 90\.0 % were asked for/);
  assert.equal((JSON.parse(low.stdout) as Report).metrics['recall@5'], 0.5);
  assert.equal((await pegboard(...paths, '--min-recall5', '0.5')).code, 0);
});

test('search-test counts the queries for which the search says that nothing fits', async () => {
  const { metrics, queries } = await report(orchestra, [
    { query: 'wash car', gold: ['g2'] },
    { query: 'quarterly zeppelin audit', gold: ['g2'] },
  ]);
  assert.deepEqual([metrics['abstentions'], queries[1]?.ranked], [1, []]);
});

test('search-test without a catalogue searches what is installed; gold are names of tools', async () => {
  const plugin = ['--plugin-dir', `${packageFolder}test/fixtures/plugins/works`];
  const good = await pegboard(await file('queries', [{ query: 'write nothing to a path', gold: ['WriteNothing'] }]), '--json', ...plugin);
  assert.equal(good.code, 0, good.stderr);
  assert.equal((JSON.parse(good.stdout) as Report).queries[0]?.ranked[0], 'WriteNothing');
  const wrong = await pegboard(await file('queries', [{ query: 'x', gold: ['WriteNothin'] }]), '--json', ...plugin);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /queries\.jsonl:1: there is no tool "WriteNothin"; the nearest name is "WriteNothing"/);
  const denied = await pegboard(await file('queries', [{ query: 'x', gold: ['EchoInput'] }]), '--deny', 'EchoInput', ...plugin);
  assert.match(denied.stderr, /"EchoInput" cannot be found: denied by the rule EchoInput/);
});

test('the example of the docs finds its tools, and prints for people what --json has', async () => {
  const example = (name: string) => `${packageFolder}examples/search-test/${name}.jsonl`;
  const { code, stdout } = await pegboard(example('queries'), '--catalogue', example('catalogue'), '--min-recall5', '0.9');
  assert.equal(code, 0);
  assert.match(stdout, /^6 queries over 6 tools, in percent\n\nkind +queries +r@1 +r@3 +r@5 +r@10 +MRR@10 +nDCG@10 +abstained\nall +6 /);
  assert.match(stdout, /^task +3 /m);
  assert.match(stdout, /index built in \d+ ms .* a query takes p50 \d+ µs, p99 \d+ µs/);
});
