import type { Complaint } from './layer-checks.ts';
import { tokensOf, type SourceFile, type Token } from './source-text.ts';

/** A name somebody gave to a tool, a plugin or a model outside core. */
export interface GivenName {
  readonly name: string;
  readonly path: string;
}

const DEFINERS: ReadonlySet<string> = new Set(['defineTool', 'definePlugin']);

/** The names of all built-in tools, plugins and models, as the sources say them. */
export function givenNames(files: readonly SourceFile[]): readonly GivenName[] {
  return files
    .filter(({ path }) => /^(builtin-plugins|mcp|skills)\//.test(path))
    .flatMap(({ path, text }) => {
      const tokens = tokensOf(text);
      const anywhere = path.startsWith('builtin-plugins/models/');
      return tokens.flatMap((token, at) => {
        const defines = DEFINERS.has(token.text) && /^[(<]$/.test(tokens[at + 1]?.text ?? '') && tokens[at - 1]?.text !== 'function';
        const name = defines ? firstName(tokens, at, token.depth + 1) : anywhere && token.depth > 0 ? nameAt(tokens, at) : undefined;
        return name === undefined ? [] : [{ name, path }];
      });
    });
}

function firstName(tokens: readonly Token[], start: number, depth: number): string | undefined {
  for (let at = start; at < tokens.length && at < start + 200; at++) {
    const token = tokens[at];
    if (token !== undefined && token.depth > depth) {
      const name = nameAt(tokens, at);
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** The value of `name: …` here: a literal, or a constant of the same file. */
function nameAt(tokens: readonly Token[], at: number): string | undefined {
  const value = tokens[at + 2];
  if (tokens[at]?.text !== 'name' || tokens[at + 1]?.text !== ':') return undefined;
  if (value?.kind === 'string') return value.text;
  const constant = tokens.findIndex((token, i) => token.text === 'const' && tokens[i + 1]?.text === value?.text);
  const given = constant === -1 ? undefined : tokens.slice(constant, constant + 6).find(({ kind }) => kind === 'string');
  return given?.text;
}

/** Words of core's own protocol: the kinds and provisions a tool may declare, and the names of points. */
function protocolWords(files: readonly SourceFile[]): ReadonlySet<string> {
  const declarations: readonly (readonly [string, string])[] = [
    ['core/tool.ts', 'ToolKind'],
    ['core/tool.ts', 'Provision'],
    ['core/points.ts', 'Contributions'],
  ];
  return new Set(declarations.flatMap(([path, name]) => stringsOf(files.find((file) => file.path === path)?.text ?? '', name)));
}

function stringsOf(text: string, declaration: string): readonly string[] {
  const tokens = tokensOf(text);
  const start = tokens.findIndex((token, at) => token.text === declaration && /^(type|interface)$/.test(tokens[at - 1]?.text ?? ''));
  const rest = start === -1 ? [] : tokens.slice(start);
  const end = rest.findIndex(
    (token, at) => at > 1 && token.depth === 0 && /^(;|export|type|interface|const|function|class)$/.test(token.text),
  );
  return rest.slice(0, end === -1 ? rest.length : end).flatMap(({ kind, text: word }) => (kind === 'string' ? [word] : []));
}

/** R6: no name of a tool, plugin or model stands in core as a literal, or in the middle of one where it can mean nothing else. */
export function nameComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  const allowed = protocolWords(files);
  const names = new Map(givenNames(files).map(({ name, path }) => [name, path]));
  return files
    .filter(({ path }) => path.startsWith('core/'))
    .flatMap(({ path, text }) =>
      tokensOf(text)
        .filter(({ kind }) => kind === 'string' || kind === 'template')
        .flatMap((token) =>
          [...names]
            .filter(([name]) => !allowed.has(name) && (token.text === name || (isUnmistakable(name) && wordsOf(token.text).has(name))))
            .map(
              ([name, owner]) =>
                `${path}:${token.line} has the name "${name}" of ${owner} in it. Ask what a tool is (kind, provides, a member), never which.`,
            ),
        ),
    );
}

/** Two humps or a mark inside: a name like `ToolSearch` is no word of a sentence, one like `Read` may be. */
function isUnmistakable(name: string): boolean {
  return /[a-z][A-Z]|[_-]/.test(name);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/[^\w-]+/));
}

interface Ban {
  readonly pattern: readonly string[];
  readonly what: string;
}

/** Token sequences that read the clock, chance, the environment or the locale (R7). */
const WORLD: readonly Ban[] = [
  { pattern: ['Date'], what: 'the clock' },
  { pattern: ['performance'], what: 'the clock' },
  { pattern: ['hrtime'], what: 'the clock' },
  { pattern: ['Math', '.', 'random'], what: 'chance' },
  { pattern: ['randomUUID'], what: 'chance' },
  { pattern: ['randomBytes'], what: 'chance' },
  { pattern: ['getRandomValues'], what: 'chance' },
  { pattern: ['process', '.', 'env'], what: 'the environment' },
  { pattern: ['process', '.', 'cwd'], what: 'the environment' },
  { pattern: ['process', '.', 'platform'], what: 'the environment' },
  { pattern: ['homedir'], what: 'the environment' },
  { pattern: ['tmpdir'], what: 'the environment' },
  { pattern: ['localeCompare'], what: 'the locale' },
  { pattern: ['toLocaleString'], what: 'the locale' },
  { pattern: ['toLocaleLowerCase'], what: 'the locale' },
  { pattern: ['toLocaleUpperCase'], what: 'the locale' },
  { pattern: ['Intl'], what: 'the locale' },
];

/** What only a command line may touch (R5). */
const TERMINAL: readonly Ban[] = [
  { pattern: ['process', '.', 'stdout'], what: 'the terminal' },
  { pattern: ['process', '.', 'stdin'], what: 'the terminal' },
  { pattern: ['process', '.', 'stderr'], what: 'the terminal' },
  { pattern: ['process', '.', 'argv'], what: 'the terminal' },
  { pattern: ['process', '.', 'exit'], what: 'the process' },
  { pattern: ['process', '.', 'exitCode'], what: 'the process' },
  { pattern: ['console', '.'], what: 'the terminal' },
];

/** R7: core looks at the world in one file only. */
export function worldComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  return files
    .filter(({ path }) => path.startsWith('core/') && path !== 'core/host-options.ts')
    .flatMap((file) => found(file, WORLD, (what) => `looks at ${what}. Take it from HostOptions, which can be given in a test.`));
}

/** R5: the terminal belongs to the command line. */
export function terminalComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  return files
    .filter(({ path }) => /^(core|mcp|skills|settings|builtin-plugins)\//.test(path))
    .flatMap((file) => found(file, TERMINAL, (what) => `touches ${what}. Give an event or a value; cli/ shows it.`));
}

function found(file: SourceFile, bans: readonly Ban[], sentence: (what: string) => string): readonly Complaint[] {
  const tokens = tokensOf(file.text);
  return tokens.flatMap((token, at) =>
    bans
      .filter(({ pattern }) => token.kind === 'word' && matches(tokens, at, pattern))
      .map(({ pattern, what }) => `${file.path}:${token.line} says ${pattern.join('')}: it ${sentence(what)}`),
  );
}

function matches(tokens: readonly Token[], at: number, pattern: readonly string[]): boolean {
  return pattern.every((word, i) => tokens[at + i]?.text === word && (tokens[at + i]?.kind === 'word' || word === '.'));
}

const WRITABLE: ReadonlySet<string> = new Set(['Map', 'Set', 'Array', 'AbortController', 'EventEmitter', 'EventTarget']);

/** Nothing at the top of a file changes after it was loaded. A table is a `ReadonlyMap`, a `ReadonlySet` or `as const`; a `WeakMap` may be a memo. */
export function stateComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  return files
    .filter(({ path }) => !/^(test|bench|examples)\//.test(path))
    .flatMap(({ path, text }) =>
      statementsAtTop(tokensOf(text))
        .filter(changes)
        .map(
          (statement) =>
            `${path}:${statement[0]?.line} keeps a value that changes at the top of the file. Let whoever starts it own it, or declare it Readonly….`,
        ),
    );
}

function statementsAtTop(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const starts = tokens.flatMap((token, at) =>
    token.depth === 0 && /^(const|let|var)$/.test(token.text) && token.kind === 'word' ? [at] : [],
  );
  return starts.map((start) => {
    const end = tokens.findIndex((token, at) => at > start && token.depth === 0 && token.text === ';');
    return tokens.slice(start, end === -1 ? tokens.length : end);
  });
}

function changes(statement: readonly Token[]): boolean {
  if (statement[0]?.text !== 'const') return true;
  const equals = statement.findIndex(({ text, depth }) => text === '=' && depth === 0);
  const declared = statement.slice(0, equals).map(({ text }) => text);
  if (declared.some((word) => word.startsWith('Readonly') || word === 'readonly')) return false;
  const value = statement.slice(equals + 1).map(({ text }) => text);
  if (value[0] === 'new') return WRITABLE.has(value[1] ?? '');
  const empty = (value[0] === '[' && value[1] === ']') || (value[0] === '{' && value[1] === '}');
  return empty && !value.includes('const');
}
