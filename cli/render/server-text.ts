import { oneLine } from 'pegboard';
import { maskSecrets } from 'pegboard/settings';

import { shellWord } from './shell-word.ts';

/** Enough that nothing of a real command line is hidden from whoever approves it. */
const SHOWN_CHARS = 4_000;

/** How a server is started or reached, in one line, without its secrets. */
export function serverText(definition: unknown): string {
  const shown = maskSecrets('mcpServers.server', definition) as Readonly<Record<string, unknown>> | null;
  const { command, args, url, env, headers, headersHelper, cwd } = Object(shown) as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args.map((each) => shellWord(String(each))) : [];
  const start =
    typeof command === 'string' ? [shellWord(command), ...words].join(' ') : typeof url === 'string' ? url : JSON.stringify(shown);
  const more = [
    ...(typeof cwd === 'string' ? [`in ${cwd}`] : []),
    // It is run as well, and is what an approval is for.
    ...(headersHelper === undefined || headersHelper === null
      ? []
      : [
          `headers by ${[headersHelper]
            .flat()
            .map((each) => (Array.isArray(headersHelper) ? shellWord(String(each)) : String(each)))
            .join(' ')}`,
        ]),
    ...[['env', env] as const, ['headers', headers] as const].flatMap(([what, map]) => {
      const names = Object.keys(Object(map) as object);
      return names.length > 0 ? [`${what} ${names.join(', ')}`] : [];
    }),
  ];
  return oneLine([start, ...more].join('; '), SHOWN_CHARS);
}
