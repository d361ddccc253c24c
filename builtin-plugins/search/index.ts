import { definePlugin, type Plugin } from 'pegboard';

import { callTool } from './call-tool.ts';
import { toolSearch } from './tool-search.ts';

/** The plugin "search": finding tools that wait, and calling them where the list of tools must never change (M3.3). */
export function search(): Plugin {
  return definePlugin({ name: 'search', tools: [toolSearch, callTool] });
}
