import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { causeText, PegboardError } from 'pegboard';

import { parseDocument, partOf, plainDocument, type Document } from './document.ts';
import { placeIn, type Sheet } from './entry.ts';
import { explore, formatOf, type FoundFile } from './explorer.ts';
import { isHome, type ProjectFolder } from './find-project.ts';
import { trackingOf } from './git-index.ts';
import type { Ignored, Layer, LayerName, Problem } from './layer.ts';
import { managedComplaint, type ManagedFile } from './managed-file.ts';
import { isObject, own, type JsonObject } from './object.ts';
import { readText } from './read-text.ts';
import { realOf, repositoryOf, type Repository } from './repository.ts';
import { LOADER_PLACES } from './search-places.data.ts';

/** What was found on disk and on the command line, layer by layer, the highest first. */
export interface Sources {
  readonly sheets: readonly Sheet[];
  readonly layers: readonly Layer[];
  readonly problems: readonly Problem[];
  readonly ignored: readonly Ignored[];
}

/** A file to read, and whose word it is. */
type Wanted = Pick<Sheet, 'layer' | 'source' | 'folder' | 'by'> & { readonly dialect?: Sheet['dialect'] | undefined };

/** Reads one file after the other. What each file last said while it was whole is kept in `lastGood`. */
export class SourceReader {
  readonly #sheets: Sheet[] = [];
  readonly #layers: Layer[] = [];
  readonly #problems: Problem[] = [];
  readonly #ignored: Ignored[] = [];
  readonly #lastGood: Map<string, Document>;

  constructor(lastGood: Map<string, Document>) {
    this.#lastGood = lastGood;
  }

  result(): Sources {
    return { sheets: this.#sheets, layers: this.#layers, problems: this.#problems, ignored: this.#ignored };
  }

  /** Words of the command line or a variable. */
  given(source: string, value: JsonObject, folder: string): void {
    this.#put({ layer: 'cli', source, folder, by: 'cli' }, plainDocument(value));
  }

  /** The policy of an organisation, if its file belongs to the administrator. */
  async managed(managed: ManagedFile): Promise<void> {
    const wanted: Wanted = { layer: 'managed', source: managed.file, folder: dirname(managed.file), by: 'managed' };
    const why = await managedComplaint(managed, process.platform === 'win32').catch(causeText);
    if (why === undefined) return this.file(wanted);
    const error = new PegboardError('SETTINGS_OWNER', { file: managed.file, cause: why });
    this.#layers.push({ name: 'managed', source: managed.file, state: { kind: 'left', why } });
    this.#problem(wanted, error, 'restriction');
  }

  /** `--settings`: JSON, or a file that must be there. */
  async option(given: string, cwd: string): Promise<void> {
    if (given.trimStart().startsWith('{')) return this.#text({ layer: 'cli', source: '--settings', folder: cwd, by: 'cli' }, given, 'json');
    const file = resolve(cwd, given);
    await this.file({ layer: 'cli', source: file, folder: dirname(file), by: 'cli' }, { mustExist: true });
  }

  /** A local file is the person's own, unless the repository could have brought it. */
  async local({ folder, repository }: ProjectFolder, home: string): Promise<void> {
    const source = join(folder, '.pegboard', 'settings.local.json');
    if (isHome(folder, home)) return;
    const by =
      existsSync(source) && repository !== undefined && realOf(source) === source && isUntracked(source, repository) ? 'own' : 'repository';
    await this.file({ layer: 'local', source, folder, by });
  }

  async project({ folder }: ProjectFolder, home: string): Promise<void> {
    const source = join(folder, '.pegboard', 'settings.json');
    if (isHome(folder, home)) return;
    await this.file({ layer: 'project', source, folder, by: 'repository' });
  }

  async user(home: string): Promise<void> {
    await this.file({ layer: 'user', source: join(home, 'settings.json'), folder: home, by: 'user' });
  }

  async servers({ folder }: ProjectFolder): Promise<void> {
    await this.file({ layer: 'project', source: join(folder, '.mcp.json'), folder, by: 'repository', dialect: 'servers' });
  }

  async claude({ folder }: ProjectFolder): Promise<void> {
    for (const name of ['settings.local.json', 'settings.json'])
      await this.file({ layer: 'claude', source: join(folder, '.claude', name), folder, by: 'repository', dialect: 'claude' });
  }

  /** What cosmiconfig finds; scripts and imports only in a trusted folder. */
  async found({ folder }: ProjectFolder, trusted: boolean): Promise<void> {
    for (const name of LOADER_PLACES.filter((place) => existsSync(join(folder, place))))
      this.#ignore('found', join(folder, name), { kind: 'loader' }, 'repository', 'how settings are looked for is not up to the folder');
    const wanted: Wanted = { layer: 'found', source: folder, folder, by: 'repository' };
    try {
      const found = await explore(folder);
      if (found) await this.#foundFile(found, { ...wanted, source: found.file }, trusted, []);
    } catch (cause) {
      this.#broken(wanted, new PegboardError('SETTINGS_READ', { file: folder, cause: causeText(cause) }, { cause }), plainDocument({}));
    }
  }

  /** Reads one file. */
  async file(wanted: Wanted, options: { readonly mustExist?: boolean } = {}): Promise<void> {
    const read = await readText(wanted.source);
    if (read.kind === 'text') return this.#text(wanted, read.text, 'json');
    if (read.kind === 'missing' && !options.mustExist) return this.#missing(wanted.layer, wanted.source);
    const cause = read.kind === 'missing' ? 'there is no such file' : read.cause;
    this.#broken(wanted, new PegboardError('SETTINGS_READ', { file: wanted.source, cause }), plainDocument({}));
  }

  async #text(wanted: Wanted, text: string, format: 'json' | 'yaml', within: readonly string[] = []): Promise<void> {
    const parsed = await parseDocument(text, format);
    const narrow = (document: Document) => {
      if (within.length === 0) return document;
      const value = within.reduce<unknown>((at, name) => own(at, name), document.value);
      return partOf(document, within, isObject(value) ? value : {});
    };
    if (parsed.kind === 'ok') return this.#put(wanted, serversOnly(wanted, narrow(parsed.document)));
    const { line, column, cause } = parsed;
    const error = new PegboardError('SETTINGS_SYNTAX', { file: wanted.source, line, column, cause });
    this.#broken(wanted, error, serversOnly(wanted, narrow(parsed.rest)));
  }

  async #foundFile(found: FoundFile, wanted: Wanted, trusted: boolean, above: readonly string[]): Promise<void> {
    if (found.format !== 'script') await this.#text(wanted, found.text, found.format, found.within);
    else if (trusted) await this.#script(wanted, found.text);
    else {
      const why = 'present, not loaded: it is a script, and the folder is not trusted';
      this.#layers.push({ name: 'found', source: found.file, state: { kind: 'left', why } });
      this.#ignore('found', found.file, { kind: 'script' }, 'trust', why);
    }
    const imports = own(this.#sheets.findLast(({ source }) => source === found.file)?.document.value, '$import');
    for (const path of imports === undefined ? [] : [imports].flat().map(String))
      await this.#import(path, wanted, trusted, [...above, found.file]);
  }

  /** What a file imports stands below it. */
  async #import(path: string, wanted: Wanted, trusted: boolean, above: readonly string[]): Promise<void> {
    if (!trusted) return this.#ignore('found', wanted.source, { kind: 'import', path }, 'trust', 'the folder is not trusted');
    const file = resolve(dirname(wanted.source), path);
    const inner = { ...wanted, source: file };
    const read = await readText(file);
    const fails = (cause: string) => this.#broken(inner, new PegboardError('SETTINGS_READ', { file, cause }), plainDocument({}));
    if (above.includes(file)) return fails(`it imports itself, by way of ${above.at(-1)}`);
    if (read.kind !== 'text') return fails(read.kind === 'missing' ? `there is no such file, and ${wanted.source} imports it` : read.cause);
    await this.#foundFile({ file, text: read.text, format: formatOf(file, read.text), within: [] }, inner, trusted, above);
  }

  async #script(wanted: Wanted, text: string): Promise<void> {
    const { runScript } = await import('./script.ts');
    const outcome = await runScript(wanted.source, text);
    if (outcome.kind === 'value') return this.#put(wanted, plainDocument(outcome.value));
    this.#broken(wanted, new PegboardError('SETTINGS_SCRIPT', { file: wanted.source, cause: outcome.cause }), plainDocument({}));
  }

  #put(wanted: Wanted, document: Document): void {
    this.#lastGood.set(wanted.source, document);
    this.#layers.push({ name: wanted.layer, source: wanted.source, state: { kind: 'read' } });
    this.#sheets.push(sheetOf(wanted, document, 'whole'));
  }

  #broken(wanted: Wanted, error: PegboardError, rest: Document): void {
    const before = this.#lastGood.get(wanted.source);
    const kind = before ? 'kept' : 'broken';
    this.#layers.push({ name: wanted.layer, source: wanted.source, state: { kind, error } });
    this.#sheets.push(before ? sheetOf(wanted, before, 'whole') : sheetOf(wanted, rest, 'rest'));
    this.#problem(wanted, error, before || wanted.dialect === 'servers' ? 'value' : 'restriction');
  }

  #problem(wanted: Wanted, error: PegboardError, costs: Problem['costs']): void {
    this.#problems.push({ costs, error, place: placeIn(wanted, undefined) });
  }

  #missing(name: LayerName, source: string): void {
    this.#lastGood.delete(source);
    this.#layers.push({ name, source, state: { kind: 'missing' } });
  }

  #ignore(layer: LayerName, source: string, what: Ignored['what'], until: Ignored['until'], why: string): void {
    this.#ignored.push({ what, place: { layer, source }, until, why });
  }
}

function sheetOf(wanted: Wanted, document: Document, extent: Sheet['extent']): Sheet {
  return { ...wanted, document, extent, dialect: wanted.dialect ?? 'pegboard' };
}

/** Known to come from this machine: the repository does not track it, nor is it in another repository inside. */
function isUntracked(file: string, { root, gitDir }: Repository): boolean {
  if (repositoryOf(dirname(file))?.root !== root) return false;
  return trackingOf(gitDir, relative(root, file).replaceAll('\\', '/')) === 'untracked';
}

/** A file of servers is `{"mcpServers": {…}}`, or the map itself. */
function serversOnly({ dialect }: Wanted, document: Document): Document {
  if (dialect !== 'servers') return document;
  const inside = own(document.value, 'mcpServers');
  if (inside !== undefined) return { ...document, value: { mcpServers: inside } };
  const servers = Object.fromEntries(Object.entries(document.value).filter(([name, each]) => !name.startsWith('$') || isObject(each)));
  const [at, nameAt] = [document.at, document.nameAt];
  return { value: { mcpServers: servers }, at: (path) => at(path.slice(1)), nameAt: (path) => nameAt(path.slice(1)) };
}
