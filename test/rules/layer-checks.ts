import { builtinModules } from 'node:module';
import { posix } from 'node:path';

import { BUNDLED, CORE_LEVELS, KIT_FOR_CORE, KIT_PACKAGES, ONLY_IN, PUBLIC_NAMES, SEARCH_PACKAGES } from './layer-tables.data.ts';
import { importsOf, type Import, type SourceFile } from './source-text.ts';

/** A sentence: file, line, what is wrong, what to do. */
export type Complaint = string;

/** What the checks must know of package.json. */
export interface Declared {
  /** Packages people get who install this one. */
  readonly runtime: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** Where a file belongs: the folder at the top, and for built-ins the plugin's folder. */
type Part =
  { readonly kind: 'kit' | 'core' | 'cli' | 'support' | 'test' } | { readonly kind: 'extension' | 'example'; readonly folder: string };

/** R1, R2, R5: who may import whom. */
export function importComplaints(files: readonly SourceFile[], declared: Declared): readonly Complaint[] {
  return files.flatMap((file) =>
    importsOf(file.text).flatMap((each) => {
      const why = refusal(file.path, each, declared);
      return why === undefined ? [] : [`${file.path}:${each.line} imports "${each.from}". ${why}`];
    }),
  );
}

/** R4: inside core, values flow down and never in a circle. */
export function levelComplaints(files: readonly SourceFile[]): readonly Complaint[] {
  const core = files.filter(({ path }) => path.startsWith('core/') && !path.startsWith('core/kit/'));
  const arrows = core.flatMap(({ path, text }) =>
    importsOf(text)
      .filter(({ kind, from }) => kind !== 'type' && from.startsWith('.'))
      .map(({ from, line }) => ({ path, line, target: posix.join(posix.dirname(path), from) }))
      .filter(({ target }) => !target.startsWith('core/kit/')),
  );
  const homeless = core
    .filter(({ path }) => levelOf(path) === -1)
    .map(({ path }) => `${path}:1 has no level. Name it in CORE_LEVELS of test/rules/layer-tables.data.ts.`);
  const upward = arrows
    .filter(({ path, target }) => levelOf(target) > levelOf(path) && levelOf(path) !== -1)
    .map(
      ({ path, line, target }) =>
        `${path}:${line} takes a value from ${target}, which stands above it. Import its types only, or move the value down.`,
    );
  return [...homeless, ...upward, ...circles(arrows)];
}

function levelOf(path: string): number {
  const name = path.replace(/^core\//, '').replace(/\.ts$/, '');
  const own = CORE_LEVELS.findIndex((level) => level.includes(name));
  return own !== -1 ? own : CORE_LEVELS.findIndex((level) => level.some((entry) => entry.endsWith('/') && name.startsWith(entry)));
}

function circles(arrows: readonly { readonly path: string; readonly line: number; readonly target: string }[]): readonly Complaint[] {
  const reach = (from: string, seen: Set<string>): Set<string> => {
    for (const { path, target } of arrows) {
      if (path !== from || seen.has(target)) continue;
      seen.add(target);
      reach(target, seen);
    }
    return seen;
  };
  return arrows
    .filter(({ path, target }) => target === path || reach(target, new Set()).has(path))
    .map(
      ({ path, line, target }) => `${path}:${line} and ${target} take values from each other. Move what both need into a file below them.`,
    );
}

function refusal(path: string, { from, kind }: Import, declared: Declared): string | undefined {
  const part = partOf(path);
  if (from.startsWith('.')) return relativeRefusal(path, part, from);
  if (from.startsWith('node:')) return onlyIn(path, part, from);
  if (builtinModules.includes(from)) return `Write "node:${from}".`;
  if (from === 'pegboard' || from.startsWith('pegboard/')) return publicRefusal(part, from);
  return packageRefusal(path, part, packageName(from), kind, declared);
}

function partOf(path: string): Part {
  if (path.startsWith('core/kit/')) return { kind: 'kit' };
  if (path.startsWith('core/')) return { kind: 'core' };
  if (path.startsWith('cli/')) return { kind: 'cli' };
  if (path.startsWith('test/support/')) return { kind: 'support' };
  if (/^(test|bench)\//.test(path) || !path.includes('/')) return { kind: 'test' };
  const kind = path.startsWith('examples/') && !/\/plugins?\//.test(path) ? 'example' : 'extension';
  return { kind, folder: /^(builtin-plugins|examples)\/[^/]+\/|^[^/]+\//.exec(path)?.[0] ?? path };
}

function relativeRefusal(path: string, part: Part, from: string): string | undefined {
  const target = posix.join(posix.dirname(path), from);
  if (!/\.(ts|js|mjs|json)$/.test(from)) return 'Write the ending: ".ts".';
  switch (part.kind) {
    case 'kit':
      return target.startsWith('core/kit/') ? undefined : 'A piece of core/kit knows nothing of the rest. Pass in what it needs.';
    case 'core': {
      const piece = /^core\/kit\/(.+)\.ts$/.exec(target)?.[1];
      if (piece !== undefined && !KIT_FOR_CORE.includes(piece)) return `Of core/kit, core takes only ${KIT_FOR_CORE.join(' and ')}.`;
      return target.startsWith('core/') ? undefined : 'Core knows none of its plugins. Make it a member of a contract, or data at a point.';
    }
    case 'extension':
    case 'example': {
      const inside = target.startsWith(part.folder) && !target.startsWith('core/');
      return inside || target === 'package.json'
        ? undefined
        : 'Import "pegboard" or "pegboard/kit"; what others offer comes through a point or a hook.';
    }
    case 'cli':
    case 'support':
      return target.startsWith(part.kind === 'cli' ? 'cli/' : 'test/support/') || target === 'package.json'
        ? undefined
        : 'Import the public name: "pegboard", "pegboard/mcp" …';
    case 'test':
      return undefined;
  }
}

function publicRefusal(part: Part, from: string): string | undefined {
  if (part.kind === 'test' || part.kind === 'support') return undefined;
  if (part.kind === 'kit' || part.kind === 'core') return 'Core does not import its own public surface. Use a relative path.';
  const allowed = PUBLIC_NAMES[part.kind === 'cli' || part.kind === 'example' ? 'program' : 'extension'] ?? [];
  return allowed.includes(from)
    ? undefined
    : `From here only ${allowed.map((name) => `"${name}"`).join(', ')} can be imported; siblings meet at points and hooks.`;
}

function packageRefusal(path: string, part: Part, name: string, kind: Import['kind'], declared: Declared): string | undefined {
  const piece = /([^/]+)\.ts$/.exec(path)?.[1] ?? '';
  if (part.kind === 'kit' && !(KIT_PACKAGES[piece] ?? []).includes(name))
    return `core/kit/${piece} has no claim on this package. Name it in design 2.1 and in KIT_PACKAGES, or do without.`;
  if (part.kind === 'core' && !(path.startsWith('core/search/') && SEARCH_PACKAGES.includes(name)))
    return 'Core has no packages beside those of core/search. Take what it gives as a value, or put it behind a port.';
  const shipped = part.kind !== 'test' && !BUNDLED.has(path) && !path.startsWith('examples/') && kind !== 'type';
  if (!(shipped ? declared.runtime : declared.all).has(name))
    return shipped ? 'It is not among the dependencies of package.json. Add it there, or do without.' : 'package.json does not name it.';
  return onlyIn(path, part, name);
}

function onlyIn(path: string, part: Part, name: string): string | undefined {
  if (part.kind === 'test' || part.kind === 'support') return undefined;
  const owner = ONLY_IN.find(({ begins }) => name.startsWith(begins));
  return owner === undefined || path.startsWith(owner.folder) ? undefined : `Only ${owner.folder} knows it. ${owner.instead}.`;
}

function packageName(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}
