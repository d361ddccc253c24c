import { definePlugin, type Plugin } from 'pegboard';

import { edit } from './edit.ts';
import { glob } from './glob.ts';
import { makeGrep, type SearchSettings } from './grep.ts';
import { read } from './read.ts';
import { write } from './write.ts';

/** The plugin "files": reading, finding, searching, writing and changing local files (M11.1). */
export function files(settings: SearchSettings = {}): Plugin {
  return definePlugin({ name: 'files', tools: [read, glob, makeGrep(settings), edit, write] });
}
