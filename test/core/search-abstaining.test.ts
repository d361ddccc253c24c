import { Registry, type Pool, type Tool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf, putServer, serverTool } from '../support/fake-tools.ts';
import { there } from '../support/there.ts';

function poolWith(tools: readonly Tool[]): Pool {
  const registry = new Registry();
  registry.replace('office', tools);
  return poolOf(registry);
}

const OFFICE: readonly Tool[] = [
  fakeTool('edit_file', { description: 'Replaces text in a file.' }),
  fakeTool('move_file', { description: 'Renames a file or moves it to another folder.' }),
  fakeTool('list_files', { description: 'Lists the files of a folder.' }),
  fakeTool('create_event', { description: 'Puts an event into the calendar.' }),
  fakeTool('cancel_event', { description: 'Takes an event out of the calendar.' }),
  fakeTool('send_mail', { description: 'Sends a mail to a person.' }),
  fakeTool('search_mail', { description: 'Finds mails by words in them.' }),
  fakeTool('run_command', { description: 'Runs a command in a shell.' }),
];

/** Three thousand tools of made-up words: each act with each object in many departments. */
function many(): readonly Tool[] {
  const [acts, objects] = [
    ['create', 'list', 'export', 'archive', 'share'],
    ['invoice', 'shipment', 'playlist', 'sensor', 'recipe', 'contact'],
  ];
  return Array.from({ length: 3_000 }, (_, at) => {
    const [act, object, place] = [there(acts[at % 5]), there(objects[Math.floor(at / 5) % 6]), `zub${Math.floor(at / 30).toString(36)}`];
    return fakeTool(`${act}_${object}_${at}`, { description: `${act} one ${object} of department ${place}.` });
  });
}

const NOBODY_DOES = [
  'unclog the kitchen sink',
  'iron my shirts before the wedding on Saturday',
  'trim the hedge in front of the house to about a metre and a half',
  'braid her hair',
  'Could you hold the ladder while I clean the gutters above the porch?',
];
const MADE_UP = ['zorblen', 'quixtrag foblen', 'wexil drumbafo zitterlang quorp', 'xqzvv'];
const ELSEWHERE = [
  'den verstopften Abfluss reinigen',
  "déboucher l'évier",
  'вымыть окна на кухне',
  '遛狗并喂鱼',
  '台所の排水口を掃除する',
  'نظف المدخنة',
];

const pools: readonly (readonly [string, () => Pool])[] = [
  ['one tool', () => poolWith(OFFICE.slice(0, 1))],
  ['eight tools', () => poolWith(OFFICE)],
  ['three thousand tools', () => poolWith(many())],
];

test.each(pools)(
  'M3.3 among %s nothing is offered for acts no tool does, words nobody has and languages nobody speaks there',
  async (_, of) => {
    const pool = of();
    for (const query of [...NOBODY_DOES, ...MADE_UP, ...ELSEWHERE])
      expect([query, (await pool.search(query)).verdict]).toEqual([query, 'nothing']);
  },
);

test.each([
  ['rename or move a file', 'move_file'],
  ['edt file', 'edit_file'],
  ['serch mails', 'search_mail'],
  ['put something into my calendar on Friday', 'create_event'],
  ['shell', 'run_command'],
  ['file', 'edit_file'],
])('M3.3 among eight tools "%s" is answered, though hardly a word of it is rare', async (query, name) => {
  const { verdict, matches } = await poolWith(OFFICE).search(query);
  expect(verdict).not.toBe('nothing');
  expect(matches[0]?.place.tool.name).toBe(name);
});

test.each(OFFICE.map((tool) => [tool.name, tool] as const))(
  'M3.3 a pool of %s alone offers it for its words and refuses others',
  async (name, tool) => {
    const pool = poolWith([tool]);
    const verdict = async (query: string) => (await pool.search(query)).verdict;
    expect(await verdict(name.replace('_', ' '))).toBe('fits');
    expect(await verdict(`${name.slice(0, 2)}${name.slice(3)}`)).toBe('fits');
    expect(await verdict(`please help me ${tool.description}`)).toBe('fits');
    expect(await verdict('harvest moon pumpkin')).toBe('nothing');
  },
);

test('M3.3 among thousands of tools common words that are all met are an answer, one common word of many is none', async () => {
  const pool = poolWith(many());
  const verdict = async (query: string) => (await pool.search(query)).verdict;
  expect(await verdict('export invoice')).toBe('fits');
  expect(await verdict('share a playlist of department zub1a')).toBe('fits');
  expect(await verdict('exprt_invoice_11')).toBe('fits');
  expect(await verdict('create a cosy atmosphere with candles and old wine')).toBe('nothing');
});

test('M3.3 a match says by how much it was found, comparable between answers: a rare word more than a common one, a name that was given most', async () => {
  const pool = poolWith(OFFICE);
  const strength = async (query: string) => there((await pool.search(query)).matches[0]).strength;
  const [common, rare, several] = [await strength('folder'), await strength('shell'), await strength('run a command in a shell')];
  expect(common).toBeLessThan(rare);
  expect(rare).toBeLessThan(several);
  expect(await strength('send_mail')).toBeGreaterThanOrEqual(1);
  expect(await strength('select:send_mail')).toBe(1);
});

test('M3.3 where nothing fits the nearest are still there, as many as were asked for', async () => {
  const { verdict, matches } = await poolWith(OFFICE).search('a calendar of brass trumpets', {
    limit: 2,
  });
  expect(verdict).toBe('nothing');
  expect(matches).toHaveLength(2);
});

test('M3.3 what finds or calls other tools is found by its name only: its words are those of queries', async () => {
  const registry = new Registry();
  const speaks = { description: 'Finds tools: "create calendar event", "merge pdf files".' };
  registry.replace('finders', [
    fakeTool('Finder', { ...speaks, provides: ['tool-search'] }),
    fakeTool('Caller', { ...speaks, provides: ['tool-call'] }),
  ]);
  putServer(registry, 'git', [serverTool('git', 'create_issue')]);
  const pool = poolOf(registry, { strategy: 'call' });
  expect((await pool.search('merge pdf files')).verdict).toBe('nothing');
  expect((await pool.search('finder')).matches.map(({ place }) => place.tool.name)).toEqual(['Finder']);
  expect((await pool.search('Caler')).matches.map(({ place }) => place.tool.name)).toEqual(['Caller']);
});
