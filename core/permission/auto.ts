import { causeText } from '../errors.ts';
import { defineState } from '../state.ts';
import type { Tool } from '../tool.ts';
import { CallView, editsInside } from './call-view.ts';
import type { Judged, Reason } from './decision.ts';
import type { Question } from './pipeline.ts';
import type { Rule } from './rule.ts';

/** Stands in for a person in the mode `auto`. Whatever goes wrong in it is a no. */
export interface Classifier {
  /** `text` is what the tool says may be read of its input. */
  judge(
    call: { readonly tool: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'allow' | 'deny'; readonly why: string }>;
}

/** How often the classifier said no in this session, and how often in a row. */
const denials = defineState('denials of the classifier', () => ({ inRow: 0, inAll: 0 }));
const MOST_IN_ROW = 3;
const MOST_IN_ALL = 20;

/**
 * Answers an ask in the mode `auto`: what acceptEdits would allow and what only reads inside the workspace at once, the rest by the
 * classifier. Nothing where a person has to answer: no classifier word can be had on it, or it has said no too often.
 */
export async function judgeForPerson(
  question: Question,
  classifier: Classifier | undefined,
  signal: AbortSignal,
): Promise<Judged | undefined> {
  const { tool, input, context } = question;
  const quick = await quickAllow(question);
  if (quick) return quick;
  const text = textOf(tool, input);
  const count = context.state(denials);
  if (text === '' || count.inRow >= MOST_IN_ROW || count.inAll >= MOST_IN_ALL) return undefined;
  const verdict = await ask(classifier, { tool: tool.name, text }, signal);
  const reason: Reason = { by: 'classifier', detail: verdict.why };
  if (verdict.kind === 'allow') {
    count.inRow = 0;
    return { kind: 'allow', step: 'ask', reason };
  }
  count.inRow += 1;
  count.inAll += 1;
  return { kind: 'deny', step: 'ask', reason, message: `the classifier did not let it through: ${verdict.why}` };
}

async function quickAllow({ tool, input, context }: Question): Promise<Judged | undefined> {
  const view = new CallView(tool, input, context);
  // Parts have been judged as in acceptEdits before this was asked.
  if (await view.parts()) return undefined;
  const files = await view.files();
  const reads = view.readOnly && files.every((each) => each.kind === 'clear' && each.inside) && !namesHosts(tool, input);
  if (!reads && !editsInside(view, await view.written())) return undefined;
  const detail = reads ? 'it only reads, and inside the workspace' : 'it edits files inside the workspace';
  return { kind: 'allow', step: 'ask', reason: { by: 'mode', mode: 'auto', detail } };
}

function namesHosts(tool: Tool, input: unknown): boolean {
  return tool.reads(input).some(({ kind }) => kind !== 'file');
}

function textOf(tool: Tool, input: unknown): string {
  try {
    return tool.toAutoClassifierInput(input);
  } catch {
    return '';
  }
}

async function ask(
  classifier: Classifier | undefined,
  call: Parameters<Classifier['judge']>[0],
  signal: AbortSignal,
): ReturnType<Classifier['judge']> {
  if (classifier === undefined) return { kind: 'deny', why: 'there is none here, so the mode auto blocks what would be asked about' };
  try {
    const { kind, why } = await classifier.judge(call, signal);
    return kind === 'allow' ? { kind, why } : { kind: 'deny', why };
  } catch (cause) {
    return { kind: 'deny', why: `it could not be asked: ${causeText(cause)}` };
  }
}

/** Programs that run whatever they are told to. */
const RUNNERS =
  /^(?:\S*\/)?(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell|cmd|python[\d.]*|node|deno|bun|bunx|npx|pnpx|uvx|tsx|perl|ruby|php|lua|Rscript|awk|gawk|osascript|env|sudo|doas|su|xargs|eval|exec|ssh|docker|podman|kubectl|find|time|timeout|nohup|nice|watch|setsid|parallel|make|npm|pnpm|yarn|cargo|go|pip|pipx|uv)$/;

/** In the mode `auto` a rule that allows a shell or an agent whatever it is told says nothing (M5.3). */
export function isOverBroad({ part }: Rule, { kind }: Tool): boolean {
  if (kind !== 'shell' && kind !== 'agent') return false;
  if (part.kind === 'whole') return true;
  const star = part.text.indexOf('*');
  const before = part.text
    .slice(0, star === -1 ? part.text.length : star)
    .replace(/:$/, '')
    .trim();
  return star !== -1 && (before === '' || before.split(/\s+/).every((word) => RUNNERS.test(word) || word.startsWith('-')));
}
