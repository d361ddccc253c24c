import { placeText, type FoundServer, type Ignored, type Settings } from 'pegboard/settings';

import { shellWord } from './shell-word.ts';

/** What was found and does not count: a line for each file and reason, with the command that changes it where one does. */
export function leftOutLines({ ignored, servers, project }: Settings): readonly string[] {
  const groups = new Map<string, Ignored[]>();
  for (const each of ignored) {
    const group = JSON.stringify([each.place.source, each.until, each.why]);
    groups.set(group, [...(groups.get(group) ?? []), each]);
  }
  const trust = `\`pegboard trust ${shellWord(project.folder)}\` says what it would do and lets it count`;
  return [...[...groups.values()].map((group) => groupLine(group, trust)), ...servers.flatMap((server) => serverLine(server) ?? [])];
}

function groupLine(group: readonly Ignored[], trust: string): string {
  const [first] = group as readonly [Ignored];
  const names = group.map(nameOf).join(', ');
  return `left out of ${first.place.source}: ${names}: ${first.why.replace(/\.$/, '')}${first.until === 'trust' ? `; ${trust}` : ''}`;
}

function nameOf({ what, place }: Ignored): string {
  const at = place.line === undefined ? '' : ` (${place.line}:${place.column ?? 1})`;
  switch (what.kind) {
    case 'value':
      return `${what.key}${at}`;
    case 'script':
      return 'all of it';
    case 'import':
      return `its import of ${what.path}${at}`;
    case 'loader':
    case 'file':
      return 'the file';
  }
}

function serverLine({ name, place, state }: FoundServer): string | undefined {
  if (state.kind === 'refused') return `server "${name}" (${placeText(place)}) is left out: ${state.why}`;
  if (state.kind !== 'waiting' || state.on !== 'approval') return undefined;
  return `server "${name}" (${placeText(place)}) is left out: ${state.why}; \`pegboard mcp approve ${shellWord(name)}\` lets it start as it is defined now`;
}
