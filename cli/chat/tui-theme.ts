import { styleText } from 'node:util';

import { hasColor } from '../screen.ts';
import type { MarkdownTheme, SelectListTheme } from './tui-parts.ts';

type Paint = (text: string) => string;
type Format = Parameters<typeof styleText>[0];

const as =
  (format: Format): Paint =>
  (text) =>
    hasColor() ? styleText(format, text, { validateStream: false }) : text;

/** The few looks there are. Their texts may be styled already and must be harmless. */
export const paint = { dim: as('dim'), strong: as('bold'), accent: as('cyan'), person: as(['bold', 'cyan']) };

/** A list to choose from. */
export const listTheme: SelectListTheme = {
  selectedPrefix: paint.accent,
  selectedText: paint.accent,
  description: paint.dim,
  scrollInfo: paint.dim,
  noMatch: paint.dim,
};

/** An answer. */
export const markdownTheme: MarkdownTheme = {
  heading: as(['bold', 'cyan']),
  link: as('underline'),
  linkUrl: paint.dim,
  code: as('yellow'),
  codeBlock: as('green'),
  codeBlockBorder: paint.dim,
  quote: as('italic'),
  quoteBorder: paint.dim,
  hr: paint.dim,
  listBullet: paint.accent,
  bold: as('bold'),
  italic: as('italic'),
  strikethrough: as('strikethrough'),
  underline: as('underline'),
};
