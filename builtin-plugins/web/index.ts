import { definePlugin, type Plugin } from 'pegboard';

import { webFetch } from './web-fetch.ts';

/** The plugin "web": getting pages (M11.4). */
export function web(): Plugin {
  return definePlugin({ name: 'web', tools: [webFetch] });
}
