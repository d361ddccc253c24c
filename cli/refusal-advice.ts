import type { Judged, Reason, Tool } from 'pegboard';

/** What would let a call through that was refused because nobody could be asked; empty for any other refusal. */
export function refusalAdvice({ reason }: Judged, tool: Tool, { yes }: { readonly yes: boolean }): string {
  if (reason.by === 'mode' && reason.mode === 'dontAsk') return `Allow it with ${allowFlags(tool)}, or choose another --permission-mode.`;
  if (reason.by !== 'nobody-to-ask') return '';
  const { asked } = reason;
  if (asked.by === 'no-rule') return `Allow it with ${allowFlags(tool)}${yes ? '' : ', or answer with --yes'}.`;
  if (asked.by === 'rule') return `It runs at a terminal, where you are asked, or without ${ruleText(asked)}.`;
  if (asked.by === 'mode' && asked.mode === 'plan') return 'It runs in another --permission-mode.';
  if (asked.by === 'tool' && !yes && !tool.requiresUserInteraction()) return 'Answer with --yes, or run it at a terminal.';
  return 'It runs at a terminal, where you are asked.';
}

function allowFlags(tool: Tool): string {
  return tool.ruleNames.map((name) => `--allow ${name}`).join(' or ');
}

function ruleText({ rule, source }: Reason & { readonly by: 'rule' }): string {
  return source === 'cli' ? `the rule ${rule} of the command line` : `the rule ${rule} (${source})`;
}

/** A sentence of the host and the advice that goes with it. */
export function withAdvice(sentence: string, advice: string): string {
  return advice === '' ? sentence : `${sentence.replace(/\.$/, '')}. ${advice}`;
}
