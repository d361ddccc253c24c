import { definePlugin, defineTool, type JsonSchema, type RunEvent, type ToolAnnotations } from 'pegboard';
import { builtinPlugins, offlineModel } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { startHost, type StartedHost } from 'pegboard/testing';
import { afterEach, expect, test } from 'vitest';

type Call = readonly [tool: string, input: unknown];
interface Spec {
  readonly name: string;
  readonly description: string;
  /** Those with "?" are optional. */
  readonly parameters: Readonly<Record<string, JsonSchema>>;
  readonly annotations?: ToolAnnotations;
}

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const READS: ToolAnnotations = { readOnlyHint: true };
const DESTROYS: ToolAnnotations = { readOnlyHint: false, destructiveHint: true };
const ADDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false };

function spec(name: string, description: string, parameters: Spec['parameters'], annotations?: ToolAnnotations): Spec {
  return { name, description, parameters, ...(annotations ? { annotations } : {}) };
}

/** A shelf of boxes: several tools for each act, some that tell what they do to things and some that do not. */
const SHELF: readonly Spec[] = [
  spec('mcp__shelf__discard_boxes', 'Discards boxes and their labels', { boxNames: { type: 'array', items: text } }, DESTROYS),
  spec('mcp__shelf__discard_labels', 'Discards labels of boxes', { labels: { type: 'array', items: { type: 'object' } } }, DESTROYS),
  spec('mcp__shelf__discard_links', 'Discards links between boxes', { links: { type: 'array', items: { type: 'object' } } }, DESTROYS),
  spec('mcp__shelf__purge_drawer', 'Purges what lies in a drawer', { drawer: text }),
  spec('mcp__shelf__repaint_cupboard', 'Repaints a cupboard', { cupboard: text }),
  spec('mcp__shelf__jot', 'Jots down a remark', { remark: text }, ADDS),
  spec('mcp__shelf__append_pin', 'Appends pins to boxes', { pins: { type: 'array', items: { type: 'object' } } }, ADDS),
  spec('mcp__shelf__find_box', 'Finds boxes on the shelf by a text', { query: text }, READS),
  spec('mcp__shelf__search_shelf', 'Searches what stands on the shelf', { path: text, pattern: text }, READS),
  spec('mcp__zones__get_zone', 'Retrieves the zone of a site', { domain: text }),
  spec('mcp__zones__restore_zone', 'Restores the zone of a site', { domain: text, 'kinds?': { type: 'array', items: text } }),
  spec('mcp__sums__get_total', 'Returns the sum of two numbers', { a: number, b: number }, READS),
  spec('mcp__sums__scale_picture', 'Scales a picture to a size in numbers', { path: text, width: number, height: number }, READS),
];

let started: StartedHost | undefined;
afterEach(async () => {
  await started?.stop();
  started = undefined;
});

async function start(specs: readonly Spec[]) {
  const calls: Call[] = [];
  const tools = specs.map(({ name, description, parameters, annotations }) =>
    defineTool<unknown>({
      name,
      description,
      annotations,
      shouldDefer: true,
      input: jsonSchema({
        type: 'object',
        properties: Object.fromEntries(Object.entries(parameters).map(([key, schema]) => [key.replace('?', ''), schema])),
        required: Object.keys(parameters).filter((key) => !key.endsWith('?')),
        additionalProperties: false,
      }),
      call: async (input) => {
        calls.push([name, input]);
        return 'as you wish';
      },
    }),
  );
  started = await startHost({
    builtins: builtinPlugins(),
    plugins: [definePlugin({ name: 'fakes', tools })],
    rules: { allow: specs.map(({ name }) => name) },
  });
  const session = started.host.session();
  return { calls, say: (request: string) => lastText(session.run(request, { model: offlineModel() })) };
}

async function lastText(run: AsyncIterable<RunEvent>): Promise<string> {
  let said = '';
  for await (const event of run) if (event.kind === 'text' && event.done) said = event.text;
  return said;
}

test.each([
  ['discard everything', /discard_boxes[^]*discard_labels[^]*discard_links/],
  ['DISCARD EVERYTHING NOW', /discard_boxes[^]*discard_labels[^]*discard_links/],
  ['please discard all of it quickly', /discard_boxes[^]*discard_labels[^]*discard_links/],
  ['discard the boxes of last week', /boxNames would be a guess[^]*- boxNames=\["…"\]/],
  ['discard the boxes that nobody needs', /- boxNames=\["…"\]/],
  ['discard 3 boxes', /- boxNames=\["…"\]/],
  ['purge the drawer completely', /- drawer="…"/],
  ['repaint anything', /- cupboard="…"/],
])('M10.1 the offline driver guesses no value for a tool that may destroy: %s', async (request, asks) => {
  const { calls, say } = await start(SHELF);
  const said = await say(request);
  expect(calls).toEqual([]);
  expect(said).toMatch(asks);
});

test.each<[request: string, tool: string, input: unknown]>([
  ['discard the boxes "old" and "broken"', 'mcp__shelf__discard_boxes', { boxNames: ['old', 'broken'] }],
  ['discard everything: boxNames=["old"]', 'mcp__shelf__discard_boxes', { boxNames: ['old'] }],
  ['discard the box Atlas', 'mcp__shelf__discard_boxes', { boxNames: ['Atlas'] }],
  ['discard the box named old', 'mcp__shelf__discard_boxes', { boxNames: ['old'] }],
  ['discard the boxes: old and broken', 'mcp__shelf__discard_boxes', { boxNames: ['old', 'broken'] }],
  ['discard the box AB-12', 'mcp__shelf__discard_boxes', { boxNames: ['AB-12'] }],
  ['purge the drawer "left"', 'mcp__shelf__purge_drawer', { drawer: 'left' }],
  ['purge drawer=left', 'mcp__shelf__purge_drawer', { drawer: 'left' }],
  ['repaint the cupboard: left', 'mcp__shelf__repaint_cupboard', { cupboard: 'left' }],
  ['repaint the cupboard left', 'mcp__shelf__repaint_cupboard', { cupboard: 'left' }],
  ['jot down buy milk and bread', 'mcp__shelf__jot', { remark: 'buy milk and bread' }],
  ['find boxes with red lids', 'mcp__shelf__find_box', { query: 'red lids' }],
])('M10.1 the offline driver takes clear values, and words where they do no harm: %s', async (request, tool, input) => {
  const { calls, say } = await start(SHELF);
  await say(request);
  expect(calls).toEqual([[tool, input]]);
});

test('M10.1 the offline driver lets a person choose where tools that change things fit alike, and then takes the one that is named', async () => {
  const open = (server: string) => spec(`mcp__${server}__open_case`, 'Opens a case.', { title: text }, ADDS);
  const { calls, say } = await start([open('north'), open('south')]);
  const said = await say('open a case titled "Lost key"');
  expect(calls).toEqual([]);
  expect(said).toMatch(/mcp__north__open_case[^]*mcp__south__open_case/);
  await say('mcp__south__open_case');
  expect(calls).toEqual([['mcp__south__open_case', { title: 'Lost key' }]]);
});

test('M10.1 the offline driver does not ask which where either only reads', async () => {
  const look = (server: string) => spec(`mcp__${server}__look_up_case`, 'Looks up a case.', { title: text }, READS);
  const { calls, say } = await start([look('north'), look('south')]);
  await say('look up the case "Lost key"');
  expect(calls).toEqual([['mcp__north__look_up_case', { title: 'Lost key' }]]);
});

test.each(['bake a chocolate pie', 'Wo liegt eigentlich mein Hut?', '给我讲一个笑话', '🍕'])(
  'M10.1 the offline driver names no tool as near that no word speaks of: %s',
  async (request) => {
    const { say } = await start(SHELF);
    const said = await say(request);
    expect(said).toContain("by the words of the tools' own names and descriptions");
    expect(said).toContain('pegboard tools search');
    expect(said).not.toMatch(/^- /m);
  },
);

test('M10.1 the offline driver names as near only what some word speaks of', async () => {
  const { calls, say } = await start(SHELF);
  const said = await say('polish my cupboard lamp');
  expect(calls).toEqual([]);
  expect(said.match(/^- .*$/gm)?.map((line) => /^- (\w+)/.exec(line)?.[1])).toEqual(['mcp__shelf__repaint_cupboard']);
});

const person: JsonSchema = {
  type: 'object',
  properties: { name: text, age: { type: 'integer', minimum: 18 }, tags: { type: 'array', items: text, minItems: 2 }, nick: text },
  required: ['name', 'age', 'tags'],
  additionalProperties: false,
};

test.each<[kind: string, schema: JsonSchema]>([
  ['a list of objects', { type: 'array', items: person }],
  ['an object', person],
  ['an object by reference', { anyOf: [{ type: 'null' }, person] }],
  ['a list of numbers', { type: 'array', items: { type: 'number', minimum: 5 }, minItems: 3 }],
  ['a choice', { type: 'string', enum: ['small', 'large'] }],
  ['a list of choices', { type: 'array', items: { type: 'string', enum: ['small', 'large'] } }],
  ['a number in bounds', { type: 'number', minimum: 0.2, maximum: 0.8 }],
  ['a whole number above a bound', { type: 'integer', exclusiveMinimum: 7 }],
  ['a switch', { type: 'boolean' }],
  ['an address', { type: 'string', format: 'uri' }],
  ['an e-mail address', { type: 'string', format: 'email' }],
  ['a day', { type: 'string', format: 'date' }],
  ['a moment', { type: 'string', format: 'date-time' }],
  ['an id', { type: 'string', format: 'uuid' }],
  ['a text of some length', { type: 'string', minLength: 4 }],
])('M10.1 the offline driver asks once, and its own example fits the schema: %s', async (_kind, schema) => {
  const tool = spec('mcp__clinic__admit_guest', 'Admits a guest to the clinic.', { guest: { description: 'Who it is', ...schema } }, ADDS);
  const { calls, say } = await start([tool]);
  const said = await say('admit to the clinic');
  expect(calls).toEqual([]);
  expect(said.match(/guest=|^- guest/gm)).toHaveLength(1);
  const example = /^- (guest=.*?)(?: \(one of .*\))?: Who it is$/m.exec(said)?.[1] ?? '';
  expect(await say(example)).toContain('as you wish');
  expect(calls).toHaveLength(1);
});

test.each<[request: string, tool: string, input: unknown]>([
  ['add 17 and 25', 'mcp__sums__get_total', { a: 17, b: 25 }],
  ['sum 1.5 and 2', 'mcp__sums__get_total', { a: 1.5, b: 2 }],
  ['search the shelf for "x" in the folder notes', 'mcp__shelf__search_shelf', { path: 'notes', pattern: 'x' }],
  ['look at the zone of example.org', 'mcp__zones__get_zone', { domain: 'example.org' }],
])('M10.1 the offline driver chooses by the types of the values too: %s', async (request, tool, input) => {
  const adding = ['pins', 'labels', 'boxes', 'links', 'cards', 'lids'].map((things) =>
    spec(`mcp__shelf__add_${things}`, `Add new ${things} to the shelf`, { [things]: { type: 'array', items: { type: 'object' } } }, ADDS),
  );
  const { calls, say } = await start([...SHELF, ...adding]);
  await say(request);
  expect(calls).toEqual([[tool, input]]);
});

test.each(['multiply 6 and 7', 'subtract 6 from 7', 'divide 6 by 7'])(
  'M10.1 values of a fitting type alone do not choose a tool: %s',
  async (request) => {
    const { calls, say } = await start(SHELF);
    expect(await say(request)).toContain('- mcp__sums__get_total');
    expect(calls).toEqual([]);
  },
);

test('M10.1 the offline driver calls nothing that changes things where only what it works on was said', async () => {
  const { calls, say } = await start(SHELF.filter(({ name }) => name.endsWith('restore_zone')));
  expect(await say('what zone is "example.org"?')).toContain('- mcp__zones__restore_zone');
  expect(calls).toEqual([]);
});

test('M10.1 the answer of the offline driver is the answer of the tool, once, with what the driver is, once', async () => {
  const { say } = await start(SHELF);
  expect(await say('find boxes with "red lids"')).toBe('as you wish\n\n(offline driver: keyword search, no language model)');
});
