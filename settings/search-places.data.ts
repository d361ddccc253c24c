const DATA = ['', '.json', '.yaml', '.yml'];
const SCRIPTS = ['.js', '.ts', '.cjs', '.mjs'];

/** Names that settings may have beside `.pegboard/`, in the order they are looked for. */
export const SEARCH_PLACES: readonly string[] = [
  'package.json',
  'package.yaml',
  ...[...DATA, ...SCRIPTS].map((ending) => `.pegboardrc${ending}`),
  ...[...DATA, ...SCRIPTS].map((ending) => `.config/pegboardrc${ending}`),
  ...[...SCRIPTS, '.json', '.yaml', '.yml'].map((ending) => `pegboard.config${ending}`),
];

/** Names cosmiconfig takes for settings of its own, and could run. Here they are looked at by name only. */
export const LOADER_PLACES: readonly string[] = ['json', 'yaml', 'yml', 'js', 'ts', 'cjs', 'mjs'].map(
  (ending) => `.config/config.${ending}`,
);
