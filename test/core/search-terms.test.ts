import { expect, test } from 'vitest';

import { parseQuery } from '../../core/search/query.ts';
import { joinedName, termsOf } from '../../core/search/terms.ts';

test.each([
  ['createIssue', 'creat issu createissue'],
  ['create_issue', 'creat issu'],
  ['getHTTPUrl', 'get http url gethttpurl'],
  ['HTML2PDF', 'html pdf html2pdf'],
  ['oauth2 s3 k8s b 7 42', 'oauth oauth2 s3 k8s 42'],
  ['URLs and PDFs', 'url pdf'],
  ['GitHub', 'git hub github'],
  ['the files of a user', 'file user'],
  ['mail.s a.b/c', 'mail'],
  ['Café Ünïted', 'cafe unit'],
  ['搜索文件', '搜索 索文 文件'],
  ['PDFを検索', 'pdf を検 検索'],
  ['파일 검색', '파일 검색'],
  ['поиск файлов', 'поиск файлов'],
  ['constructor __proto__ toString', 'constructor proto string tostring'],
  ['', ''],
])('M3.3 the text %j is searched by the terms %j', (text, terms) => {
  expect(termsOf(text).join(' ')).toBe(terms);
});

test('M3.3 a name is the same in every way of writing it', () => {
  expect(new Set(['create_issue', 'createIssue', 'Create issue', 'CREATE-ISSUE'].map(joinedName))).toEqual(new Set(['createissue']));
});

const WORDS = { kind: 'words', text: '', required: [], phrases: [], servers: [] };

test.each([
  ['select:A,B', { kind: 'select', names: ['A', 'B'] }],
  ['  SELECT: `A` , "B",A,,', { kind: 'select', names: ['A', 'B'] }],
  ['select:', { kind: 'select', names: [] }],
  ['+slack send message', { ...WORDS, text: 'slack send message', required: ['slack'] }],
  ['a+b c++ + -x +y', { ...WORDS, text: 'a+b c++ + -x y', required: ['y'] }],
  ['server:github list issues', { ...WORDS, text: 'list issues', servers: ['github'] }],
  ['post Server:"My Slack" message', { ...WORDS, text: 'post message', servers: ['My Slack'] }],
  ['mcp__github__', { ...WORDS, servers: ['github'] }],
  ['mcp__github issues', { ...WORDS, text: 'issues', servers: ['github'] }],
  ['mcp__github__* issues', { ...WORDS, text: 'issues', servers: ['github'] }],
  ['mcp__github__list_issues', { ...WORDS, text: 'mcp__github__list_issues' }],
  [
    'find "pull requests" and “open issues”',
    { ...WORDS, text: 'find "pull requests" and “open issues”', phrases: ['pull requests', 'open issues'] },
  ],
  ['a "word" alone, an "open one', { ...WORDS, text: 'a "word" alone, an "open one' }],
  ['translate the long sentence that I found "in a book" into French please', { ...WORDS, text: expect.any(String) }],
  ['', WORDS],
])('M3.3 the query %j is read as %j', (query, parsed) => {
  expect(parseQuery(query)).toEqual(parsed);
});

test('M3.3 a query of any length is read, the end of a very long one not', () => {
  expect(parseQuery(`word ${'x'.repeat(1_000_000)}`)).toMatchObject({ kind: 'words', text: expect.stringMatching(/^word x{1995}$/) });
});
