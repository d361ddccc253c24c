/** The name without its namespace: `tool` of `mcp__server__tool`. */
export function bareName(name: string, namespace: string | undefined): string {
  if (namespace && name.startsWith(namespace) && name.length > namespace.length) return name.slice(namespace.length);
  return /^mcp__.+?__(.+)$/.exec(name)?.[1] ?? name;
}
