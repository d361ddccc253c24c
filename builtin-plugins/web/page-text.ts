/** Elements whose insides nobody reads. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'select', 'head']);
/** Elements that stand on lines of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul'.split(
    ' ',
  ),
);
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    ndash: '–',
    mdash: '—',
    hellip: '…',
    copy: '©',
    rsquo: '’',
  }),
);

/** One piece of a page: text, or a tag with its name in lower case. */
type Piece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'open' | 'close'; readonly name: string; readonly rest: string };

/** The text of an HTML page as a person reads it, with the addresses of its links: one pass, however the page is made. */
export function pageText(html: string, base: string): string {
  const out: string[] = [];
  const links: (string | undefined)[] = [];
  let silentUntil: string | undefined;
  let pre = 0;
  for (const piece of piecesOf(html)) {
    if (piece.kind === 'text') {
      if (silentUntil === undefined) out.push(pre > 0 ? decode(piece.text) : decode(piece.text).replace(/\s+/g, ' '));
      continue;
    }
    const { kind, name, rest } = piece;
    if (silentUntil !== undefined) {
      // A head is often not closed, and the page begins all the same.
      if ((kind === 'close' && name === silentUntil) || (silentUntil === 'head' && name === 'body')) silentUntil = undefined;
      continue;
    }
    if (kind === 'open' && SILENT.has(name) && !rest.endsWith('/')) {
      silentUntil = name;
      continue;
    }
    if (name === 'pre') pre = Math.max(0, pre + (kind === 'open' ? 1 : -1));
    if (name === 'br') out.push('\n');
    if (name === 'td' || name === 'th') out.push(kind === 'open' ? '' : ' | ');
    if (BLOCKS.has(name)) out.push('\n\n', kind === 'open' ? markOf(name) : '');
    if (name === 'a') out.push(kind === 'open' ? noted(links, addressOf(rest, base)) : told(links.pop()));
  }
  return tidy(out.join(''));
}

function noted(links: (string | undefined)[], address: string | undefined): string {
  links.push(address);
  return '';
}

function told(address: string | undefined): string {
  return address === undefined ? '' : ` (${address})`;
}

function markOf(name: string): string {
  if (/^h[1-6]$/.test(name)) return `${'#'.repeat(Number(name[1]))} `;
  return name === 'li' ? '- ' : '';
}

/** A page's title, from its head. */
export function pageTitle(html: string): string | undefined {
  const start = html.search(/<title[\s>]/i);
  if (start < 0) return undefined;
  const from = html.indexOf('>', start) + 1;
  const to = html.indexOf('</', from);
  const title = decode(html.slice(from, to < 0 ? from : Math.min(to, from + 500)))
    .replace(/\s+/g, ' ')
    .trim();
  return title === '' ? undefined : title;
}

function* piecesOf(html: string): Generator<Piece> {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) return yield { kind: 'text', text: html.slice(at) };
    if (open > at) yield { kind: 'text', text: html.slice(at, open) };
    if (html.startsWith('<!--', open)) {
      at = after(html, '-->', open + 4);
      continue;
    }
    const [, slash, given] = /^<(\/?)([A-Za-z][A-Za-z0-9:-]{0,40})/.exec(html.slice(open, open + 48)) ?? [];
    if (given === undefined) {
      const isDeclaration = html[open + 1] === '!' || html[open + 1] === '?' || html[open + 1] === '/';
      if (!isDeclaration) yield { kind: 'text', text: '<' };
      at = isDeclaration ? after(html, '>', open) : open + 1;
      continue;
    }
    const end = tagEnd(html, open + given.length);
    const name = given.toLowerCase();
    yield { kind: slash === '/' ? 'close' : 'open', name, rest: html.slice(open + 1 + given.length, end) };
    at = end + 1;
    if (slash !== '/' && (name === 'script' || name === 'style')) at = rawEnd(html, name, at);
  }
}

/** Behind the next `mark`, or at the end. */
function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

/** The `>` of a tag; those within quotes are none. */
function tagEnd(html: string, from: number): number {
  let quote = '';
  for (let at = from; at < html.length; at++) {
    const character = html[at] ?? '';
    if (quote === '' && character === '>') return at;
    if (quote === '' && (character === '"' || character === "'") && /[=\s]/.test(html[at - 1] ?? '')) quote = character;
    else if (character === quote) quote = '';
  }
  return html.length;
}

/** Where a script ends: nothing in it is a tag. */
function rawEnd(html: string, name: string, from: number): number {
  for (let at = html.indexOf('</', from); at >= 0; at = html.indexOf('</', at + 2))
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  return html.length;
}

/** Where a link leads, if to another page. */
function addressOf(rest: string, base: string): string | undefined {
  const [, double, single, plain] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(rest.slice(0, 4_000)) ?? [];
  const given = decode(double ?? single ?? plain ?? '').trim();
  if (given === '' || given.startsWith('#') || !URL.canParse(given, base)) return undefined;
  const url = new URL(given, base);
  return /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED.get(String(name)) ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd';
  });
}

/** No blanks at line ends, no more than one empty line. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/^ (?! )/, ''));
  const kept = lines.filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '');
  return kept.join('\n').trim();
}
