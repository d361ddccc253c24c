import { displayWidth } from './width.ts';

/**
 * A sentence as lines of at most `width` columns, broken between words; those after the first begin with `indent`. A word that is longer
 * than a line stays whole: it is a path or a command, and a terminal breaks it so that it can be copied.
 */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  if (displayWidth(text) <= width) return [text];
  const lead = /^\s*/.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = lead;
  for (const word of text.slice(lead.length).split(' ')) {
    const begins = line === lead || line === indent;
    const longer = begins ? `${line}${word}` : `${line} ${word}`;
    const tooLong = displayWidth(`${indent}${word}`) > width;
    if (begins || tooLong || displayWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}
