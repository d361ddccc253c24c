import type { DeferralPolicy, PegboardError, Rule, ServerOffer } from 'pegboard';

import type { Explanation } from './explain.ts';
import type { Ignored, Layer, Place, Problem } from './layer.ts';
import type { Trust, TrustBook } from './trust.ts';

/** What stands on the command line and in the variables that stand for it. */
export interface Flags {
  /** `--settings`: a file, or JSON that begins with `{`. */
  readonly settings?: string | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly permissionMode?: string | undefined;
  readonly preset?: string | undefined;
  /** The servers of `--mcp-config`, read. */
  readonly servers?: readonly ServerOffer[] | undefined;
}

export interface ReadOptions {
  readonly cwd: string;
  /** The host's own folder: `PEGBOARD_HOME` or `~/.pegboard`. */
  readonly home: string;
  readonly flags?: Flags | undefined;
  /** The process's unless given: `PEGBOARD_FEATURES` and the placeholders that server policy looks through. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The policy file and the user id that must own it; `/etc/pegboard/managed-settings.json` and 0 unless given. */
  readonly managed?: { readonly file: string; readonly administrator: number } | undefined;
  /** Holds what a person accepted for this process too; the one of `home` unless given. */
  readonly trust?: TrustBook | undefined;
  /** A file that was read then and is broken now counts as it was. */
  readonly previous?: Settings | undefined;
  /** Keys of plugins, beside the host's own: they are no unknown keys. */
  readonly knownKeys?: readonly string[] | undefined;
}

export type Mode = 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions' | 'auto' | 'dontAsk' | 'bubble';

/** A server that may be allowed, or is not, by exactly one of its marks. `*` in a URL stands for any text. */
export type ServerMatch = { readonly serverName: string } | { readonly serverCommand: readonly string[] } | { readonly serverUrl: string };

/** The merged values, checked. Keys that plugins declared stand beside these. */
export interface SettingsValues {
  readonly permissions: {
    readonly defaultMode?: Mode | undefined;
    readonly additionalDirectories: readonly string[];
    /** Modes nobody may choose, the command line included. */
    readonly disabledModes: readonly Mode[];
  };
  readonly features: Readonly<Record<string, boolean>>;
  readonly preset?: 'bare' | undefined;
  readonly deferral: DeferralPolicy;
  readonly env: Readonly<Record<string, string>>;
  readonly pluginOptions: Readonly<Record<string, unknown>>;
  readonly compat: { readonly claude: boolean };
  readonly allowManagedPermissionRulesOnly: boolean;
  readonly [key: string]: unknown;
}

/** A rule with the place it was written at; fits wherever core wants a `Rule`. */
export interface PlacedRule extends Rule {
  readonly place: Place;
}

/** A server that some layer or `.mcp.json` defines. Of one name all are listed, the one that counts first. */
export interface FoundServer {
  readonly name: string;
  readonly scope: 'managed' | 'cli' | 'local' | 'project' | 'user';
  readonly definition: unknown;
  readonly place: Place;
  /** Of the definition as it stands: what an approval is bound to. */
  readonly hash: string;
  readonly state:
    | { readonly kind: 'ready'; readonly offer: ServerOffer }
    /** Waits for trust in the folder, or for a person's approval; `changed` says it was approved with another definition. */
    | { readonly kind: 'waiting'; readonly on: 'trust' | 'approval'; readonly changed: boolean; readonly why: string }
    | { readonly kind: 'refused'; readonly why: string }
    | { readonly kind: 'disabled' }
    | { readonly kind: 'shadowed'; readonly by: Place };
}

/** The folder whose files count as the project's. */
export interface Project {
  /** Absolute and without links. */
  readonly folder: string;
  /** The repository it lies in, if it does. */
  readonly root?: string | undefined;
  readonly trust: Trust;
}

/** Everything that is known of the configuration at one moment. A snapshot: it does not change. */
export interface Settings {
  readonly project: Project;
  /** Every place that was looked at, highest first. */
  readonly layers: readonly Layer[];
  readonly values: SettingsValues;
  /** All rules that count, of every source; a list adds up. */
  readonly rules: readonly PlacedRule[];
  readonly servers: readonly FoundServer[];
  /** Plugin folders that may be loaded, absolute. */
  readonly plugins: readonly { readonly folder: string; readonly place: Place }[];
  readonly problems: readonly Problem[];
  readonly ignored: readonly Ignored[];
  /** All keys that have a value somewhere, sorted. */
  readonly keys: readonly string[];
  /** What a key is and why; a key above others explains all below it. */
  explain(key: string): readonly Explanation[];
  /** For `HostOptions.trusted`: does this path lie in a folder that is trusted? */
  trusted(path: string): boolean;
}

/** Finds, reads, checks and merges all layers. Never throws for what stands in a file; throws RULE_SYNTAX for a rule on the command line. */
export declare function readSettings(options: ReadOptions): Promise<Settings>;

/** The first problem that must stop a run without a person. */
export declare function stopsHeadless(settings: Settings): PegboardError | undefined;
