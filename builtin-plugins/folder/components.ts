import { pathComplaint, quoted } from './ground.ts';
import { isObject, isText, listOf, own, type JsonObject } from './json.ts';

/** A command as a manifest names it: a file or folder, or a text of its own. */
export type CommandWords =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'named'; readonly name: string; readonly source: string; readonly fields: JsonObject }
  | { readonly kind: 'text'; readonly name: string; readonly text: string; readonly fields: JsonObject };

/** Where the parts of a plugin are, as its manifest or its entry in a catalogue says; nothing where it does not speak of them. */
export interface Components {
  readonly skills: readonly string[] | undefined;
  readonly commands: readonly CommandWords[] | undefined;
  readonly agents: readonly string[] | undefined;
  readonly hooks: readonly (string | JsonObject)[];
  readonly mcpServers: readonly (string | JsonObject)[];
  readonly lspServers: readonly (string | JsonObject)[];
}

/** Says nothing of any part. */
export const NO_COMPONENTS: Components = {
  skills: undefined,
  commands: undefined,
  agents: undefined,
  hooks: [],
  mcpServers: [],
  lspServers: [],
};

/** The fields that say what a plugin consists of. */
export const COMPONENT_FIELDS = ['skills', 'commands', 'agents', 'hooks', 'mcpServers', 'lspServers', 'outputStyles', 'workflows'] as const;

/** Reads those fields, or says what is wrong with the first that is not as it may be: then nothing of the plugin can be relied on. */
export function readComponents(
  value: JsonObject,
): { readonly kind: 'ok'; readonly components: Components } | { readonly kind: 'bad'; readonly cause: string } {
  const cause = COMPONENT_FIELDS.map((field) => fieldComplaint(field, own(value, field))).find(Boolean);
  if (cause !== undefined) return { kind: 'bad', cause };
  const texts = (field: string) => (own(value, field) === undefined ? undefined : listOf(own(value, field)).filter(isText));
  const mixed = (field: string) => listOf(own(value, field)).filter((each) => isText(each) || isObject(each));
  return {
    kind: 'ok',
    components: {
      skills: texts('skills'),
      commands: own(value, 'commands') === undefined ? undefined : commandsOf(own(value, 'commands')),
      agents: texts('agents'),
      hooks: mixed('hooks'),
      mcpServers: mixed('mcpServers'),
      lspServers: mixed('lspServers'),
    },
  };
}

/** More than any real one names; each is looked for. */
const MOST_ENTRIES = 5_000;

function fieldComplaint(field: (typeof COMPONENT_FIELDS)[number], value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Object.keys(Object(value)).length > MOST_ENTRIES) return `\`${field}\` has more than ${MOST_ENTRIES} entries`;
  const complaint =
    field === 'commands' && isObject(value)
      ? commandMapComplaint(value)
      : listOf(value)
          .map((each) => COMPLAINTS[field](each))
          .find(Boolean);
  return complaint === undefined ? undefined : `\`${field}\`: ${complaint}`;
}

type Complaint = (value: unknown) => string | undefined;
const path: Complaint = (value) => (isText(value) ? pathComplaint(value) : `${quoted(value)} is no path`);
const orObject =
  (endings: RegExp, words: string): Complaint =>
  (value) =>
    isObject(value)
      ? undefined
      : (path(value) ?? (endings.test(String(value)) ? undefined : `${quoted(value)} does not end with ${words}`));

const COMPLAINTS: Readonly<Record<(typeof COMPONENT_FIELDS)[number], Complaint>> = {
  skills: (value) => (value === '.' ? undefined : path(value)),
  commands: path,
  agents: (value) =>
    path(value) ?? (String(value).endsWith('.md') ? undefined : `${quoted(value)} does not end with ".md"; name the files one by one`),
  hooks: orObject(/\.json$/i, '".json"'),
  mcpServers: (value) =>
    isText(value) && value.startsWith('https://') ? undefined : orObject(/\.(json|mcpb|dxt)$/i, '".json" or ".mcpb"')(value),
  lspServers: orObject(/\.json$/i, '".json"'),
  outputStyles: path,
  workflows: path,
};

function commandMapComplaint(map: JsonObject): string | undefined {
  for (const [name, each] of Object.entries(map)) {
    const [source, content] = [own(each, 'source'), own(each, 'content')];
    if ((source === undefined) === (content === undefined)) return `${quoted(name)} needs either \`source\` or \`content\``;
    const complaint = source === undefined ? (isText(content) ? undefined : 'its `content` is no text') : path(source);
    if (complaint !== undefined) return `${quoted(name)}: ${complaint}`;
  }
  return undefined;
}

/** What a manifest calls the fields of a command's frontmatter. */
const FIELD_NAMES: Readonly<Record<string, string>> = { argumentHint: 'argument-hint', allowedTools: 'allowed-tools' };

function commandsOf(value: unknown): readonly CommandWords[] {
  if (!isObject(value))
    return listOf(value)
      .filter(isText)
      .map((each) => ({ kind: 'path', path: each }));
  return Object.entries(value).map(([name, each]) => {
    const { source, content, ...given } = each as JsonObject;
    const fields = Object.fromEntries(
      Object.entries(given).map(([key, field]) => [Object.hasOwn(FIELD_NAMES, key) ? (FIELD_NAMES[key] ?? key) : key, field]),
    );
    return isText(source) ? { kind: 'named', name, source, fields } : { kind: 'text', name, text: String(content), fields };
  });
}
