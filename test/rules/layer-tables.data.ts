/** The packages each piece of `core/kit` may use (design 2.1). A piece that is not named may use none. */
export const KIT_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  frontmatter: ['yaml'],
  'json-schema': ['@cfworker/json-schema'],
  'path-rules': ['ignore'],
  'atomic-file': ['proper-lockfile'],
  'guarded-fetch': ['undici', 'ipaddr.js'],
  'proxied-fetch': ['undici'],
  secrets: ['@napi-rs/keyring'],
  jsonc: ['jsonc-parser'],
};

/** What the rest of core may take from `core/kit`. */
export const KIT_FOR_CORE: readonly string[] = ['path-rules', 'workspace'];

/** Packages of `core/search`; the rest of core has none. */
export const SEARCH_PACKAGES: readonly string[] = ['minisearch', 'stemmer'];

/** Core from bottom to top (R4): a file takes values from its own level and those above it in this list. `x/` is a whole folder. */
export const CORE_LEVELS: readonly (readonly string[])[] = [
  [
    'errors',
    'packed-errors.data',
    'plugin-errors.data',
    'run-errors.data',
    'message',
    'schema',
    'state',
    'display',
    'model',
    'wire',
    'nearest',
    'channel',
    'time-limit',
    'wildcard',
    'journal',
    'until-aborted',
  ],
  ['tool', 'permission/decision'],
  [
    'hooks',
    'plugin',
    'points',
    'load-order',
    'asker',
    'background',
    'pool',
    'pool-memory',
    'registry',
    'reminders',
    'deferral',
    'host-options',
  ],
  ['permission/', 'results/', 'search/', 'disclosure', 'announcement', 'source-news', 'receipts'],
  ['schedule/'],
  [
    'loop',
    'answer',
    'next-request',
    'submit',
    'compaction',
    'session',
    'session-host',
    'call-workspace',
    'open-work',
    'session-log',
    'restore',
    'plugin-run',
    'host',
  ],
  ['index'],
];

/** Packages that only one part of the tree may know (R5): the name they begin with, the folder, and why. */
export const ONLY_IN: readonly { readonly begins: string; readonly folder: string; readonly instead: string }[] = [
  { begins: '@modelcontextprotocol/', folder: 'mcp/', instead: 'Go through the port in mcp/' },
  { begins: '@anthropic-ai/sandbox-runtime', folder: 'builtin-plugins/shell/', instead: 'Go through the shell tools' },
  { begins: '@anthropic-ai/', folder: 'builtin-plugins/models/', instead: 'Go through the Model interface' },
  { begins: 'cosmiconfig', folder: 'settings/', instead: 'Read settings through HostOptions' },
  { begins: 'commander', folder: 'cli/', instead: 'Only the command line reads arguments' },
  { begins: 'node:readline', folder: 'cli/', instead: 'Ask through the Asker' },
  { begins: '@earendil-works/', folder: 'cli/chat/', instead: 'Go through tui-parts.ts, which the build bundles' },
  { begins: '@clack/', folder: 'cli/', instead: 'Ask through the Asker' },
];

/** Files that the build puts into one with the packages they use, which are then no dependencies. */
export const BUNDLED: ReadonlySet<string> = new Set(['cli/chat/tui-parts.ts']);

/** Public names a part may import. An example that embeds a host stands where the command line stands; a plugin in examples/ is a plugin. */
export const PUBLIC_NAMES: Readonly<Record<string, readonly string[]>> = {
  extension: ['pegboard', 'pegboard/kit'],
  program: [
    'pegboard',
    'pegboard/kit',
    'pegboard/mcp',
    'pegboard/skills',
    'pegboard/settings',
    'pegboard/builtin-plugins',
    'pegboard/package.json',
  ],
};

/** Code lines (2.3). `kit` and `search` are counted by themselves. */
export const BUDGETS = { file: 300, testFile: 500, core: 6_500, search: 1_500, kit: 1_820, coreMedian: 110 } as const;

/** Files that were longer than allowed when the budget came. This list may only shrink; it began empty. */
export const LONG_FILES: Readonly<Record<string, number>> = {};
