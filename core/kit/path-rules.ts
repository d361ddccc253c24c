import type { PathSpelling } from './path-spelling.ts';
import type { Workspace } from './workspace.ts';

/** Where a pattern starts: at the root, at the person's home, at the folder of whoever wrote it, or at the working folder. */
type PathAnchor = 'root' | 'home' | 'source' | 'cwd';

/** A pattern over paths in the way of gitignore, ready to be compared. */
export interface PathPattern {
  readonly anchor: PathAnchor;
  /** How many folders above the anchor it starts. */
  readonly up: number;
  /** The folder everything it covers lies in, from where it starts; nothing where it may lie at any depth. */
  readonly base: string;
  /** Does it cover a path given from where it starts, with `/` and without a leading one? The start itself is the empty path. */
  covers(below: string): boolean;
}

/** A grant covers as little as its words say, a restriction as much as they could mean. */
export type PathUse = 'grant' | 'restriction';

/** Why a text is no pattern over paths, if it is none. */
export function pathPatternComplaint(text: string): string | undefined {
  if (text.trim() === '') return 'its path pattern is empty';
  if (text.startsWith('!')) return 'a path pattern cannot begin with "!"';
  if (/[\0\n\r]/.test(text)) return 'its path pattern has a control character';
  return /(^|\/)\.\.(\/|$)/.test(text.replace(/^(\.\.\/)+/, '')) ? 'its path pattern goes up behind a name' : undefined;
}

/**
 * Reads `//abs`, `~/home`, `/source`, `./cwd` and `cwd` (permissions.md, statement 12). `*` stays in a segment and `**` crosses; a
 * bare name counts at any depth. `dir/**` grants only the folder that stands there, and restricts every folder of that name and
 * the folder itself.
 */
export async function compilePathPattern(given: string, use: PathUse, { windows, fold }: PathSpelling): Promise<PathPattern> {
  // A blank before a pattern is a slip of the hand, and must not let go what was to be restricted.
  const text = use === 'restriction' ? given.trimStart() : given;
  const { anchor, rest, up } = anchored(windows ? withoutBackslashes(text) : text);
  const all = rest === '' || /^(\*\*\/?)+$/.test(rest);
  const whole = use === 'restriction' ? rest.replace(/(\/\*\*)+\/?$/, '') : rest;
  const floats = anchor === 'cwd' && up === 0 && !text.startsWith('./') && !whole.replace(/\/$/, '').includes('/');
  const line = `${floats ? '' : '/'}${whole.replace(/^([#!])/, '\\$1').replace(/ +$/, (blanks) => '\\ '.repeat(blanks.length))}`;
  const { default: ignore } = await import('ignore');
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(fold(line));
  const hits = (path: string) => rules.ignores(path) || (use === 'restriction' && rules.ignores(`${path}/`));
  const wild = /[*?[]/.test(whole.replace(/\/$/, '').split('/').at(-1) ?? '') && !/(^|\/)\*\*\/?$/.test(whole);
  const crossings = whole.split('**').length;
  const covers = (path: string): boolean => {
    if (all || path === '') return all;
    // Many folders and many `**` take time by their product: then a grant covers nothing and a restriction all.
    if (path.split('/').length ** crossings > 1e8) return use === 'restriction';
    if (!hits(path)) return false;
    // A star grants the names it stands for, not what lies below them.
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    return use === 'restriction' || !wild || above === '' || !rules.ignores(`${above}/`);
  };
  const steps = whole.replace(/\/$/, '').split('/');
  const plain = steps.findIndex((step) => /[*?[\\]/.test(step));
  const base = floats ? '' : steps.slice(0, plain === -1 ? steps.length : plain).join('/');
  return { anchor, up, base, covers: (below) => covers(fold(below)) };
}

interface Anchored extends Pick<PathPattern, 'anchor' | 'up'> {
  readonly rest: string;
}

function anchored(text: string): Anchored {
  if (text.startsWith('//')) return { anchor: 'root', rest: text.replace(/^\/+/, ''), up: 0 };
  if (text === '~' || text.startsWith('~/')) return { anchor: 'home', rest: text.slice(1).replace(/^\/+/, ''), up: 0 };
  if (text.startsWith('/')) return { anchor: 'source', rest: text.slice(1), up: 0 };
  const ups = /^(?:\.\.(?:\/|$))+/.exec(text)?.[0] ?? '';
  const up = ups.split('..').length - 1;
  return { anchor: 'cwd', rest: text.slice(ups.length).replace(/^(\.(\/+|$))+/, ''), up };
}

/** `C:\Users\**` and `.\src\**` in the words of everybody else; no name there has a star, but one may have a bracket, which a backslash still takes as it is. */
function withoutBackslashes(text: string): string {
  const slashes = text.replace(/\\(?![[\]!# ])/g, '/');
  return slashes.replace(/^([A-Za-z]):\//, (_, drive: string) => `//${drive.toLowerCase()}/`);
}

/** Does a pattern cover a path? A grant must cover everything the path leads through, a restriction anything of it. */
export async function coversPath(
  pattern: PathPattern,
  hops: readonly string[],
  use: PathUse,
  workspace: Workspace,
  source: string | undefined,
): Promise<boolean> {
  const from = await startsOf(pattern, workspace, source);
  const covered = (hop: string) =>
    from.some((folder) => {
      const below = workspace.below(folder, hop);
      return below !== undefined && pattern.covers(below);
    });
  return use === 'grant' ? hops.length > 0 && hops.every(covered) : hops.some(covered);
}

/** Is one of these places a folder above all that a pattern covers, so that whoever walks through it comes there? */
export async function liesAbove(
  pattern: PathPattern,
  hops: readonly string[],
  workspace: Workspace,
  source: string | undefined,
): Promise<boolean> {
  if (pattern.base === '') return false;
  const bases = (await startsOf(pattern, workspace, source)).map((folder) => `${folder === '/' ? '' : folder}/${pattern.base}`);
  return bases.some((base) => hops.some((hop) => (workspace.below(hop, base) ?? '') !== ''));
}

async function startsOf({ anchor, up }: PathPattern, workspace: Workspace, source: string | undefined): Promise<readonly string[]> {
  if (anchor === 'root') return ['/'];
  const folder = { home: workspace.home, source: source ?? workspace.cwd, cwd: workspace.cwd }[anchor];
  return workspace.places(`${folder}${'/..'.repeat(up)}`);
}
