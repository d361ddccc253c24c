import { defineTool, type Tool, type ToolDefinition } from 'pegboard';
import { jsonSchema, type Disk } from 'pegboard/kit';

type Input = Readonly<Record<string, string>>;

const texts = (...names: readonly string[]) =>
  jsonSchema<Input>({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) });

const tool = (name: string, given: Partial<ToolDefinition<Input>>): Tool<Input> =>
  defineTool<Input>({
    name,
    description: `Does ${name}.`,
    input: texts('file_path', 'text', 'url', 'cwd'),
    call: async () => 'done',
    ...given,
  });

/** Reads one file; what lies in the workspace it allows by itself. */
export const look = tool('Look', {
  kind: 'read',
  isReadOnly: () => true,
  fileRules: ['Look'],
  reads: ({ file_path = '' }) => [{ kind: 'file', path: file_path }],
  checkPermissions: async ({ file_path = '' }, { workspace }) =>
    (await workspace.inside(file_path)) ? { kind: 'allow', reason: { by: 'tool', detail: 'inside' } } : { kind: 'passthrough' },
});

/** Writes one file; rules speak of it as `Change`, and what may not be looked at may not be changed. */
const put = tool('Put', {
  kind: 'edit',
  ruleNames: ['Change'],
  restrictedAs: ['Look'],
  fileRules: ['Change', 'Look'],
  writes: ({ file_path = '' }) => [{ kind: 'file', path: file_path }],
});

/** The tool the family is named after. */
const change = tool('Change', {
  kind: 'edit',
  restrictedAs: ['Look'],
  fileRules: ['Change', 'Look'],
  writes: ({ file_path = '' }) => [{ kind: 'file', path: file_path }],
});

/** Does something nobody knows. */
const act = tool('Act', {});

/** Only reads, and says nothing of files. */
const peek = tool('Peek', { isReadOnly: () => true });

/** Asks a person. */
const person = tool('Person', { requiresUserInteraction: () => true });

/** Runs what it is told; content rules speak of its text as a whole. */
const shell = tool('Shell', {
  kind: 'shell',
  toAutoClassifierInput: ({ text = '' }) => text,
  preparePermissionMatcher:
    ({ text = '' }) =>
    (content) =>
      content.endsWith('*') ? text.startsWith(content.slice(0, -1)) : text === content,
});

export const allTools = [look, put, change, act, peek, person, shell];

/** A disk with nothing on it but these links. */
export function emptyDisk(links: Readonly<Record<string, string>> = {}, more: Partial<Disk> = {}): Disk {
  return { windows: false, ignoresCase: false, readLink: async (path) => links[path], isPlain: async () => false, ...more };
}
