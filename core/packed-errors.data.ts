/** What can be wrong with packed folders, their catalogues and what is installed; part of the table in `errors.ts`. */
export const packedErrors = {
  PACKED_MANIFEST: {
    blame: 'config',
    text: 'The plugin in {folder} was not loaded. {place}: {cause}. Mend that file or leave the plugin out; all others are loaded.',
  },
  PACKED_GUARD: {
    blame: 'config',
    text: 'The plugin in {folder} was not loaded, because hooks that may guard calls cannot be understood. {place}: {cause}. Without them the plugin would let through what it was made to stop: mend that file.',
  },
  PACKED_PATH: {
    blame: 'config',
    text: 'Plugin "{plugin}": {place} names "{path}" in `{field}`, and there is nothing at {at}. Paths begin at {base}; the rest of the plugin is loaded.',
  },
  PACKED_PART: {
    blame: 'config',
    text: 'Plugin "{plugin}": {part} was left out: {cause}. The rest of the plugin is loaded.',
  },
  PACKED_HOOKS: {
    blame: 'config',
    text: 'Plugin "{plugin}": the hooks of {place} were left out: {cause}. They stand in an object with one key `hooks`, a map from events to lists; the rest of the plugin is loaded.',
  },
  PACKED_NOTE: { blame: 'config', text: 'Plugin "{plugin}": {place}: {cause}.' },
  PACKED_OPTION: {
    blame: 'config',
    text: 'Plugin "{plugin}" needs a value for {option} ({title}): {cause}. Give one with `pegboard plugin enable {plugin} --option {option}=…`.',
  },
  PACKED_CATALOGUE: {
    blame: 'config',
    text: 'The catalogue "{catalogue}" could not be read from {folder}: {cause}. A catalogue is a folder with a .claude-plugin/marketplace.json; mend it or take it out of the settings.',
  },
  PACKED_NO_CATALOGUE: {
    blame: 'config',
    text: 'The plugin "{plugin}" is enabled, and no catalogue "{catalogue}" is known. Add its folder with `pegboard plugin marketplace add DIR`, or disable the plugin.',
  },
  PACKED_NO_ENTRY: {
    blame: 'config',
    text: 'The plugin "{plugin}" is enabled, and the catalogue "{catalogue}" has none of this name{near}. Disable it, or look with `pegboard plugin list --all`.',
  },
  PACKED_ENTRY: {
    blame: 'config',
    text: 'The plugin "{plugin}" of the catalogue "{catalogue}" was not loaded: {cause}. Mend its entry in {place}, or disable the plugin.',
  },
  PACKED_TWICE: {
    blame: 'config',
    text: 'The plugin in {folder} was left out: the one in {holder} has the same name "{plugin}", and its parts would have the same names. Take one of them out: `pegboard plugin remove {plugin}` does that with the first.',
  },
  PACKED_ARCHIVE: {
    blame: 'config',
    text: "Nothing of the archive {file} was unpacked. {entry}: {cause}. Do not use this archive, or pack it anew from the plugin's folder.",
  },
  PLUGIN_RANGE: {
    blame: 'config',
    text: 'The plugin in {folder} was not loaded: it is for pegboard {range}, and this is {version}. Install a version of the plugin that fits, or another pegboard.',
  },
  PLUGIN_DRIFT: {
    blame: 'config',
    text: 'The plugin "{plugin}" in {folder} is not as it was when it was written into {lock}. If you know why, `pegboard plugin enable {plugin}` writes it down anew; otherwise look at its files, or disable it.',
  },
  PLUGIN_UNKNOWN: { blame: 'usage', text: 'There is no plugin "{plugin}"{near}. There are: {known}.' },
  PLUGIN_INSTALL: { blame: 'run', text: 'The plugin {source} was not installed: {cause}. Nothing has changed.' },
} as const;
