import { join } from 'node:path';

import { definePlugin, type Plugin, type PluginScope } from 'pegboard';

import { callTool } from './call-tool.ts';
import { History } from './history.ts';
import { Learning } from './learning.ts';
import { toolSearch } from './tool-search.ts';

const NAME = 'search';

/**
 * The plugin "search": finding tools that wait, and calling them where the list of tools must never change (M3.3). Which tool was
 * called after which search is kept in the home folder and helps later searches, unless the option `learn` is false.
 */
export function search(): Plugin {
  let learning: Learning | undefined;
  return definePlugin({
    name: NAME,
    tools: [toolSearch((asked) => learning?.asked(asked)), callTool],
    hooks: { 'tool.after': (_result, { tool }) => learning?.called(tool) },
    setup: (scope) => {
      if (!mayLearn(scope)) return;
      const own = new Learning(
        new History(scope.folders.data),
        () => scope.now(),
        (cause) => scope.report(cause),
      );
      learning = own;
      scope.contribute('search.evidence', [{ name: 'use', evidence: (terms) => own.evidence(terms) }]);
      scope.onClose(() => own.settled());
    },
  });
}

/** What was learnt from use, for commands that show or erase it. */
export function searchHistory(home: string): Pick<History, 'file' | 'choices' | 'clear'> {
  return new History(join(home, 'data', NAME));
}

/** Anything but a clear yes or nothing at all is a no. */
function mayLearn({ options, report }: PluginScope): boolean {
  const { learn = true } = (options ?? {}) as { readonly learn?: unknown };
  if (typeof learn === 'boolean') return learn;
  report(new Error('pluginOptions.search.learn should be true or false; until it is, nothing is learnt from searches.'));
  return false;
}
