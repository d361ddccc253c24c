import type { PegboardError } from 'pegboard';

export type { Judgement } from 'pegboard/kit';

/** The layers, highest first. Within a layer, what stands first in `Settings.layers` is the higher. */
export type LayerName = 'managed' | 'cli' | 'local' | 'project' | 'found' | 'claude' | 'user' | 'default';

/** Where something was written: a file, or words of the command line (`--settings`, `PEGBOARD_FEATURES`). Lines and columns count from 1. */
export interface Place {
  readonly layer: LayerName;
  /** An absolute path, or the option or variable. */
  readonly source: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** What became of one file or place that settings could have come from. */
export interface Layer {
  readonly name: LayerName;
  readonly source: string;
  readonly state:
    | { readonly kind: 'read' }
    | { readonly kind: 'missing' }
    /** Broken now; what it last said still counts. */
    | { readonly kind: 'kept'; readonly error: PegboardError }
    /** Broken: only what could be recovered of its deny and ask rules counts, and every call asks. */
    | { readonly kind: 'broken'; readonly error: PegboardError }
    /** Present and not loaded: a script of an untrusted folder, a policy file anybody can write. */
    | { readonly kind: 'left'; readonly why: string };
}

/**
 * Something wrong that stopped nothing. `restriction`: a deny or an ask may be lost, so a run without a person must not go on (exit
 * 4). `value`: that value does not count. `notice`: nothing is lost that grants or restricts more than was meant.
 */
export interface Problem {
  readonly costs: 'restriction' | 'value' | 'notice';
  readonly error: PegboardError;
  readonly place: Place;
}

/** Something that was found and does not count, and why: shown by name, so that nothing is inert unseen. */
export interface Ignored {
  readonly what:
    | { readonly kind: 'value'; readonly key: string }
    | { readonly kind: 'script' }
    | { readonly kind: 'import'; readonly path: string }
    /** A file that would change how configuration is loaded; it is never read. */
    | { readonly kind: 'loader' }
    | { readonly kind: 'file' };
  readonly place: Place;
  /**
   * `trust`: counts once the folder is trusted. `repository`: never counts from a folder's files. `place`: never counts from where it
   * stands: another file is used, or a link leads out of what is trusted. `policy`: the organisation's policy.
   */
  readonly until: 'trust' | 'repository' | 'place' | 'policy';
  readonly why: string;
}

/** `.pegboard/settings.json:3:5`, or the option. */
export function placeText({ source, line, column }: Omit<Place, 'layer'>): string {
  return line === undefined ? source : `${source}:${line}:${column ?? 1}`;
}
