import { isObject } from './json.ts';
import type { Link } from './link.ts';

/** Of each server; the one that was read longest ago makes room. */
const MOST = 50;

/** The resources of one server that somebody has read: whether they have changed since, as far as the server tells. */
export class WatchedResources {
  readonly #watched = new Map<string, { readonly stop: () => void }>();
  readonly #changed = new Set<string>();
  readonly #tell: () => void;
  #link: Link | undefined;

  /** `tell` hears it when others have changed than before. */
  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** Those that may not be as they were read any more. */
  get changed(): ReadonlySet<string> {
    return this.#changed;
  }

  /** Goes on with a new connection. What has happened in between nobody knows. */
  follow(link: Link): void {
    this.#link = link;
    const uris = [...this.#watched.keys()];
    this.#watched.clear();
    for (const uri of uris) this.#watch(uri);
    if (uris.length > 0) this.#mark(uris);
  }

  /** Somebody has just read it. */
  read(uri: string): void {
    const before = this.#watched.get(uri);
    this.#watched.delete(uri);
    if (before) this.#watched.set(uri, before);
    else this.#watch(uri);
    if (this.#changed.delete(uri)) this.#tell();
    const [oldest] = this.#watched.keys();
    if (this.#watched.size <= MOST || oldest === undefined) return;
    this.#watched.get(oldest)?.stop();
    this.#watched.delete(oldest);
    this.#changed.delete(oldest);
  }

  #watch(uri: string): void {
    const { resources } = this.#link?.capabilities ?? {};
    if (this.#link === undefined || !isObject(resources) || resources['subscribe'] !== true) return;
    this.#watched.set(uri, { stop: this.#link.listen({ kind: 'resource', uri }, () => this.#mark([uri])) });
  }

  #mark(uris: readonly string[]): void {
    const before = this.#changed.size;
    for (const uri of uris) this.#changed.add(uri);
    if (this.#changed.size > before) this.#tell();
  }
}
