import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { causeText, PegboardError } from 'pegboard';

import { parseDocument, partOf, plainDocument, type Document, type Position } from './document.ts';
import { placeIn, type Sheet } from './entry.ts';
import { explore, formatOf, type FoundFile } from './explorer.ts';
import { isHome, type ProjectFolder } from './find-project.ts';
import { trackingOf } from './git-index.ts';
import { placeText, type Ignored, type Layer, type LayerName, type Problem } from './layer.ts';
import { managedComplaint, type ManagedFile } from './managed-file.ts';
import { isObject, own, ownAt, type JsonObject } from './object.ts';
import { readText, type FileText } from './read-text.ts';
import { repositoryOf, type Repository } from './repository.ts';
import { LOADER_PLACES } from './search-places.data.ts';

/** What was found on disk and on the command line, layer by layer, the highest first. */
export interface Sources {
  readonly sheets: readonly Sheet[];
  readonly layers: readonly Layer[];
  readonly problems: readonly Problem[];
  readonly ignored: readonly Ignored[];
}

/** A file to read, and whose word it is. */
type Wanted = Pick<Sheet, 'layer' | 'source' | 'folder' | 'by' | 'limited'> & { readonly dialect?: Sheet['dialect'] | undefined };

/** A folder to look into, and why of its files only what restricts counts, if that is so. */
type Looked = ProjectFolder & Pick<Sheet, 'limited'>;

/** What is wrong with a file, where and how. */
interface Fault {
  readonly error: PegboardError;
  readonly at: string;
  readonly cause: string;
}

/** Whom the words of a folder are asked of. */
export interface Reach {
  readonly trusted: boolean;
  /** Does a path without links lie in the project, or else in a folder that is trusted? */
  reaches(real: string): boolean;
}

/** Reads one file after the other. What each file last said while it was whole is kept in `lastGood`. */
export class SourceReader {
  readonly #sheets: Sheet[] = [];
  readonly #layers: Layer[] = [];
  readonly #problems: Problem[] = [];
  readonly #ignored: Ignored[] = [];
  readonly #lastGood: Map<string, Sheet>;
  readonly #reach: Reach;

  constructor(lastGood: Map<string, Sheet>, reach: Reach) {
    this.#lastGood = lastGood;
    this.#reach = reach;
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

  /** All of the project's own folder; of those around it what restricts. */
  async folders(project: ProjectFolder, home: string): Promise<void> {
    await this.#folder(project, home);
    const limited = `${project.folder} is the project's folder; in those around it only deny and ask rules count`;
    for (const folder of project.around) await this.#folder({ ...project, folder, limited }, home);
  }

  async #folder(looked: Looked, home: string): Promise<void> {
    const { folder, limited } = looked;
    const wanted = (layer: LayerName, name: string) => ({ layer, source: join(folder, name), folder, by: 'repository', limited }) as const;
    if (!isHome(folder, home)) {
      await this.#local(looked);
      await this.file(wanted('project', '.pegboard/settings.json'));
    }
    await this.file({ ...wanted('project', '.mcp.json'), dialect: 'servers' });
    await this.#found(looked);
    for (const name of ['settings.local.json', 'settings.json'])
      await this.file({ ...wanted('claude', join('.claude', name)), dialect: 'claude' });
  }

  /** A local file is the person's own, unless the repository could have brought it; what it grants waits for trust all the same. */
  async #local({ folder, repository, limited }: Looked): Promise<void> {
    const source = join(folder, '.pegboard', 'settings.local.json');
    const read = await readText(source);
    const isOwn = read.kind === 'text' && read.real === source && repository !== undefined && isUntracked(source, repository);
    await this.#read({ layer: 'local', source, folder, by: isOwn ? 'own' : 'repository', limited }, read);
  }

  async user(home: string): Promise<void> {
    await this.file({ layer: 'user', source: join(home, 'settings.json'), folder: home, by: 'user' });
  }

  /** All forms that cosmiconfig finds; the first counts, the others restrict. Scripts and imports only in a trusted folder. */
  async #found({ folder, limited }: Looked): Promise<void> {
    for (const name of LOADER_PLACES.filter((place) => existsSync(join(folder, place))))
      this.#ignore('found', join(folder, name), { kind: 'loader' }, 'repository', 'how settings are looked for is not up to the folder');
    const wanted = (source: string): Wanted => ({ layer: 'found', source, folder, by: 'repository', limited });
    try {
      const { found, unreadable, blank } = await explore(folder);
      const [first] = found;
      for (const each of found) {
        const second = `${first?.file} is found first; of further files of its kind only deny and ask rules count`;
        await this.#foundFile(each, { ...wanted(each.file), limited: limited ?? (each === first ? undefined : second) }, []);
      }
      for (const { file, cause } of unreadable) this.#unreadable(wanted(file), cause);
      for (const file of blank) if (this.#lastGood.has(file)) await this.#text(wanted(file), '', 'json');
    } catch (cause) {
      this.#unreadable(wanted(folder), causeText(cause), cause);
    }
  }

  /** Reads one file. */
  async file(wanted: Wanted, options: { readonly mustExist?: boolean } = {}): Promise<void> {
    await this.#read(wanted, await readText(wanted.source), options);
  }

  async #read(wanted: Wanted, read: FileText, options: { readonly mustExist?: boolean } = {}): Promise<void> {
    if (read.kind === 'text') return this.#text(this.#within(wanted, read.real), read.text, 'json');
    if (read.kind === 'missing' && !options.mustExist) return this.#missing(wanted);
    this.#unreadable(wanted, read.kind === 'missing' ? 'there is no such file' : read.cause);
  }

  /** What a folder brings by a link that leads out of what is trusted only restricts. */
  #within(wanted: Wanted, real: string): Wanted {
    if ((wanted.by !== 'repository' && wanted.by !== 'own') || this.#reach.reaches(real)) return wanted;
    return { ...wanted, limited: `it is really ${real}, outside of the folder, and only deny and ask rules count from there` };
  }

  async #text(wanted: Wanted, text: string, format: 'json' | 'yaml', within: readonly string[] = []): Promise<void> {
    const before = this.#lastGood.get(wanted.source);
    // An editor that begins by emptying the file must not lift a deny.
    if (text.trim() === '' && before && Object.keys(before.document.value).length > 0)
      return this.#syntax(wanted, { line: 1, column: 1, cause: 'it is empty; {} says that nothing is set' }, plainDocument({}));
    const parsed = await parseDocument(text, format);
    const narrow = (document: Document) => serversOnly(wanted, within.length === 0 ? document : partOf(document, within));
    if (parsed.kind === 'broken') return this.#syntax(wanted, parsed, narrow(parsed.rest));
    this.#put(wanted, narrow(parsed.document));
    const value = ownAt(parsed.document.value, within);
    if (value !== undefined && value !== null && !isObject(value)) this.#noObject(wanted, within, parsed.document);
  }

  #syntax(wanted: Wanted, { line, column, cause }: Position & { readonly cause: string }, rest: Document): void {
    const file = wanted.source;
    const error = new PegboardError('SETTINGS_SYNTAX', { file, line, column, cause });
    this.#broken(wanted, { error, at: `${file}:${line}:${column}`, cause }, rest);
  }

  /** Somebody meant something by it, a deny perhaps. */
  #noObject(wanted: Wanted, within: readonly string[], document: Document): void {
    const place = placeIn(wanted, document.at(within));
    const issue = 'expected an object with settings in it, such as {"permissions": {"deny": […]}}';
    const error = new PegboardError('SETTINGS_VALUE', { place: placeText(place), key: within.join('.'), issue });
    this.#problems.push({ costs: 'restriction', error, place });
  }

  #unreadable(wanted: Wanted, cause: string, thrown?: unknown): void {
    const error = new PegboardError('SETTINGS_READ', { file: wanted.source, cause }, { cause: thrown });
    this.#broken(wanted, { error, at: wanted.source, cause }, plainDocument({}));
  }

  async #foundFile(found: FoundFile, given: Wanted, above: readonly string[]): Promise<void> {
    const wanted = this.#within(given, found.real);
    if (found.format === 'script') await this.#script(wanted, found);
    else await this.#text(wanted, found.text, found.format, found.within);
    const imports = own(this.#sheets.findLast(({ source }) => source === found.file)?.document.value, '$import');
    for (const path of imports === undefined ? [] : [imports].flat().map(String)) await this.#import(path, wanted, [...above, found.file]);
  }

  /** What a file imports stands below it. */
  async #import(path: string, wanted: Wanted, above: readonly string[]): Promise<void> {
    if (!this.#reach.trusted) return this.#ignore('found', wanted.source, { kind: 'import', path }, 'trust', 'the folder is not trusted');
    const file = resolve(dirname(wanted.source), path);
    const inner = { ...wanted, source: file };
    if (above.includes(file)) return this.#unreadable(inner, `it imports itself, by way of ${above.at(-1)}`);
    const read = await readText(file);
    if (read.kind === 'missing') return this.#unreadable(inner, `there is no such file, and ${wanted.source} imports it`);
    if (read.kind === 'unreadable') return this.#unreadable(inner, read.cause);
    await this.#foundFile({ ...read, file, format: formatOf(file, read.text), within: [] }, inner, above);
  }

  /** Runs where the file really is, and only there: a link could lead elsewhere by now. */
  async #script(wanted: Wanted, { text, real }: FoundFile): Promise<void> {
    const leave = (until: Ignored['until'], why: string) => {
      this.#layers.push({ name: wanted.layer, source: wanted.source, state: { kind: 'left', why } });
      this.#ignore(wanted.layer, wanted.source, { kind: 'script' }, until, why);
    };
    if (!this.#reach.reaches(real))
      return leave('place', `present, not loaded: it is a script, and is really ${real}, outside of the folder`);
    if (!this.#reach.trusted) return leave('trust', 'present, not loaded: it is a script, and the folder is not trusted');
    const { runScript } = await import('./script.ts');
    const outcome = await runScript(real, text);
    if (outcome.kind === 'value') return this.#put(wanted, plainDocument(outcome.value));
    const { cause } = outcome;
    const error = new PegboardError('SETTINGS_SCRIPT', { file: wanted.source, cause });
    this.#broken(wanted, { error, at: wanted.source, cause }, plainDocument({}));
  }

  #put(wanted: Wanted, document: Document): void {
    const sheet = sheetOf(wanted, document, 'whole');
    this.#lastGood.set(wanted.source, sheet);
    this.#layers.push({ name: wanted.layer, source: wanted.source, state: { kind: 'read' } });
    this.#sheets.push(sheet);
  }

  #broken(wanted: Wanted, { error, at, cause }: Fault, rest: Document): void {
    const before = this.#lastGood.get(wanted.source);
    const told = before ? new PegboardError('SETTINGS_KEPT', { place: at, cause }, { cause: error }) : error;
    this.#layers.push({ name: wanted.layer, source: wanted.source, state: { kind: before ? 'kept' : 'broken', error: told } });
    // Where it led and whose it was while it was whole holds on as well.
    const limited = wanted.limited ?? before?.limited;
    this.#sheets.push(before ? { ...before, ...wanted, dialect: before.dialect, limited } : sheetOf(wanted, rest, 'rest'));
    this.#problem(wanted, told, before || wanted.dialect === 'servers' ? 'value' : 'restriction');
  }

  #problem(wanted: Wanted, error: PegboardError, costs: Problem['costs']): void {
    this.#problems.push({ costs, error, place: placeIn(wanted, undefined) });
  }

  #missing({ layer: name, source, limited }: Wanted): void {
    this.#lastGood.delete(source);
    if (limited === undefined) this.#layers.push({ name, source, state: { kind: 'missing' } });
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
