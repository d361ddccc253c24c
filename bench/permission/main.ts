import { createHost, definePlugin, defineTool, parseRule, type Rule, type Tool } from 'pegboard';
import { jsonSchema } from 'pegboard/kit';

import { authorize, type Policy, type Question } from '../../core/permission/pipeline.ts';
import { RuleBook } from '../../core/permission/rule-book.ts';

/** What one decision may cost with 100 rules, µs at the median. */
const MOST = 50;
const SIZES = [10, 100, 1_000];
const ROUNDS = 20_000;

/** Rules as a long life in one project leaves them: most are about other tools. */
function manyRules(count: number): readonly Rule[] {
  return Array.from({ length: count }, (_, at) => {
    if (at === count - 1) return parseRule('Probe', 'allow', 'user');
    if (at % 10 === 0) return parseRule(`mcp__server${at}__*`, 'deny', 'project');
    if (at % 3 === 0) return parseRule(`Read(./folder${at}/**)`, 'deny', 'project');
    return parseRule(`Bash(npm run task${at})`, 'allow', 'local');
  });
}

const probe: Tool = defineTool({
  name: 'Probe',
  description: 'Answers.',
  input: jsonSchema({ type: 'object', properties: { text: { type: 'string' } } }),
  call: async () => 'done',
});

async function questionOf(): Promise<Question> {
  let seen: Question['context'] | undefined;
  const looker = defineTool({
    name: 'Look',
    description: 'Gives its context away.',
    input: jsonSchema({ type: 'object' }),
    call: async (_input, context) => {
      seen = context;
      return '';
    },
  });
  const host = await createHost({
    plugins: [definePlugin({ name: 'bench', tools: [looker] })],
    rules: [parseRule('Look', 'allow', 'cli')],
  });
  await host.call('Look', {});
  await host.close();
  if (seen === undefined) throw new Error('the probe did not run');
  const input = { text: 'hello' };
  return { tool: probe, grants: ['Probe'], input, given: input, hook: undefined, context: seen };
}

/** Times of single decisions, µs, sorted. */
async function measure(rules: number): Promise<readonly number[]> {
  const facts = { agent: 'main', headless: true, branch: undefined };
  const policy: Policy = { rules: new RuleBook(manyRules(rules)), mode: 'default', facts, own: [], trusts: () => false };
  const question = await questionOf();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = process.hrtime.bigint();
    await authorize(question, policy);
    times.push(Number(process.hrtime.bigint() - begun) / 1_000);
  }
  return times.slice(ROUNDS / 10).sort((a, b) => a - b);
}

const at = (times: readonly number[], share: number) => times[Math.floor(times.length * share)] ?? 0;

for (const rules of SIZES) {
  const times = await measure(rules);
  const [p50, p99] = [at(times, 0.5), at(times, 0.99)];
  console.log(`${String(rules).padStart(5)} rules: p50 ${p50.toFixed(1)} µs, p99 ${p99.toFixed(1)} µs`);
  if (rules === 100 && p50 > MOST) process.exitCode = 1;
}
