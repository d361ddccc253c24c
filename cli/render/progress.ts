import type { Tool } from 'pegboard';

import type { Line, Piece } from '../screen.ts';
import { shown } from './shown.ts';
import { displayLines } from './terminal.ts';

/** What a call says of how far it is, as one line: in the tool's own picture, in MCP's words, or as it came. */
export function progressLine(progress: unknown, tool: Tool | undefined, width: number): Line {
  return [{ text: 'progress  ', style: 'dim' }, ...progressPieces(progress, tool, width)];
}

/** The same as plain words. */
export function progressWords(progress: unknown, tool: Tool | undefined, width: number): string {
  return progressPieces(progress, tool, width)
    .map((piece) => (typeof piece === 'string' ? piece : piece.text))
    .join('');
}

function progressPieces(progress: unknown, tool: Tool | undefined, width: number): readonly Piece[] {
  const [first] = picture(progress, tool, width);
  if (first === undefined) return [shown(wordsOf(progress), 200)];
  return typeof first === 'string' ? [first] : first;
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
