import { createHash } from 'node:crypto';

const MAX_NAME = 64;
const MAX_SERVER = 32;
const SHORTEST_HASH = 6;

/**
 * The part of each server in its tools' names: legal, at most 32 long, without `__` inside or `_` at an end, so that
 * `mcp__server__tool` splits in one way only. It depends on the set of names, not on their order: a name that is legal as it
 * stands keeps it, another is cleaned, and only where that is taken or too long it gets a short hash before its tail.
 */
export function nameServers(names: Iterable<string>): ReadonlyMap<string, string> {
  return settle(names, MAX_SERVER, (name) => name.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_+|_+$/g, ''));
}

/** The names a model sees for one server's tools, by the server's own names for them; the same promises as `nameServers`. */
export function nameTools(serverPart: string, names: Iterable<string>): ReadonlyMap<string, string> {
  const prefix = namespaceOf(serverPart);
  const parts = settle(names, MAX_NAME - prefix.length, (name) => name.replace(/[^a-zA-Z0-9_-]/gu, '_'));
  return new Map([...parts].map(([name, part]) => [name, prefix + part]));
}

/** What the names of a server's tools begin with. */
export function namespaceOf(serverPart: string): string {
  return `mcp__${serverPart}__`;
}

/** Takes `mcp__server__tool` apart; `undefined` for a name that is not made so. */
export function splitName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^mcp__((?:(?!__).)+)__(.+)$/.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/**
 * Names that rules may use for a tool beside the one on the wire: as people write them in configuration. A server's own name is
 * left out where it could be read as another server's, or a rule for one would cover the other.
 */
export function ruleNames(server: { readonly name: string; readonly part: string }, tool: string): readonly string[] {
  return serverRuleNames(server).flatMap((each) => [`${each}__${tool}`, each]);
}

/** Those of them that speak of the whole server. */
export function serverRuleNames({ name, part }: { readonly name: string; readonly part: string }): readonly string[] {
  const plain = !/__|^_|_$/.test(name);
  return [...new Set(plain ? [part, name] : [part])].map((each) => `mcp__${each}`);
}

/** Names that restrictions may use as well: as server and tool call themselves, and as either could be cleaned, whatever else that could be read as. */
export function restrictedNames({ name, part }: { readonly name: string; readonly part: string }, tool: string): readonly string[] {
  const servers = [...new Set([name, part, ...cleanings(name)])];
  const tools = [...new Set([tool, ...cleanings(tool)])];
  return servers.flatMap((server) => [`mcp__${server}`, ...tools.map((each) => `mcp__${server}__${each}`)]);
}

function cleanings(name: string): readonly string[] {
  const each = name.replace(/[^a-zA-Z0-9_-]/gu, '_');
  return [each, each.replace(/_+/g, '_').replace(/^_|_$/g, '')];
}

/** A name that a server may not have, because it stands for the host itself. */
export function isReservedServer(name: string): boolean {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '') === 'pegboard';
}

function settle(names: Iterable<string>, limit: number, clean: (name: string) => string): ReadonlyMap<string, string> {
  const sorted = [...new Set(names)].sort((a, b) => (a < b ? -1 : 1));
  const wanted = new Map(sorted.map((name) => [name, clean(name)]));
  const asked = new Map<string, number>();
  for (const part of wanted.values()) asked.set(part, (asked.get(part) ?? 0) + 1);
  const keeps = (name: string, part: string) => part !== '' && part.length <= limit && (part === name || asked.get(part) === 1);
  const settled = new Map([...wanted].filter(([name, part]) => keeps(name, part)));
  const taken = new Set(settled.values());
  for (const [name, part] of wanted) {
    if (settled.has(name)) continue;
    const short = shorten(name, part, limit, taken);
    settled.set(name, short);
    taken.add(short);
  }
  return settled;
}

/** The tail stays, because that is where names differ; the hash grows until nobody else has the result. */
function shorten(name: string, part: string, limit: number, taken: ReadonlySet<string>): string {
  const digest = createHash('sha256').update(name).digest('hex');
  for (let length = SHORTEST_HASH; ; length++) {
    const hash = digest.slice(0, length);
    const tail = part.slice(Math.max(0, part.length - (limit - length - 1))).replace(/^_+/, '');
    const short = tail === '' ? hash : `${hash}_${tail}`;
    if (!taken.has(short) || length >= limit - 1) return short;
  }
}
