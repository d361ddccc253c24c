import { definePlugin, type Plugin, type Reminder } from 'pegboard';

import { instructionFiles, instructionText } from './instruction-files.ts';
import { projectRoot } from './project-root.ts';

export { systemPrompt } from './system-prompt.ts';

/** The plugin "surroundings": what a project says of itself comes with the first message; the day and the branch are reminders, so that they never stand in the prefix (M10.4). */
export function surroundings(): Plugin {
  return definePlugin({
    name: 'surroundings',
    setup: (scope) => {
      const { home, cwd } = scope;
      scope.on({
        'session.start': async (texts) => {
          const files = await instructionFiles({ home, cwd, root: projectRoot(cwd), trusted: (path) => scope.trusted(path) });
          return [...texts, ...files.map(instructionText)];
        },
      });
      scope.contribute('reminder', [here(cwd)]);
    },
  });
}

function here(cwd: string): Reminder {
  return {
    name: 'surroundings',
    shows: 'at once',
    everyTurns: Number.POSITIVE_INFINITY,
    snapshot: ({ now, branch }) => ({
      full: [
        `Today is ${dayOf(now)}.`,
        `The working folder is ${cwd}${branch === undefined ? '' : `, on the branch ${branch}`}.`,
        `The platform is ${process.platform}.`,
      ].join(' '),
    }),
  };
}

/** By the clock of the person. */
function dayOf(now: number): string {
  const date = new Date(now);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
