/** One file as the rules see it: its path from the top of the repository, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A piece of code. Comments and white space are not tokens; a template with values in it is one `template` per stretch of text. */
export interface Token {
  readonly kind: 'word' | 'string' | 'template' | 'regex' | 'number' | 'mark';
  /** Of a string or template its content without quotes, otherwise as written. */
  readonly text: string;
  readonly line: number;
  /** How many brackets of any kind are open around it. */
  readonly depth: number;
}

/** Behind these words a `/` begins a regular expression, not a division. */
const BEFORE_REGEX: ReadonlySet<string> = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'void',
  'delete',
  'await',
  'yield',
  'else',
  'throw',
]);
const SPACE_OR_COMMENT = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*)+/y;
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const STRING = /'((?:\\[\s\S]|[^'\\\n])*)'|"((?:\\[\s\S]|[^"\\\n])*)"/y;
const TEMPLATE_PART = /((?:\\[\s\S]|\$(?!\{)|[^`\\$])*)(`|\$\{)/y;
const WORD = /#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;

/** The tokens of TypeScript or JavaScript code: enough to see imports, literals and lines, no more. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const open: string[] = [];
  let at = 0;
  let line = 1;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const advance = (length: number) => {
    for (let i = at; i < at + length; i++) if (text[i] === '\n') line++;
    at += length;
  };
  const take = (kind: Token['kind'], content: string, length: number) => {
    tokens.push({ kind, text: content, line, depth: open.length });
    advance(length);
  };
  const takeTemplate = (skip: number) => {
    advance(skip);
    const part = match(TEMPLATE_PART);
    if (part === null) return advance(text.length - at);
    take('template', part[1] ?? '', part[0].length);
    if (part[2] === '${') open.push('${');
  };

  while (at < text.length) {
    const space = match(SPACE_OR_COMMENT);
    if (space) {
      advance(space[0].length);
      continue;
    }
    const char = text[at] ?? '';
    const found = match(STRING);
    if (found) take('string', found[1] ?? found[2] ?? '', found[0].length);
    else if (char === '`') takeTemplate(1);
    else if (char === '}' && open.at(-1) === '${') {
      open.pop();
      takeTemplate(1);
    } else if (char === '/' && regexMayStand(tokens.at(-1)) && match(REGEX)) take('regex', '', match(REGEX)?.[0].length ?? 1);
    else if (match(WORD)) take('word', match(WORD)?.[0] ?? '', match(WORD)?.[0].length ?? 1);
    else if (match(NUMBER)) take('number', match(NUMBER)?.[0] ?? '', match(NUMBER)?.[0].length ?? 1);
    else {
      if ('([{'.includes(char)) open.push(char);
      if (')]}'.includes(char)) open.pop();
      take('mark', char, 1);
    }
  }
  return tokens;
}

function regexMayStand(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'word') return BEFORE_REGEX.has(before.text);
  return before.kind === 'mark' && before.text !== ')' && before.text !== ']';
}

/** How many lines carry code: blank lines and comments do not count, the inner lines of a long string do. */
export function codeLines(text: string): number {
  const lines = new Set<number>();
  for (const token of tokensOf(text)) {
    const height = token.kind === 'template' ? token.text.split('\n').length : 1;
    for (let i = 0; i < height; i++) lines.add(token.line + i);
  }
  return lines.size;
}

/** One import or re-export of a file. `type` leaves nothing behind in the built file; `dynamic` runs when it is reached. */
export interface Import {
  readonly kind: 'value' | 'type' | 'dynamic';
  readonly from: string;
  readonly line: number;
}

/** Everything a file imports or re-exports, in order. */
export function importsOf(text: string): readonly Import[] {
  const tokens = tokensOf(text);
  return tokens.flatMap((token, at) => importAt(tokens, token, at) ?? []);
}

function importAt(tokens: readonly Token[], token: Token, at: number): Import | undefined {
  const next = tokens[at + 1];
  const before = tokens[at - 1];
  if (token.kind !== 'word' || before?.text === '.' || next === undefined) return undefined;
  if ((token.text === 'import' || token.text === 'require') && next.text === '(') {
    const name = tokens[at + 2];
    const kind = before?.text === 'typeof' ? 'type' : 'dynamic';
    return name?.kind === 'string' ? { kind, from: name.text, line: token.line } : undefined;
  }
  if (token.text === 'import' && next.kind === 'string') return { kind: 'value', from: next.text, line: token.line };
  if ((token.text !== 'import' && token.text !== 'export') || token.depth !== 0) return undefined;
  const end = clauseEnd(tokens, at + 1);
  const from = end === undefined ? undefined : tokens[end];
  if (from === undefined) return undefined;
  return { kind: next.text === 'type' && tokens[at + 2]?.text !== 'from' ? 'type' : 'value', from: from.text, line: token.line };
}

/** Where the module name of an import or export clause stands; `undefined` when the statement names no module. */
function clauseEnd(tokens: readonly Token[], start: number): number | undefined {
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined || token.text === ';' || token.text === '=' || token.text === '(') return undefined;
    if (
      token.depth === 0 &&
      token.kind === 'word' &&
      /^(const|let|var|function|class|interface|enum|default|async|abstract)$/.test(token.text)
    )
      return undefined;
    if (token.text === 'from' && token.depth === 0 && tokens[at + 1]?.kind === 'string') return at + 1;
  }
  return undefined;
}
