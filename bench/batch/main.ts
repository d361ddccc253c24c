import { createHost, definePlugin, defineTool, parseRule, type Model, type RunOptions, type Tool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';
import { scriptedModel, temporaryFolder, type ScriptedTurn } from 'pegboard/testing';

/** What scheduling costs and saves. Run it with `npx tsx --expose-gc --conditions=source bench/batch/main.ts`. */
const input = jsonSchema<Record<string, unknown>>({ type: 'object' });
const SAFE = { isConcurrencySafe: () => true, isReadOnly: () => true } as const;
const rest = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve('done'), ms));
const tools: readonly Tool<Record<string, unknown>>[] = [
  defineTool({ name: 'Read100', description: '', input, ...SAFE, call: () => rest(100) }),
  defineTool({ name: 'Write100', description: '', input, call: () => rest(100) }),
  defineTool({ name: 'Nothing', description: '', input, ...SAFE, call: async () => 'nothing' }),
  defineTool({ name: 'Huge', description: '', input, ...SAFE, call: async () => 'x'.repeat(200_000_000) }),
];
const calls = (...names: readonly string[]) => ({ calls: names.map((name) => ({ name })) });
const many = (count: number, name: string) => Array.from({ length: count }, () => name);

const folder = await temporaryFolder();
const host = await createHost({
  cwd: folder.path,
  home: `${folder.path}/home`,
  plugins: [definePlugin({ name: 'bench', tools })],
  rules: tools.map(({ name }) => parseRule(name, 'allow', 'cli')),
});

/** Milliseconds of a run to its end, and the most memory it held beyond what there was, in MB. */
async function timed(model: Model, options: Partial<RunOptions> = {}): Promise<{ readonly ms: number; readonly mb: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const began = performance.now();
  for await (const event of host.run('go', { model, ...options }))
    if (event.kind === 'end' && event.reason !== 'completed') throw new Error(event.message ?? event.reason);
  clearInterval(watch);
  return { ms: performance.now() - began, mb: (Math.max(most, process.memoryUsage().rss) - before) / 1e6 };
}

const script = (...turns: readonly ScriptedTurn[]) => scriptedModel([...turns, { text: 'done' }]);
const line = (what: string, figure: string) => console.log(`${what.padEnd(58)} ${figure}`);
const whole = ({ ms, mb }: { readonly ms: number; readonly mb: number }) => `${ms.toFixed(0)} ms, ${mb.toFixed(0)} MB`;

const TIMES = 50;
const AT_ONCE = 200;
await timed(script(calls(...many(AT_ONCE, 'Nothing'))));
line('10 reads of 100 ms', whole(await timed(script(calls(...many(10, 'Read100'))))));
line('10 reads of 100 ms, serial', whole(await timed(script(calls(...many(10, 'Read100'))), { serial: true })));
line('5 reads, 1 write, 5 reads of 100 ms', whole(await timed(script(calls(...many(5, 'Read100'), 'Write100', ...many(5, 'Read100'))))));
line('200 reads of 100 ms', whole(await timed(script(calls(...many(200, 'Read100'))))));

const empty = await timed(script(...Array.from({ length: TIMES }, () => calls('Nothing'))));
const full = await timed(script(...Array.from({ length: TIMES }, () => calls(...many(AT_ONCE, 'Nothing')))));
const perCall = ((full.ms - empty.ms) * 1_000) / (TIMES * (AT_ONCE - 1));
const nothing = tools[2] as Tool<Record<string, unknown>>;
const began = performance.now();
for (let i = 0; i < TIMES; i++) await Promise.all(many(AT_ONCE, '').map(() => nothing.call({}, {} as never)));
const bare = ((performance.now() - began) * 1_000) / (TIMES * AT_ONCE);
line('a call that does nothing, among 200 at once', `${perCall.toFixed(1)} µs; bare Promise.all ${bare.toFixed(2)} µs`);

const TURNS = 10_000;
let asked = 0;
const long: Model = {
  ...scriptedModel([]),
  async *stream() {
    asked++;
    if (asked <= TURNS) yield { kind: 'block', block: { type: 'tool_use', id: `c${asked}`, name: 'Nothing', input: {} } };
    yield { kind: 'stop', reason: asked <= TURNS ? 'tool_use' : 'end_turn' };
  },
};
line('10,000 turns in one history', whole(await timed(long, { maxTurns: TURNS + 1 })));
line('a result of 200 MB', whole(await timed(script(calls('Huge')))));

await host.close();
await folder.remove();
