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

test.each([
  ['select:A,B', { kind: 'select', names: ['A', 'B'] }],
  ['  SELECT: `A` , "B",A,,', { kind: 'select', names: ['A', 'B'] }],
  ['select:', { kind: 'select', names: [] }],
  ['+slack send message', { kind: 'words', text: 'slack send message', required: ['slack'] }],
  ['a+b c++ + -x +y', { kind: 'words', text: 'a+b c++ + -x y', required: ['y'] }],
  ['', { kind: 'words', text: '', required: [] }],
])('M3.3 the query %j is read as %j', (query, parsed) => {
  expect(parseQuery(query)).toEqual(parsed);
});

test('M3.3 a query of any length is read, the end of a very long one not', () => {
  expect(parseQuery(`word ${'x'.repeat(1_000_000)}`)).toMatchObject({ kind: 'words', text: expect.stringMatching(/^word x{1995}$/) });
});
