import { PegboardError } from 'pegboard';

import { findIn, parseJson, placeIn, readIn, type Ground } from './ground.ts';
import { readHookMap, readHooksFile, type ReadHooks } from './hook-map.ts';
import { isText, type JsonObject } from './json.ts';
import { failure, note, type PackedProblem } from './problem.ts';

/** A map from events to groups, and where it stands. */
export interface PackedHooks {
  readonly map: JsonObject;
  readonly origin: string;
}

/** Collects the hooks of one plugin: a file counts once, however often and by whomever it is named. */
export class HookFiles {
  readonly #ground: Ground;
  readonly #plugin: string;
  readonly #problems: PackedProblem[] = [];
  readonly #seen = new Set<string>();
  readonly #hooks: PackedHooks[] = [];

  constructor(ground: Ground, plugin: string) {
    this.#ground = ground;
    this.#plugin = plugin;
  }

  get hooks(): readonly PackedHooks[] {
    return this.#hooks;
  }

  get problems(): readonly PackedProblem[] {
    return this.#problems;
  }

  /** The file where hooks stand unless somebody says otherwise. Throws PACKED_GUARD, as `add` does. */
  addStandard(): void {
    const path = './hooks/hooks.json';
    if (findIn(this.#ground, path).kind !== 'missing') this.#addFile(path, path);
  }

  /** What a manifest or an entry names: files, and maps as they are. */
  add(named: readonly (string | JsonObject)[], origin: string): void {
    for (const each of named) {
      if (isText(each)) this.#addFile(each, origin);
      else this.#keep(readHookMap(each), origin);
    }
  }

  #addFile(path: string, origin: string): void {
    const place = placeIn(this.#ground, path);
    const read = readIn(this.#ground, path);
    if (read.kind === 'missing') {
      const values = { plugin: this.#plugin, place: origin, path, field: 'hooks', at: place, base: this.#ground.root };
      this.#problems.push(failure(new PegboardError('PACKED_PATH', values)));
    } else if (read.kind === 'barred') this.#keep({ kind: 'left', cause: read.cause }, place);
    else if (!this.#seen.has(read.path)) {
      this.#seen.add(read.path);
      this.#keep(readText(read.text), place);
    }
  }

  #keep(read: ReadHooks, place: string): void {
    if (read.kind === 'refused') throw new PegboardError('PACKED_GUARD', { folder: this.#ground.root, place, cause: read.cause });
    if (read.kind === 'left') {
      this.#problems.push(failure(new PegboardError('PACKED_HOOKS', { plugin: this.#plugin, place, cause: read.cause })));
      return;
    }
    this.#problems.push(...read.notes.map((each) => note(this.#plugin, place, each)));
    if (Object.keys(read.map).length > 0) this.#hooks.push({ map: read.map, origin: place });
  }
}

function readText(text: string): ReadHooks {
  if (text.startsWith('\uFEFF')) return { kind: 'left', cause: 'it begins with a byte order mark; save it without one' };
  const parsed = parseJson(text);
  return parsed.kind === 'bad' ? { kind: 'left', cause: parsed.cause } : readHooksFile(parsed.value);
}
