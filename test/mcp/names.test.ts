import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { nameServers, nameTools, restrictedNames, ruleNames, splitName } from '../../mcp/names.ts';

const WIRE = /^[a-zA-Z0-9_-]{1,64}$/;
/** Names as people and machines write them, the odd ones often. */
const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 90 }),
  fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '-', '.', '/', ' ', 'é', '🚀'), minLength: 1, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('a', '_'), minLength: 1, maxLength: 80 }),
);
const names = fc.uniqueArray(name, { maxLength: 12 });

describe('M2.5 names on the wire', () => {
  test('M2.5 are legal, unique, and lead back to server and tool', () => {
    fc.assert(
      fc.property(names, names, (servers, tools) => {
        const parts = nameServers(servers);
        expect(new Set(parts.values()).size).toBe(servers.length);
        const made = servers.flatMap((server) => {
          const part = parts.get(server) ?? '';
          return [...nameTools(part, tools)].map(([tool, wire]) => ({ server, tool, part, wire }));
        });
        expect(new Set(made.map(({ wire }) => wire)).size).toBe(servers.length * tools.length);
        for (const { part, wire } of made) {
          expect(wire).toMatch(WIRE);
          expect(splitName(wire)?.server).toBe(part);
        }
      }),
    );
  });

  test('M2.5 do not depend on the order in which servers and tools come', () => {
    fc.assert(
      fc.property(names, (all) => {
        const turned = [...all].reverse();
        expect(nameServers(turned)).toEqual(nameServers(all));
        expect(nameTools('s', turned)).toEqual(nameTools('s', all));
      }),
    );
  });

  test('M2.5 of a rule never speak for another server', () => {
    fc.assert(
      fc.property(names, names, (servers, tools) => {
        const parts = nameServers(servers);
        const owner = new Map<string, string>();
        for (const server of servers) {
          for (const rule of tools.flatMap((tool) => ruleNames({ name: server, part: parts.get(server) ?? '' }, tool))) {
            expect(owner.get(rule) ?? server).toBe(server);
            owner.set(rule, server);
          }
          for (const wire of nameTools(parts.get(server) ?? '', tools).values()) {
            expect(owner.get(wire) ?? server).toBe(server);
            owner.set(wire, server);
          }
        }
      }),
    );
  });

  test('M2.5 of a rule for one server do not cover a tool of another whose name reads the same', () => {
    const parts = nameServers(['git', 'git__push']);
    const rules = ruleNames({ name: 'git__push', part: parts.get('git__push') ?? '' }, 'now');
    expect(rules).not.toContain(nameTools(parts.get('git') ?? '', ['push']).get('push'));
    expect(rules).toContain('mcp__git_push');
  });

  test.each([
    ['github', 'github'],
    ['my-server_2', 'my-server_2'],
    ['acme.docs-server', 'acme_docs-server'],
    ['Team Wiki', 'Team_Wiki'],
    ['a__b', 'a_b'],
    ['_edge_', 'edge'],
    ['a'.repeat(32), 'a'.repeat(32)],
  ])('M2.5 server %s is %s', (server, part) => {
    expect(nameServers([server, 'other']).get(server)).toBe(part);
  });

  test.each([['文档'], ['a'.repeat(33)], ['__']])('M2.5 server %s gets a short hash', (server) => {
    expect(nameServers([server]).get(server)).toMatch(/^[0-9a-f]{6}(_a+)?$/);
  });

  test('M2.5 a name that is legal as it stands keeps it beside one that comes out the same', () => {
    expect([...nameServers(['a.b', 'a_b'])].map(([, part]) => part)).toEqual(
      expect.arrayContaining(['a_b', expect.stringMatching(/^[0-9a-f]{6}_a_b$/)]),
    );
    const tools = nameTools('s', ['get.item', 'get_item', 'get/item', 'other.item']);
    expect(tools.get('get_item')).toBe('mcp__s__get_item');
    expect(tools.get('other.item')).toBe('mcp__s__other_item');
    expect(tools.get('get.item')).toMatch(/^mcp__s__[0-9a-f]{6}_get_item$/);
    expect(tools.get('get/item')).not.toBe(tools.get('get.item'));
  });

  test('M2.5 a name that is too long keeps its tail', () => {
    const long = `${'word_'.repeat(20)}the_end`;
    const wire = nameTools('server', [long]).get(long) ?? '';
    expect(wire).toHaveLength(64);
    expect(wire).toMatch(/^mcp__server__[0-9a-f]{6}_.*word_the_end$/);
  });

  test.each(['Read', 'mcp__', 'mcp__server', 'mcp____tool', 'mcp__server__'])('%s is no name of a server’s tool', (other) => {
    expect(splitName(other)).toBeUndefined();
  });
});

test('M2.5 a restriction also holds by the name a server is written with, where that grants nothing', () => {
  const server = { name: 'my__server', part: 'my_server' };
  expect(ruleNames(server, 'read')).toEqual(['mcp__my_server__read', 'mcp__my_server']);
  expect(restrictedNames(server, 'read')).toEqual(
    expect.arrayContaining(['mcp__my__server__read', 'mcp__my__server', 'mcp__my_server__read']),
  );
});
