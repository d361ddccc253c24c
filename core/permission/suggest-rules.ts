import type { Tool } from '../tool.ts';
import type { Question } from './pipeline.ts';
import { CallView } from './call-view.ts';
import { isAllowRule, parseRule } from './rule.ts';

/** The narrowest allow rules that would have let a call through; none where no narrow one is known. */
export function suggestRules({ tool, input, context, grants }: Question): readonly string[] {
  try {
    const given = tool.suggestRules(input, context) ?? ownRules(tool, { tool, input, context });
    return given.filter((rule) => isUsable(rule, grants));
  } catch {
    return [];
  }
}

/** A tool that rules know no parts of is named whole; one that anything could be done with is not. */
function ownRules(tool: Tool, { input, context }: Pick<Question, 'tool' | 'input' | 'context'>): readonly string[] {
  const [family] = tool.fileRules;
  if (family !== undefined)
    return new CallView(tool, input, context).filePaths().map((path) => `${family}(${patternOf(path, context.workspace)})`);
  return tool.kind === 'other' || tool.kind === 'read' || tool.kind === 'search' ? [tool.name] : [];
}

/** This file and no other, from the working folder on where it lies there. */
function patternOf(path: string, { resolve, below, cwd, spelling }: Question['context']['workspace']): string {
  const full = resolve(path);
  const rest = below(cwd, full);
  const plain = (text: string) => text.replace(/[\\*?[\]]/g, '\\$&');
  if (rest !== undefined && rest !== '') return `./${plain(full.slice(full.length - rest.length).replaceAll('\\', '/'))}`;
  return `/${plain(spelling.windows ? `/${full.replace(':', '').replaceAll('\\', '/')}` : full)}`;
}

/** Nobody saves a rule that would not be read back, or that would speak of another tool. */
function isUsable(text: string, grants: readonly string[]): boolean {
  return isAllowRule(text) && grants.includes(parseRule(text, 'allow', 'session').toolName);
}
