import type { ErrorEntry } from './errors.ts';

/** The part of the table of errors that is about plugins and what they bring: hooks, skills, commands; `errors.ts` takes this in. */
export const pluginErrors = {
  PLUGIN_NAME: {
    blame: 'config',
    text: 'A plugin has the name "{name}", which is not usable. Use letters, digits, "-", "_", "." or "/", at most 100 of them.',
  },
  PLUGIN_DOUBLE: { blame: 'config', text: 'Two plugins are named "{plugin}". Remove one of them or rename it.' },
  PLUGIN_MISSING: {
    blame: 'config',
    text: 'Plugin "{plugin}" requires "{required}", which is not loaded. Add it to `plugins`, before or after; order does not matter.',
  },
  PLUGIN_REQUIRED_DOWN: {
    blame: 'config',
    text: 'Plugin "{plugin}" was not started because "{required}", which it requires, did not start. Mend "{required}" first.',
  },
  PLUGIN_CYCLE: { blame: 'config', text: 'These plugins require each other in a circle: {path}. Remove one of the `requires` entries.' },
  PLUGIN_SETUP: {
    blame: 'config',
    text: 'Plugin "{plugin}" failed while starting and was taken down whole: {cause}. Mend the plugin or remove it; all others run.',
  },
  PLUGIN_SETUP_TIME: {
    blame: 'config',
    text: 'Plugin "{plugin}" was not ready after {limit} ms and was taken down whole. `setup` should start work and return; do the waiting in the background.',
  },
  PLUGIN_OPTIONS: { blame: 'config', text: 'The options of plugin "{plugin}" do not fit: {issues}. Correct them in the settings.' },
  PLUGIN_TOOL: {
    blame: 'config',
    text: 'Plugin "{plugin}" puts up {tool}, which defineTool did not make or somebody changed after: its `{member}` is not usable. Make it with defineTool(…).',
  },
  PLUGIN_SOURCE: {
    blame: 'config',
    text: 'Plugin "{plugin}" cannot put tools up as "{source}": that name is in use by "{holder}". Rename one of them.',
  },
  HOOK_UNKNOWN: {
    blame: 'config',
    text: 'Plugin "{plugin}" has a handler for "{hook}", which is no hook{near}. A handler that nobody calls would guard nothing.',
  },
  HOOK_ANSWER: {
    blame: 'run',
    text: 'The hook {hook} of plugin "{plugin}" gave an answer that is not usable. Answer nothing, or an object with a `reason` and the `kind` "allow", "ask", "deny" or "none"; `rules` is a list of texts.',
  },
  HOOK_TIME: { blame: 'run', text: 'The hook {hook} of plugin "{plugin}" gave no answer within {limit} ms.' },
  PLUGIN_CLOSED: {
    blame: 'run',
    text: 'Plugin "{plugin}" used its scope after it was closed. Stop the work it started when `scope.signal` aborts.',
  },
  PLUGIN_FOLDER: {
    blame: 'config',
    text: 'No plugin could be read from {folder}: {cause}. A plugin folder has a package.json whose `exports` or `main` names a built file that exports definePlugin(…), as `default` or as `plugin`.',
  },
  PLUGIN_FOLDER_MISSING: { blame: 'config', text: 'There is no plugin folder {folder}. Check the path given to --plugin-dir.' },
  PLUGIN_FOLDER_DOUBLE: {
    blame: 'config',
    text: 'The plugin in {folder} was left out: its name "{plugin}" is that of {holder}. Rename one of them or leave one out.',
  },
  PLUGIN_FILE: { blame: 'config', text: 'The plugin in {folder} could not be loaded. {place}: {cause}. Mend that file.' },
  PLUGIN_PACKAGE: {
    blame: 'config',
    text: 'The plugin in {folder} could not be loaded: it needs the package "{package}", which is not installed. Run `{command}` in that folder.',
  },
  PLUGIN_COMMONJS: {
    blame: 'config',
    text: 'The plugin in {folder} could not be loaded: {file} is CommonJS, whose `require` does not find pegboard. Plugins are ES modules: use `import` and `export`, and put "type": "module" into its package.json.',
  },
  PLUGIN_OWN_COPY: {
    blame: 'config',
    text: 'The plugin in {folder} brings its own copy of pegboard ({copy}), so its tools would not fit this host ({host}). Make pegboard a peer dependency of the plugin and delete that copy.',
  },
  HOOK_FAILED: { blame: 'run', text: '{event}: {what}. It stands in {origin}; `pegboard hooks test {event}` tries it.' },
  HOOK_NONE: { blame: 'usage', text: 'There is no hook for the event {event}. There are hooks for: {known}.' },
  HOOK_SAYS: { blame: 'run', text: 'The hook {hook}: {text}' },
  HOOK_DEAD: {
    blame: 'run',
    text: 'The hook {hook} in {origin} never runs: {why}. Correct it, or take it out: it guards nothing. `pegboard hooks list` shows all of them.',
  },
  HOOK_FAULT: { blame: 'config', text: 'A hook in {origin} does not count: {fault}. Correct it; the others count.' },
  SKILL_UNKNOWN: { blame: 'usage', text: 'There is no skill {skill}. `pegboard skills list` shows all of them.{near}' },
  SKILL_UNTRUSTED: {
    blame: 'refused',
    text: 'The skill {skill} was not used because its folder {folder} is not trusted. Look at it, then say `pegboard trust {folder}`.',
  },
  SKILL_SHELL: {
    blame: 'run',
    text: 'The skill {skill} runs commands, and there is no tool {tool} to run them with. Add a plugin that has one, or take the commands out of {file}.',
  },
  SKILL_COMMAND: { blame: 'run', text: 'The skill {skill} was not used because its command `{command}` did not run: {why}' },
  SKILL_FORK: {
    blame: 'run',
    text: 'The skill {skill} is to be carried out by the agent {agent} in a conversation of its own (context: fork), and no tool here starts agents. Add the plugin "agents", or take `context: fork` out of {file}.',
  },
  COMMAND_UNKNOWN: { blame: 'usage', text: 'There is no command /{name}{near}. Known commands: {known}.' },
  MENTION_REFUSED: { blame: 'refused', text: 'The mention @{word} was not read: {why}' },
  MENTION_UNREAD: { blame: 'run', text: 'The mention @{word} could not be read: {why}' },
  MENTIONS_MANY: { blame: 'usage', text: 'The prompt names {count} things to read with @, and at most {most} are read. Name fewer.' },
} as const satisfies Record<string, ErrorEntry>;
