import { isObject, type JsonObject } from './object.ts';
import type { OtherHost, OtherPlace } from './other-hosts.data.ts';

/** A text in our words, with what should be said of it; or what in it nobody here can fill in. */
type Filled =
  | { readonly kind: 'text'; readonly text: string; readonly notes: readonly string[] }
  | { readonly kind: 'unknown'; readonly placeholder: string };

/** What stands for the placeholders of a host. */
export interface Filling {
  readonly place: OtherPlace;
  /** Questions that the host asks its person for values, by their ids. */
  readonly inputs: ReadonlyMap<string, JsonObject>;
}

type Fill = (text: string, filling: Filling) => Filled;

/** Every text of a value with its placeholders as they are written here. */
export function filledIn(
  host: OtherHost,
  value: unknown,
  filling: Filling,
): { readonly value: unknown; readonly notes: readonly string[]; readonly unknown: readonly string[] } {
  const notes: string[] = [];
  const unknown: string[] = [];
  const walk = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(walk);
    if (isObject(each)) return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, walk(inner)]));
    if (typeof each !== 'string') return each;
    const filled = FILLS[host](each, filling);
    if (filled.kind === 'unknown') return (unknown.push(filled.placeholder), each);
    notes.push(...filled.notes);
    return filled.text;
  };
  const walked = walk(value);
  return { value: walked, notes: [...new Set(notes)], unknown: [...new Set(unknown)] };
}

const OURS = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}/g;
const IDENTIFIER = /^[A-Za-z_]\w*$/;

const asIs: Fill = (text) => ({ kind: 'text', text, notes: [] });

/** There it stands for itself, and here it does not. */
const literal: Fill = (text) => ({
  kind: 'text',
  text,
  notes: [...text.matchAll(OURS)].map(([, name = '']) => `\${${name}} is filled in from the environment here; there it stood for itself`),
});

/** `$NAME` and `${NAME}` there, and `%NAME%` on Windows. */
const dollars: Fill = (text, { place: { platform } }) => {
  const braced = text.replace(/\$([A-Za-z_]\w*)/g, '${$1}');
  return { kind: 'text', text: platform === 'win32' ? braced.replace(/%([A-Za-z_]\w*)%/g, '${$1}') : braced, notes: [] };
};

/** `${env:NAME}`, `${input:id}`, `${workspaceFolder}` and the like there. */
const named: Fill = (text, filling) => {
  const notes: string[] = [];
  const unknown: string[] = [];
  const filled = text.replace(/\$\{([^}]*)\}/g, (whole, inside: string) => {
    const value = valueOf(inside, filling, notes);
    if (value === undefined) unknown.push(whole);
    return value ?? whole;
  });
  const [placeholder] = unknown;
  return placeholder === undefined ? { kind: 'text', text: filled, notes } : { kind: 'unknown', placeholder };
};

const FILLS: Readonly<Record<OtherHost, Fill>> = {
  'claude-desktop': literal,
  'claude-code': asIs,
  cursor: named,
  vscode: named,
  codex: literal,
  gemini: dollars,
};

function valueOf(inside: string, { place, inputs }: Filling, notes: string[]): string | undefined {
  const { folder, home, platform } = place;
  const [scheme, ...rest] = inside.split(':');
  const name = rest.join(':');
  switch (scheme) {
    case 'env':
      return IDENTIFIER.test(name) ? `\${${name}}` : undefined;
    case 'input':
      return inputValue(name, inputs, notes);
    case 'workspaceFolder':
    case 'cwd':
      if (name !== '') return undefined;
      notes.push(`\${${inside}} is ${folder} now, wherever it is used from`);
      return folder;
    case 'workspaceFolderBasename':
      return folder.split(/[\\/]/).at(-1);
    case 'userHome':
      return home;
    case 'pathSeparator':
    case '/':
      return platform === 'win32' ? '\\' : '/';
    default:
      if (!IDENTIFIER.test(inside)) return undefined;
      notes.push(`\${${inside}} is filled in from the environment here; there it stood for itself`);
      return `\${${inside}}`;
  }
}

/** What a person is asked there is a variable of theirs here. */
function inputValue(id: string, inputs: ReadonlyMap<string, JsonObject>, notes: string[]): string | undefined {
  const input = inputs.get(id);
  const words = id
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  if (input === undefined || words === '') return undefined;
  const name = /^\d/.test(words) ? `_${words}` : words;
  const { default: fallback, description, password } = input;
  const usable = typeof fallback === 'string' && fallback !== '' && password !== true && !fallback.includes('}');
  const what = typeof description === 'string' ? ` (${description.slice(0, 100)})` : '';
  notes.push(`what is asked for there as "${id}"${what} is the variable ${name} here${usable ? '' : ': the server starts when it is set'}`);
  return usable ? `\${${name}:-${fallback}}` : `\${${name}}`;
}
