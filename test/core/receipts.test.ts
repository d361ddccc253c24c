import { bytesReadAgain, compareReceipts, takeReceipt, wireTool, type Message, type WireTool } from 'pegboard';
import { expect, test } from 'vitest';

import { fakeTool } from '../support/fake-tools.ts';

const [read, write, git, web] = ['Read', 'Write', 'mcp__git__log', 'mcp__web__fetch'].map((name) => wireTool(fakeTool(name))) as [
  WireTool,
  WireTool,
  WireTool,
  WireTool,
];
const hello: Message = { role: 'user', content: [{ type: 'text', text: 'hello' }] };
const answer: Message = { role: 'assistant', content: [{ type: 'text', text: 'hi' }] };

function receipt(tools: readonly WireTool[], messages: readonly Message[] = [hello], system = 'Be good.') {
  return takeReceipt({ system, tools, messages, maxTokens: 100 }, 2);
}

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('M3.4 a receipt has one segment for the built-ins, one per other tool, the system text and each message, with sizes in bytes', () => {
  const built = receipt([read, write, git], [hello, answer]);
  expect(built.map((each) => [each.name, each.bytes])).toEqual([
    ['built-ins', bytes([read, write])],
    ['tool mcp__git__log', bytes(git)],
    ['system', bytes('Be good.')],
    ['message 1', bytes(hello)],
    ['message 2', bytes(answer)],
  ]);
});

test('M3.4 the same request gives the same receipt, and a longer conversation is no change', () => {
  const before = receipt([read, write, git]);
  const now = receipt([read, write, git], [hello, answer, hello]);
  expect(receipt([read, write, git])).toEqual(before);
  expect(compareReceipts(before, now)).toEqual([]);
  expect(bytesReadAgain(before, now)).toBe(0);
});

test('M3.4 a receipt names what was added, changed or went, and how many bytes it has', () => {
  const other = { ...git, description: 'Another text.' };
  expect(compareReceipts(receipt([read, write, git]), receipt([read, write, other, web], [hello], 'Be better.'))).toEqual([
    { kind: 'changed', segment: 'tool mcp__git__log', bytes: bytes(other) },
    { kind: 'added', segment: 'tool mcp__web__fetch', bytes: bytes(web) },
    { kind: 'changed', segment: 'system', bytes: bytes('Be better.') },
  ]);
  expect(compareReceipts(receipt([read, write, git]), receipt([read, { ...write, description: '' }]))).toEqual([
    { kind: 'changed', segment: 'built-ins', bytes: bytes([read, { ...write, description: '' }]) },
    { kind: 'gone', segment: 'tool mcp__git__log', bytes: bytes(git) },
  ]);
});

test('M3.4 a tool added behind the others makes an endpoint read system and messages again, but no tool', () => {
  const before = receipt([read, write, git], [hello]);
  const now = receipt([read, write, git, web], [hello, answer]);
  expect(bytesReadAgain(before, now)).toBe(bytes('Be good.') + bytes(hello));
});

test('M3.4 a deferred definition lies outside the prefix: it is an addition that costs no second reading', () => {
  const before = receipt([read, write]);
  const now = receipt([read, write, { ...web, defer_loading: true }]);
  expect(compareReceipts(before, now)).toMatchObject([{ kind: 'added', segment: 'tool mcp__web__fetch' }]);
  expect(bytesReadAgain(before, now)).toBe(0);
});

test('M3.4 tools in another order are read again though none changed', () => {
  expect(bytesReadAgain(receipt([read, write, git, web]), receipt([read, write, web, git]))).toBe(
    bytes(web) + bytes(git) + bytes('Be good.') + bytes(hello),
  );
});
