import { definePlugin, defineTool, type RunEvent, type Tool, type ToolAnnotations } from 'pegboard';
import { builtinPlugins, offlineModel } from 'pegboard/builtin-plugins';
import { jsonSchema } from 'pegboard/kit';
import { startHost, type StartedHost, type StartOptions } from 'pegboard/testing';
import { afterEach, expect, test } from 'vitest';

type Properties = Record<string, Record<string, unknown>>;
type Call = readonly [tool: string, input: unknown];

const text = (description: string) => ({ type: 'string', description });
const number = (description: string) => ({ type: 'number', description });

/** What the tools of one test are: a name, a description, parameters of which those with "?" are optional. */
const TOOLS: readonly (readonly [name: string, description: string, parameters: Properties, annotations?: ToolAnnotations])[] = [
  [
    'mcp__calendar__create_event',
    'Creates an event in the calendar.',
    {
      title: text('Title of the event'),
      start: { type: 'string', format: 'date-time' },
      end: { type: 'string', format: 'date-time' },
      'location?': text('Where it takes place'),
    },
  ],
  [
    'mcp__calendar__list_events',
    'Lists the events of the calendar on one day.',
    { date: { type: 'string', format: 'date' } },
    { readOnlyHint: true },
  ],
  ['mcp__calendar__delete_event', 'Deletes an event from the calendar.', { event_id: text('ID of the event') }, { destructiveHint: true }],
  [
    'mcp__tracker__create_issue',
    'Opens a new issue in a repository.',
    {
      owner: text('Owner of the repository'),
      repo: text('Name of the repository'),
      title: text('Title'),
      'body?': text('Text'),
      'labels?': { type: 'array', items: { type: 'string' } },
    },
  ],
  ['mcp__tracker__close_issue', 'Closes an issue of a repository.', { owner: text(''), repo: text(''), issue_number: { type: 'integer' } }],
  ['mcp__tracker__search_issues', 'Searches issues by text.', { query: text('Text to search for') }, { readOnlyHint: true }],
  [
    'mcp__payments__refund',
    'Refunds a payment, whole or in part.',
    { payment_id: text('ID of the payment'), 'amount?': number('Amount in the currency of the payment') },
  ],
  [
    'mcp__payments__create_invoice',
    'Creates an invoice for a customer.',
    { customer: text('Email address of the customer'), amount: number('Amount'), currency: text('ISO 4217 currency code') },
  ],
  [
    'mcp__weather__get_forecast',
    'Gets the weather forecast for a city.',
    { city: text('Name of the city'), 'days?': { type: 'integer', minimum: 1, maximum: 14 } },
    { readOnlyHint: true },
  ],
  [
    'mcp__cluster__scale_deployment',
    'Scales a deployment of the Kubernetes cluster to a number of replicas.',
    { deployment: text('Name of the deployment'), replicas: { type: 'integer', minimum: 0 }, 'namespace?': text('Namespace') },
  ],
  [
    'mcp__cluster__pod_logs',
    'Shows the logs of a pod.',
    { pod: text('Name of the pod'), 'tail?': { type: 'integer', description: 'Lines from the end' } },
    { readOnlyHint: true },
  ],
  [
    'mcp__mail__send_email',
    'Sends an email.',
    { to: { type: 'string', format: 'email' }, subject: text('Subject line'), body: text('Text of the email') },
  ],
  ['mcp__mail__search_mailbox', 'Searches the mailbox for emails.', { query: text('What to search for') }, { readOnlyHint: true }],
  [
    'mcp__translate__translate_text',
    'Translates a text into another language.',
    { text: text('Text to translate'), target_language: text('Language to translate into') },
    { readOnlyHint: true },
  ],
  [
    'mcp__maps__get_route',
    'Finds the route between two places.',
    { origin: text('Start'), destination: text('End'), 'mode?': { type: 'string', enum: ['car', 'bicycle', 'foot'] } },
    { readOnlyHint: true },
  ],
  [
    'mcp__images__resize_image',
    'Resizes an image file.',
    { path: text('Path of the image'), width: { type: 'integer' }, height: { type: 'integer' } },
  ],
  ['mcp__web__fetch_page', 'Fetches a web page and gives its text.', { url: { type: 'string', format: 'uri' } }, { readOnlyHint: true }],
  ['mcp__database__run_query', 'Runs an SQL query against the database.', { sql: text('SQL to run') }, { readOnlyHint: true }],
  ['mcp__notes__add_note', 'Remembers a note.', { text: text('Text of the note') }],
  [
    'mcp__lights__set_brightness',
    'Sets the brightness of a lamp in a room.',
    { room: text('Room'), percent: { type: 'integer', minimum: 0, maximum: 100 } },
  ],
  ['mcp__stocks__get_quote', 'Gets the current price of a stock.', { symbol: text('Ticker symbol') }, { readOnlyHint: true }],
  ['mcp__chat__post_message', 'Posts a message to a chat channel.', { channel: text('Channel'), text: text('Message') }],
  [
    'mcp__contacts__add_contact',
    'Adds a person to the contacts.',
    { name: text('Full name'), email: { type: 'string', format: 'email' }, 'phone?': text('Phone number') },
  ],
  [
    'mcp__math__sum_numbers',
    'Adds up a list of numbers.',
    { numbers: { type: 'array', items: { type: 'number' } } },
    { readOnlyHint: true },
  ],
  [
    'mcp__tickets__set_priority',
    'Changes the priority of a support ticket.',
    { ticket: text('Ticket key'), priority: { type: 'string', enum: ['low', 'normal', 'high'] } },
  ],
  [
    'mcp__archive__make_zip',
    'Packs several files into a zip archive.',
    { files: { type: 'array', items: { type: 'string', description: 'Path of a file' } }, 'overwrite?': { type: 'boolean' } },
  ],
];

let started: StartedHost | undefined;
afterEach(async () => {
  await started?.stop();
  started = undefined;
});

async function start(calls: Call[], rules: StartOptions['rules'] = { allow: TOOLS.map(([name]) => name) }): Promise<StartedHost> {
  started = await startHost({
    builtins: builtinPlugins(),
    plugins: [definePlugin({ name: 'fakes', tools: TOOLS.map((tool) => fake(calls, ...tool)) })],
    rules,
  });
  return started;
}

function fake(calls: Call[], name: string, description: string, parameters: Properties, annotations?: ToolAnnotations): Tool {
  const keys = Object.keys(parameters);
  return defineTool<unknown>({
    name,
    description,
    annotations,
    shouldDefer: true,
    input: jsonSchema({
      type: 'object',
      properties: Object.fromEntries(keys.map((key) => [key.replace('?', ''), parameters[key]])),
      required: keys.filter((key) => !key.endsWith('?')),
      additionalProperties: false,
    }),
    call: async (input) => {
      calls.push([name, input]);
      return `called ${name}`;
    },
  });
}

interface Said {
  readonly calls: readonly Call[];
  /** Every text of the driver, in order. */
  readonly texts: readonly string[];
  readonly events: readonly RunEvent[];
}

async function say(request: string, rules?: StartOptions['rules']): Promise<Said> {
  const calls: Call[] = [];
  const { host } = await start(calls, rules);
  return { calls, ...(await heard(host.run(request, { model: offlineModel() }))) };
}

async function heard(run: AsyncIterable<RunEvent>): Promise<Pick<Said, 'texts' | 'events'>> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { events, texts: events.flatMap((event) => (event.kind === 'text' && event.done ? [event.text] : [])) };
}

const NOTICE = 'offline driver: keyword search, no language model';

test.each<[request: string, tool: string, input: unknown]>([
  [
    'Create an issue in acme/web titled "Login is broken" with the label bug',
    'mcp__tracker__create_issue',
    { owner: 'acme', repo: 'web', title: 'Login is broken', labels: ['bug'] },
  ],
  ['What is the weather forecast for San Francisco?', 'mcp__weather__get_forecast', { city: 'San Francisco' }],
  [
    'Please send an email to ann@example.org with subject "Lunch" and body "At noon?"',
    'mcp__mail__send_email',
    { to: 'ann@example.org', subject: 'Lunch', body: 'At noon?' },
  ],
  [
    'Scale the deployment frontend to 4 replicas in namespace shop',
    'mcp__cluster__scale_deployment',
    { deployment: 'frontend', replicas: 4, namespace: 'shop' },
  ],
  [
    'Create a calendar event "Review" on 2026-03-05 from 10:00 to 11:30',
    'mcp__calendar__create_event',
    { title: 'Review', start: '2026-03-05T10:00:00Z', end: '2026-03-05T11:30:00Z' },
  ],
  [
    'Create an invoice of €250 for the customer bob@example.com',
    'mcp__payments__create_invoice',
    { customer: 'bob@example.com', amount: 250, currency: 'EUR' },
  ],
  ['Find the route from Berlin to Munich by bicycle', 'mcp__maps__get_route', { origin: 'Berlin', destination: 'Munich', mode: 'bicycle' }],
  [
    'Resize the image ./photos/cat.png to width 800 and height 600',
    'mcp__images__resize_image',
    { path: './photos/cat.png', width: 800, height: 600 },
  ],
  ['Set the priority of the ticket SUP-42 to high', 'mcp__tickets__set_priority', { ticket: 'SUP-42', priority: 'high' }],
  ['Fetch the web page https://example.org/a?b=c.', 'mcp__web__fetch_page', { url: 'https://example.org/a?b=c' }],
  ['Translate "good morning" into French', 'mcp__translate__translate_text', { text: 'good morning', target_language: 'French' }],
  ['Add up the numbers 2, 3.5 and 10', 'mcp__math__sum_numbers', { numbers: [2, 3.5, 10] }],
  ['Remember the note: buy milk and bread', 'mcp__notes__add_note', { text: 'buy milk and bread' }],
  ['Pack the files a.txt, b.txt and docs/c.md into a zip archive', 'mcp__archive__make_zip', { files: ['a.txt', 'b.txt', 'docs/c.md'] }],
  ['Refund payment_id=pay_123 amount=12.50', 'mcp__payments__refund', { payment_id: 'pay_123', amount: 12.5 }],
  ['Search the issues for crash on startup', 'mcp__tracker__search_issues', { query: 'crash on startup' }],
  ['List the calendar events on March 5, 2026', 'mcp__calendar__list_events', { date: '2026-03-05' }],
  [
    'Post the message "Deploy is done" to the chat channel #general',
    'mcp__chat__post_message',
    { channel: '#general', text: 'Deploy is done' },
  ],
  ['Close issue #17 of acme/web', 'mcp__tracker__close_issue', { owner: 'acme', repo: 'web', issue_number: 17 }],
  ['Get the current stock price of ACME', 'mcp__stocks__get_quote', { symbol: 'ACME' }],
])('M10.1 the offline driver turns a request into a search, a choice and a filled call: %s', async (request, tool, input) => {
  const { calls, texts, events } = await say(request);
  expect(calls).toEqual([[tool, input]]);
  expect(events.filter(({ kind }) => kind === 'tool_use').map((event) => (event as RunEvent & { kind: 'tool_use' }).call.tool)).toEqual([
    'ToolSearch',
    tool,
  ]);
  expect(texts.at(-1)).toContain(`called ${tool}`);
  expect(texts.at(-1)).toContain(NOTICE);
  expect(events.at(-1)).toMatchObject({ kind: 'end', reason: 'completed', turns: 3 });
});

test.each([
  'Order a pizza with extra cheese',
  'How tall is the Eiffel tower?',
  'Sing a song about the sea',
  'Walk the dog',
  '???',
  'Schreibe mir ein Gedicht über den Herbst',
  '给我讲一个笑话',
  '🍕🍕🍕',
])('M10.1 the offline driver abstains when nothing fits, names three candidates at most and calls nothing: %s', async (request) => {
  const { calls, texts, events } = await say(request);
  expect(calls).toEqual([]);
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain(NOTICE);
  expect(texts[0]?.match(/^- /gm)?.length ?? 0).toBeLessThanOrEqual(3);
  expect(events.at(-1)).toMatchObject({ kind: 'end', reason: 'completed' });
});

test('M10.1 the offline driver asks for what is missing and goes on with the answer', async () => {
  const calls: Call[] = [];
  const { host } = await start(calls);
  const session = host.session();
  const first = await heard(session.run('Send an email to ann@example.org with subject "Lunch"', { model: offlineModel() }));
  expect(calls).toEqual([]);
  expect(first.texts.at(-1)).toContain('body="…"');
  expect(first.texts.at(-1)).toContain(NOTICE);
  await heard(session.run('body="At noon?"', { model: offlineModel() }));
  expect(calls).toEqual([['mcp__mail__send_email', { to: 'ann@example.org', subject: 'Lunch', body: 'At noon?' }]]);
  await heard(session.run('Get the weather forecast for Oslo', { model: offlineModel() }));
  expect(calls.at(-1)).toEqual(['mcp__weather__get_forecast', { city: 'Oslo' }]);
});

test('M10.1 the offline driver shows the filled input before any call of a tool that does not say it only reads', async () => {
  const writing = await say('Delete the calendar event event_id=e-7');
  expect(writing.texts[0]).toBe('About to call mcp__calendar__delete_event with {"event_id":"e-7"}');
  await started?.stop();
  const reading = await say('Show the logs of the pod web-1');
  expect(reading.calls).toEqual([['mcp__cluster__pod_logs', { pod: 'web-1' }]]);
  expect(reading.texts).toHaveLength(1);
});

test('M10.2 the offline driver reports a refusal with its reason', async () => {
  const { calls, texts, events } = await say('Delete the calendar event event_id=e-7', {});
  expect(calls).toEqual([]);
  expect(texts.at(-1)).toMatch(/^mcp__calendar__delete_event was refused: .*nobody to ask/);
  expect(events.at(-1)).toMatchObject({ permissionDenials: [{ tool: 'mcp__calendar__delete_event' }] });
});

test('M10.1 the offline driver also takes tools that are loaded already', async () => {
  const { texts, events } = await say('Find files matching **/*.nothing');
  expect(events.filter(({ kind }) => kind === 'tool_use').at(-1)).toMatchObject({
    call: { tool: 'Glob', input: { pattern: '**/*.nothing' } },
  });
  expect(texts.at(-1)).toContain('No file in . matches');
});

test('M10.1 the offline driver takes an input given as JSON, and hostile text does not break it', async () => {
  const { calls } = await say('Run the SQL query {"sql": "select \'}\' from t"}');
  expect(calls).toEqual([['mcp__database__run_query', { sql: "select '}' from t" }]]);
  for (const request of [
    '{'.repeat(5_000),
    `"${'\\'.repeat(3_000)}`,
    'a=b '.repeat(2_000),
    '\u0000\u202e<deferred-tools>',
    `search ${'x'.repeat(100_000)}`,
  ]) {
    await started?.stop();
    expect((await say(request)).events.at(-1)).toMatchObject({ kind: 'end', reason: 'completed' });
  }
});

test('M10.1 the same request gives the same answer, and the model says what it is', async () => {
  const model = offlineModel();
  expect(model).toMatchObject({ name: 'offline', strategy: 'append', contextTokens: Number.MAX_SAFE_INTEGER, notice: NOTICE });
  const request = {
    system: '',
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }],
    maxTokens: 10,
  };
  const answers = [];
  for (let round = 0; round < 2; round++)
    for await (const event of model.stream(request, new AbortController().signal)) answers.push(event);
  expect(answers.slice(0, 2)).toEqual(answers.slice(2));
  expect(answers[0]).toMatchObject({ kind: 'block', block: { text: expect.stringContaining('no tool to choose from') } });
});
