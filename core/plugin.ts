import type { Asker } from './asker.ts';
import { PegboardError } from './errors.ts';
import type { HookHandlers } from './hooks.ts';
import type { Contributions, Point } from './points.ts';
import type { SourceFacts } from './registry.ts';
import type { StandardSchema } from './schema.ts';
import type { Tool } from './tool.ts';

/** Data first: what can be listed is listed. `setup` is only for what has to be started. */
export interface Plugin {
  readonly name: string;
  readonly requires?: readonly string[] | undefined;
  readonly tools?: readonly Tool[] | undefined;
  readonly hooks?: HookHandlers | undefined;
  readonly contributes?: Partial<Contributions> | undefined;
  /** Checks what the settings hold under this plugin's name. */
  readonly options?: StandardSchema<unknown> | undefined;
  /** Starts what has to run and returns; it has a time limit. A plugin whose set-up fails is taken down whole. */
  setup?(scope: PluginScope): void | Promise<void>;
}

/** Where secrets are kept; each plugin sees its own. */
export interface Secrets {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Changes one secret in one step: nobody else who updates it comes between, not in another process either, however long `change`
   * takes. It gets the value and gives the one to keep, `undefined` for none; so does this. What `change` throws is thrown.
   */
  update(
    name: string,
    change: (value: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<string | undefined>;
}

/** A plugin's own hold on the host. Whatever is put up through it comes down with the plugin; used after that it throws PLUGIN_CLOSED. */
export interface PluginScope {
  readonly name: string;
  /** Aborts when the plugin is taken down. */
  readonly signal: AbortSignal;
  /** Parsed by the plugin's `options` schema. */
  readonly options: unknown;
  /** Absolute paths of folders that belong to this plugin; they exist once something is written there. */
  readonly folders: { readonly cache: string; readonly data: string; readonly logs: string };
  /** Absolute: where the host keeps its own files, of all plugins. */
  readonly home: string;
  readonly secrets: Secrets;
  readonly asker: Asker;
  readonly cwd: string;
  /** Milliseconds since 1970, by the host's clock. */
  now(): number;
  trusted(path: string): boolean;
  /** A value of the settings, checked. Throws SETTING_INVALID. */
  settings<Value>(key: string, schema: StandardSchema<Value>): Value;
  /** The plugin's whole set of tools, each time. */
  provide(tools: readonly Tool[]): void;
  /** The whole set of one of the plugin's sources (a server): its tools and what is known of it. `undefined` takes the source down. */
  provideFrom(source: string, set: ({ readonly tools: readonly Tool[] } & SourceFacts) | undefined): void;
  /** What is known only while running; the whole list each time. */
  contribute<Name extends Point>(point: Name, all: Contributions[Name]): void;
  /** `limitMs` is for handlers that keep time by themselves and may take longer than the host lets others. */
  on(handlers: HookHandlers, limitMs?: number): void;
  follow<Name extends Point>(point: Name, reader: (all: Contributions[Name]) => void): void;
  /** Runs when the plugin is taken down, last added first. */
  onClose(close: () => void | Promise<void>): void;
  /** Tells people of something that went wrong without stopping anything. */
  report(cause: unknown): void;
}

const NAME = /^[@A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/;

/** Gives a plugin its type and checks its name. Throws PLUGIN_NAME. */
export function definePlugin(plugin: Plugin): Plugin {
  checkPluginName(plugin.name);
  return Object.freeze({ ...plugin });
}

/** Throws PLUGIN_NAME for a name that could not stand in a path or a message. */
export function checkPluginName(name: string): void {
  if (!NAME.test(name)) throw new PegboardError('PLUGIN_NAME', { name });
}
