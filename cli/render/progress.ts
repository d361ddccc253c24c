import type { Tool } from 'pegboard';

import type { Line } from '../screen.ts';
import { shown } from './shown.ts';
import { displayLines } from './terminal.ts';

/** What a call says of how far it is, as one line: in the tool's own picture, in MCP's words, or as it came. */
export function progressLine(progress: unknown, tool: Tool | undefined, width: number): Line {
  const [first] = picture(progress, tool, width);
  const words = first === undefined ? [shown(wordsOf(progress), 200)] : typeof first === 'string' ? [first] : first;
  return [{ text: 'progress  ', style: 'dim' }, ...words];
}

function picture(progress: unknown, tool: Tool | undefined, width: number): readonly Line[] {
  try {
    const drawn = tool?.display.progress?.(progress);
    return drawn === undefined ? [] : displayLines(drawn, width);
  } catch {
    // A picture is a courtesy of the tool.
    return [];
  }
}

function wordsOf(progress: unknown): string {
  if (typeof progress === 'string') return progress;
  if (typeof progress !== 'object' || progress === null) return String(progress);
  const {
    progress: done,
    total,
    message,
  } = progress as { readonly progress?: unknown; readonly total?: unknown; readonly message?: unknown };
  if (typeof done !== 'number') return JSON.stringify(progress);
  return `${done}${typeof total === 'number' ? ` of ${total}` : ''}${typeof message === 'string' ? `: ${message}` : ''}`;
}
