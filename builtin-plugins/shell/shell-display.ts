import type { ToolDisplay } from 'pegboard';

import type { BashInput } from './bash-input.ts';
import type { RunProgress } from './run-command.ts';
import type { ShellFacts } from './shell-result.ts';

/** How a shell's calls are shown to people (M1.6): the command as it is, what it printed, how it ended. `language` is that of the commands. */
export function shellDisplay(language: string): ToolDisplay<BashInput> {
  return {
    activity: ({ description, command }) => description ?? `Running ${firstLine(command)}`,
    summary: ({ command }) => firstLine(command),
    use: ({ command }) => ({ kind: 'markdown', text: fenced(command, language) }),
    progress: (progress) => ({ kind: 'text', text: progressText(progress as RunProgress) }),
    result: ({ command }, { text, structuredContent }) => ({
      kind: 'text',
      text: [`$ ${command}`, text, factsText(structuredContent as ShellFacts | undefined)].filter(Boolean).join('\n'),
    }),
  };
}

function firstLine(command: string): string {
  const [line = '', ...more] = command.trim().split('\n');
  return more.length > 0 ? `${line} …` : line;
}

/** In a fence that nothing in the text can end. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function progressText({ seconds, bytes, lastLine }: RunProgress): string {
  return `${seconds} s, ${bytes} bytes${lastLine === '' ? '' : `: ${lastLine.slice(0, LINE_CHARS)}`}`;
}

const LINE_CHARS = 200;

function factsText(facts: ShellFacts | undefined): string {
  if (facts === undefined) return '';
  const { exitCode, durationMs, directory, sandboxed } = facts;
  const how = exitCode === undefined ? 'no exit code' : `exit code ${exitCode}`;
  return `${how}, ${(durationMs / 1_000).toFixed(1)} s, in ${directory}${sandboxed ? ', sandboxed' : ''}`;
}
