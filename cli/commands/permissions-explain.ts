import { oneLine, reasonText, type ConsideredRule, type DecisionExplanation, type HookTrace } from 'pegboard';

import { exitCode } from '../exit-code.ts';
import { findTool } from '../find-tool.ts';
import { decisionJson } from '../render/json.ts';
import { tableLines } from '../render/table.ts';
import type { Command } from '../run-command.ts';
import type { Line, Style } from '../screen.ts';
import { typedInput, type GivenInput } from '../typed-input.ts';

/** `permissions explain`: how a call would be judged and by what. Hooks before the call run as they would; the tool does not. */
export function permissionsExplain({ name, ...given }: GivenInput & { readonly name: string }): Command {
  return async (desk) => {
    const tool = (await findTool(desk, name))?.tool;
    const explanation = await desk.host.explain(name, typedInput(name, tool, given));
    const { decision, considered, hooks } = explanation;
    if (desk.screen.json) desk.screen.value({ tool: name, ...explanationJson(explanation), considered, hooks });
    else desk.screen.print([...decisionLines(name, decision), ...ruleLines(considered, desk.screen.width), ...hooks.map(hookLine)]);
    return exitCode.done;
  };
}

function explanationJson({ decision }: DecisionExplanation) {
  const { kind, step, reason } = decisionJson(decision);
  return { decision: kind, step, reason, message: decision.kind === 'allow' ? reasonText(reason) : decision.message };
}

const STYLES: Readonly<Record<'allow' | 'ask' | 'deny', Style>> = { allow: 'green', ask: 'yellow', deny: 'red' };

function decisionLines(name: string, decision: DecisionExplanation['decision']): readonly Line[] {
  const { kind, step, reason } = decision;
  const why = oneLine(kind === 'allow' ? reasonText(reason) : decision.message, 400);
  const parts = reason.by === 'parts' && reason.parts.length > 1 ? reason.parts : [];
  return [
    [{ text: kind, style: STYLES[kind] }, ` ${name}: ${why} `, { text: `(step ${step})`, style: 'dim' }],
    ...parts.map(({ part, decision: each }): Line => [
      '  ',
      { text: each.kind, style: STYLES[each.kind] },
      ` ${oneLine(part, 80)}: ${oneLine(reasonText(each.reason), 200)}`,
    ]),
  ];
}

function hookLine({ hook, plugin, name, kind, why }: HookTrace): Line {
  return `hook ${hook} of ${oneLine(plugin, 64)}${name === undefined ? '' : ` (${oneLine(name, 120)})`} ${kind}: ${oneLine(why, 200)}`;
}

const WORDS: Readonly<Record<ConsideredRule['match'], string>> = {
  yes: 'matches',
  no: 'does not match',
  unclear: 'cannot be told',
  conditional: 'its condition is not met',
};

function ruleLines(considered: readonly ConsideredRule[], width: number): readonly Line[] {
  if (considered.length === 0) return ['no rule speaks of this tool'];
  const rows = considered.map(({ list, rule, source, where = '', match }) => [list, rule, WORDS[match], source, where]);
  return tableLines(
    [{ title: 'list' }, { title: 'rule', holds: 'longest' }, { title: '' }, { title: 'source' }, { title: 'where' }],
    rows,
    width,
  );
}
