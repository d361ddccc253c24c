import { definePlugin, type Plugin } from 'pegboard';

import { glob } from './glob.ts';
import { makeGrep, type SearchSettings } from './grep.ts';
import { read } from './read.ts';

/** The plugin "files": reading, finding and searching local files (M11.1). */
export function files(settings: SearchSettings = {}): Plugin {
  return definePlugin({ name: 'files', tools: [read, glob, makeGrep(settings)] });
}
