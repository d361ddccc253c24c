import { stat } from 'node:fs/promises';

import { causeText } from 'pegboard';
import { readFrontmatter, readRegularFile, type Frontmatter } from 'pegboard/kit';

import { describedBy, readFields } from './read-fields.ts';
import type { Origin, Skill } from './skill.ts';

const MOST_BYTES = 2_000_000;
const MOST_PARAGRAPH = 250;

/** A file that may hold a skill, and what it would be called. */
export interface Found {
  readonly kind: Skill['kind'];
  readonly from: Origin;
  readonly file: string;
  readonly folder: string | undefined;
  /** Without the namespace. */
  readonly name: string;
  /** Whether its own `name` comes before the one of its folder. */
  readonly namesItself: boolean;
  /** Fields given elsewhere, which come before the file's own. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Files that were read, as they stood then: what has not changed is not read again. */
export class ReadFiles {
  readonly #read = new Map<string, { readonly stamp: string; readonly text: Frontmatter }>();

  /** Reads a file anew if it has changed. Throws for what is no file of a size that could be one. */
  async read(file: string): Promise<Frontmatter> {
    const { mtimeMs, size, ino } = await stat(file);
    const stamp = `${mtimeMs}:${size}:${ino}`;
    const known = this.#read.get(file);
    if (known?.stamp === stamp) return known.text;
    if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    const text = await readFrontmatter((await readRegularFile(file)) ?? '');
    this.#read.set(file, { stamp, text });
    return text;
  }
}

/** The skill of a file, or why there is none. */
export async function readSkill(found: Found, files: ReadFiles): Promise<Skill | { readonly file: string; readonly cause: string }> {
  try {
    return skillOf(found, await files.read(found.file));
  } catch (cause) {
    return { file: found.file, cause: causeText(cause) };
  }
}

/** A skill of a text that has been read. */
export function skillOf(found: Found, read: Frontmatter): Skill {
  const { kind, from, file, folder, namesItself } = found;
  const given = { ...read.fields, ...found.fields };
  const fields = readFields(given);
  const said = describedBy(given);
  const name = namesItself && fields.name ? fields.name : found.name;
  const id = withNamespace(from, kind === 'skill' ? cleaned(name) : name);
  return {
    id,
    aliases: kind === 'skill' ? aliasesOf(id, name, fields.name, from) : [],
    kind,
    from,
    file,
    folder,
    description: said ?? firstParagraph(read.body),
    described: said !== undefined,
    fields,
    body: read.body,
    note: noteOn(read, said),
  };
}

function aliasesOf(id: string, ...[name, called, from]: readonly [string, string | undefined, Origin]): readonly string[] {
  const names = [name, ...(called === undefined ? [] : [called])].flatMap((each) => [withNamespace(from, each), each]);
  return [...new Set([...names, id.slice(id.lastIndexOf(':') + 1)])].filter((each) => each !== id);
}

function withNamespace({ namespace }: Origin, name: string): string {
  return namespace === '' ? name : `${namespace}:${name}`;
}

/** Names of skills are words a model can say without a mistake. */
function cleaned(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/gu, '-');
}

function firstParagraph(body: string): string {
  const text =
    body
      .trim()
      .split(/\r?\n\s*\r?\n/)[0]
      ?.replaceAll(/\s+/g, ' ')
      .replace(/^#+ /, '') ?? '';
  return text.length > MOST_PARAGRAPH ? `${text.slice(0, MOST_PARAGRAPH - 1)}…` : text;
}

/** What whoever wrote it would want to know; only what was lost or could surprise. */
function noteOn({ state, problem, fields, body }: Frontmatter, description: string | undefined): string | undefined {
  const at = problem && `line ${problem.line}: ${problem.cause}`;
  if (state === 'broken') return `its fields cannot be read and do not count (${at})`;
  if (/^(\.\.?\/)+[\w./ -]+$/.test(body.trim()) && body.length < 300)
    return 'it looks like a link that was checked out as a text: its target is not read';
  if (state === 'repaired') return `its fields were put in quotes to be read (${at})`;
  if (state === 'whole' && at !== undefined) return at;
  if (state === 'absent')
    return body.trimStart().startsWith('---')
      ? 'its fields do not stand between two lines of three dashes, the first of them its first line'
      : undefined;
  if (fields['description'] !== undefined && description === undefined) return 'its description is no text and does not count';
  return undefined;
}
