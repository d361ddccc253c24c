import { oneLine } from 'pegboard';
import { maskSecrets } from 'pegboard/settings';

import { shellWord } from './shell-word.ts';

/** Enough that nothing of a real command line is hidden from whoever approves it. */
const SHOWN_CHARS = 4_000;

/** How a server is started or reached, in one line, without its secrets. */
export function serverText(definition: unknown): string {
  const shown = maskSecrets('mcpServers.server', definition) as Readonly<Record<string, unknown>> | null;
  const { command, args, url, env, headers, cwd } = Object(shown) as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args.map((each) => shellWord(String(each))) : [];
  const start =
    typeof command === 'string' ? [shellWord(command), ...words].join(' ') : typeof url === 'string' ? url : JSON.stringify(shown);
  const more = [
    ...(typeof cwd === 'string' ? [`in ${cwd}`] : []),
    ...[['env', env] as const, ['headers', headers] as const].flatMap(([what, map]) => {
      const names = Object.keys(Object(map) as object);
      return names.length > 0 ? [`${what} ${names.join(', ')}`] : [];
    }),
  ];
  return oneLine([start, ...more].join('; '), SHOWN_CHARS);
}
