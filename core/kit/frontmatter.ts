/** A text with the fields that stand before it between two lines of dashes. */
export interface Frontmatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** `repaired`: it was no YAML until plain values were put in quotes. `broken`: it cannot be read, and there are no fields. */
  readonly state: 'absent' | 'whole' | 'repaired' | 'broken';
  /** What was wrong or is easily meant otherwise, and in which line of the text. */
  readonly problem?: { readonly line: number; readonly cause: string } | undefined;
}

const FENCED = /^---[ \t]*\r?\n([^]*?)(?:(?<=\n)---[ \t]*(?:\r?\n|$))/;
const KEYED = /^([ ]*)([A-Za-z_][\w .-]*):[ \t]+(\S.*)$/;
/** Longer and deeper than any real one. */
const MOST_CHARS = 65_536;
const MOST_LINES = 2_000;
const MOST_REPAIRED_LINES = 500;
const MOST_DEEP = 50;

/**
 * Reads the YAML at the beginning of a text. A byte order mark is skipped; of a key that stands twice the last counts. What is not
 * YAML gets one repair: plain values are put in quotes, with the lines that go on with them. Never throws: a text without such a beginning is all body.
 */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const plain = text.replace(/^\uFEFF/, '');
  const [whole, yaml] = FENCED.exec(plain) ?? [];
  if (whole === undefined || yaml === undefined) return { fields: {}, body: plain, state: 'absent' };
  const body = plain.slice(whole.length);
  const excess = excessIn(yaml);
  if (excess !== undefined) return { fields: {}, body, state: 'broken', problem: { line: 1, cause: excess } };
  const given = await parse(yaml);
  if (given.kind === 'ok') return { fields: given.fields, body, state: 'whole', problem: commentIn(yaml) };
  const { problem } = given;
  if (linesIn(yaml) > MOST_REPAIRED_LINES) return { fields: {}, body, state: 'broken', problem };
  const repaired = await parse(await quoted(yaml));
  return repaired.kind === 'ok'
    ? { fields: repaired.fields, body, state: 'repaired', problem }
    : { fields: {}, body, state: 'broken', problem };
}

/** What no parser should see: brackets in brackets without end take the whole process with them. */
function excessIn(yaml: string): string | undefined {
  if (yaml.length > MOST_CHARS) return `it is longer than ${MOST_CHARS}`;
  if (linesIn(yaml) > MOST_LINES) return `it has more than ${MOST_LINES} lines`;
  let depth = 0;
  for (const [bracket] of yaml.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (depth > MOST_DEEP) return `it is nested deeper than ${MOST_DEEP}`;
  }
  return undefined;
}

function linesIn(text: string): number {
  return text.split('\n').length;
}

/** Whoever writes ` #12` in a plain value rarely means a comment. */
function commentIn(yaml: string): Frontmatter['problem'] {
  const at = yaml.split(/\r?\n/).findIndex((line) => /\s#\S/.test(/^["'|>[{]/.test(KEYED.exec(line)?.[3] ?? '"') ? '' : line));
  return at === -1 ? undefined : { line: at + 2, cause: 'what stands behind " #" is a comment; put the value in quotes to keep it' };
}

type ParsedYaml =
  | { readonly kind: 'ok'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'invalid'; readonly problem: { readonly line: number; readonly cause: string } };

async function parse(yaml: string): Promise<ParsedYaml> {
  const { parseDocument } = await import('yaml');
  try {
    const document = parseDocument(yaml, { uniqueKeys: false, logLevel: 'silent' });
    const [error] = document.errors;
    // The text begins behind the line of dashes.
    if (error) return { kind: 'invalid', problem: { line: (error.linePos?.[0].line ?? 1) + 1, cause: firstLine(error.message) } };
    const value: unknown = document.toJS({ maxAliasCount: 20 });
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return { kind: 'ok', fields: isMap ? { ...value } : {} };
  } catch (cause) {
    return { kind: 'invalid', problem: { line: 2, cause: firstLine((cause as Error).message) } };
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** The same with every plain value in quotes that is no value by itself, and spaces for tabs. */
async function quoted(yaml: string): Promise<string> {
  const lines = yaml.split(/\r?\n/).map((line) => line.replace(/^\t+/, (tabs) => '  '.repeat(tabs.length)));
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at++] ?? '';
    const [, indent = '', key, value = ''] = KEYED.exec(line) ?? [];
    if (key === undefined || /^(["'|>#]|&\S+ |!\S+ )/.test(value)) {
      if (!isStray(line)) kept.push(line);
      continue;
    }
    const more: string[] = [];
    while (at < lines.length && goesOn(lines[at] ?? '', indent.length)) more.push((lines[at++] ?? '').trim());
    const alone = await parse([`k: ${value}`, ...more.map((each) => `  ${each}`)].join('\n'));
    const text = [value.trim(), ...more].join(' ').trim();
    if (alone.kind === 'invalid') kept.push(`${indent}${key}: ${JSON.stringify(text)}`);
    // To YAML a line at the margin of a key is none of its value's, whatever it was meant to be.
    else kept.push(line, ...more.map((each) => `${indent}  ${each}`));
  }
  return kept.join('\n');
}

/** At the margin stand entries and nothing else; a word there that is none belongs to nothing. */
function isStray(line: string): boolean {
  return /^[^\s#\-}\]]/.test(line) && !/^["']?[\w .-]+["']?:(\s|$)/.test(line);
}

/** Whether a line belongs to the plain value before it: what is deeper, and what is no entry of its own. */
function goesOn(line: string, indent: number): boolean {
  const deeper = /^ */.exec(line)?.[0].length ?? 0;
  return line.trim() === '' || deeper > indent || !/^ *([A-Za-z_][\w .-]*:(\s|$)|- |#)/.test(line);
}
