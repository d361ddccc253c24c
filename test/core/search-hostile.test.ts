import { Registry, type Pool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool, poolOf } from '../support/fake-tools.ts';

const TOOLS = 1_000;
/** Ten times what the slowest of them takes on a busy machine. */
const HANG_MS = 30_000;

const WORDS = ['create', 'list', 'delete', 'send', 'search', 'invoice', 'event', 'mail', 'folder', 'record', 'issue', 'report'];

function board(): Pool {
  const registry = new Registry();
  const word = (at: number) => WORDS[at % WORDS.length] ?? '';
  registry.replace(
    'store',
    Array.from({ length: TOOLS }, (_, at) =>
      fakeTool(`${word(at)}_${word(at * 5 + 5)}_${at}`, { description: `Can ${word(at)} one ${word(at * 7)} of the common store.` }),
    ),
  );
  return poolOf(registry);
}

const pool = board();

const HOSTILE: Readonly<Record<string, string>> = {
  'ten thousand words': Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' '),
  'ten thousand known words': Array.from({ length: 10_000 }, (_, at) => WORDS[at % WORDS.length]).join(' '),
  'words all one letter off': 'creat lst delet snd serch invoce evnt mial foldr recrd isue reprt '.repeat(50),
  'one letter, a million times': 'a'.repeat(1_000_000),
  'one capital, a million times': 'A'.repeat(1_000_000),
  'capitals, one by one': 'A B '.repeat(5_000),
  'names of things without end': 'Zorblen Institute of '.repeat(2_000),
  'a word that never ends in dashes': 'A-'.repeat(5_000),
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(1_000),
  'combining marks': `e${'\u0301'.repeat(5_000)} `.repeat(3),
  'text from right to left, and back': '\u202Eنظف المدخنة\u202C \u2067שלום\u2069 '.repeat(500),
  'lone surrogates': '\uD83D \uDC00x\uD800'.repeat(1_000),
  'signs that stand for many': '\uFDFA'.repeat(5_000),
  quotes: '"'.repeat(5_000),
  'quoted words': '"create mail" "list event" '.repeat(1_000),
  'plus signs': '+'.repeat(5_000),
  'required words': '+create +mail '.repeat(1_000),
  colons: ':'.repeat(5_000),
  servers: 'server:store '.repeat(1_000),
  'servers nobody has': Array.from({ length: 1_000 }, (_, at) => `server:s${at}`).join(' '),
  'beginnings of servers': 'mcp__'.repeat(2_000),
  'names chosen without end': `select:${'create_event_0,'.repeat(5_000)}`,
  'Chinese without end': '搜索文件'.repeat(3_000),
  'control characters': '\u0000\u0007\u001B[31m'.repeat(1_000),
  'members of all objects': '__proto__ constructor toString hasOwnProperty '.repeat(300),
  nothing: ' \t\n'.repeat(1_000),
};

test.each(Object.entries(HOSTILE))(
  'M3.3 a hostile query is answered like any other: %s',
  async (_, query) => {
    const { matches, verdict } = await pool.search(query);
    expect(matches.length).toBeLessThanOrEqual(5);
    expect(['fits', 'weak', 'nothing']).toContain(verdict);
    for (const { score, fit, strength } of matches) {
      expect([score, fit, strength].every(Number.isFinite)).toBe(true);
      expect(fit).toBeLessThanOrEqual(1 + 1e-9);
    }
    expect((await pool.search('create_event_0')).matches.length).toBeGreaterThan(0);
  },
  HANG_MS,
);
